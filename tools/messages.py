"""The catalogues of translations: what the pages say, collected from templates and Python into each .po.

    python -m tools messages [other.po …]

A catalogue keeps its translations, loses what no page says any more, and takes from the other files what it
lacks. Each is compiled to the .mo beside it. A new language is an empty file
``dlqconsole/console/locale/<language>/LC_MESSAGES/django.po``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import polib
from django.utils.translation.template import templatize

from dlqconsole.configuration import places
from dlqconsole.hosting import stored_text

CHECKOUT = places.PACKAGE.parent
CATALOGUES = places.PACKAGE / "console" / "locale"
_TEXT = r"""u?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_CALL = re.compile(rf"(?<!\w)(_|n?p?gettext)\(({_TEXT}(?:, {_TEXT})*)")
# Django's, and those of code that knows no Django (processing/inputs/sentences.py)
_FUNCTION = re.compile(r"n?p?gettext(_lazy|_noop)?|Sentence|stored")
# a sentence that SQL stores, with the names of its values: /*stored: number:d, actor*/ '%s edits by %s'
_IN_SQL = re.compile(r"/\*stored(?:: ([^*]*))?\*/\s*'((?:[^']|'')*)'")


class Message(NamedTuple):
    """A text to translate. ``context`` tells it from the same text with another meaning."""

    text: str
    plural: str = ""
    context: str = ""


def messages() -> dict[Message, list[str]]:
    """Return all texts, with the files that have them."""
    places_of: dict[Message, list[str]] = {}
    for file, message in _found():
        name = file.relative_to(CHECKOUT).as_posix()
        if name not in places_of.setdefault(message, []):
            places_of[message].append(name)
    return places_of


def _found() -> Iterator[tuple[Path, Message]]:
    templates = [*places.TEMPLATES.rglob("*.html"), *places.PACKAGE.glob("**/templates/**/*.html")]
    for file in sorted(templates):
        yield from ((file, message) for message in of_template(file.read_text(encoding="utf-8")))
    for file in sorted(places.PACKAGE.rglob("*.py")):
        yield from ((file, message) for message in of_python(file.read_text(encoding="utf-8")))
    for file in sorted(places.PACKAGE.rglob("*.sql")):
        yield from ((file, Message(text)) for text in of_sql(file.read_text(encoding="utf-8")))


def of_template(source: str) -> Iterator[Message]:
    """Return the texts of a template, as Django's own tools find them."""
    for name, arguments in _CALL.findall(templatize(source)):
        texts = ast.literal_eval(f"({arguments},)")
        yield _message(name, texts)


def of_python(source: str) -> Iterator[Message]:
    """Return the texts of a module, whatever it calls the functions that translate."""
    yield from (_message(name, texts) for name, texts in _calls(source))


def stored_sentences() -> list[str]:
    """Return the patterns of the sentences that are stored in English, and translated on pages."""
    modules, files = places.PACKAGE.rglob("*.py"), places.PACKAGE.rglob("*.sql")
    calls = (call for file in modules for call in _calls(file.read_text(encoding="utf-8")))
    patterns = {texts[0] for name, texts in calls if name == "stored"}
    return sorted(patterns.union(*(of_sql(file.read_text(encoding="utf-8")) for file in files)))


def of_sql(source: str) -> Iterator[str]:
    """Return the patterns of the sentences that statements store."""
    for names, literal in _IN_SQL.findall(source):
        first, *parts = re.split("%?%s", literal.replace("''", "'"))
        fields = zip(names.split(","), parts, strict=True) if parts else ()
        yield first + "".join(f"{{{name.strip()}}}{part}" for name, part in fields)


def _calls(source: str) -> Iterator[tuple[str, list[str]]]:
    """The calls of functions that translate, or mark: the function and its texts."""
    tree = ast.parse(source)
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    names = {
        alias.asname or alias.name: alias.name
        for node in imports
        for alias in node.names
        if _FUNCTION.fullmatch(alias.name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = names.get(node.func.id, "") if isinstance(node.func, ast.Name) else _attribute(node.func)
            texts = [each.value for each in node.args if isinstance(each, ast.Constant)]
            if _FUNCTION.fullmatch(name) and texts:
                yield name, [text for text in texts if isinstance(text, str)]


def _attribute(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else ""


def _message(function: str, texts: list[str]) -> Message:
    context, *rest = texts if "pgettext" in function else ["", *texts]
    return Message(rest[0], rest[1] if function.startswith("n") else "", context)


def key(entry: polib.POEntry) -> Message:
    """Return the text that an entry of a catalogue translates."""
    return Message(entry.msgid, entry.msgid_plural or "", entry.msgctxt or "")


def update(others: Iterable[str] = ()) -> int:
    """Write all catalogues; say of each what is still without a translation."""
    stored_text.PATTERNS.write_text("".join(f"{text}\n" for text in stored_sentences()), encoding="utf-8")
    texts = messages()
    known = [entry for other in others for entry in polib.pofile(other)]
    for path in sorted(CATALOGUES.glob("*/LC_MESSAGES/django.po")):
        before = polib.pofile(str(path))
        made = polib.POFile(wrapwidth=100)
        made.metadata = before.metadata
        done = {key(entry): entry for entry in [*known, *before] if entry.translated()}
        made.extend(_entry(message, files, done.get(message)) for message, files in texts.items())
        made.save(str(path))
        made.save_as_mofile(str(path.with_suffix(".mo")))
        missing = len(made.untranslated_entries())
        print(f"{path.relative_to(CHECKOUT)}: {len(made)} texts, {missing} without a translation")
    return 0


def _entry(message: Message, files: list[str], done: polib.POEntry | None) -> polib.POEntry:
    entry = polib.POEntry(msgid=message.text, occurrences=[(name, "") for name in files])
    if "%(" in message.text + message.plural:
        entry.flags = ["python-format"]
    if message.context:
        entry.msgctxt = message.context
    if message.plural:
        entry.msgid_plural, entry.msgstr_plural = message.plural, done.msgstr_plural if done else {0: ""}
    else:
        entry.msgstr = done.msgstr if done else ""
    return entry
