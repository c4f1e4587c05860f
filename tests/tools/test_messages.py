"""The catalogue has every text of the pages, each with a translation that can stand in its place."""

import re
from collections import Counter
from functools import cache

import polib
import pytest

from tools.messages import CATALOGUES, CHECKOUT, Message, key, messages, of_python, of_template

FILES = sorted(CATALOGUES.glob("*/LC_MESSAGES/django.po"))
# values, percent signs, quotation marks, tags and entities: all that is no word
_PARTS = re.compile(
    r"%%|\"|%\(\w+\)[a-z]|\{[^{}]*\}|</?(?:a|code|em|kbd|li|p|span|strong|time|ul)\b|&[a-z]+;"
)

catalogues = pytest.mark.parametrize("path", FILES, ids=lambda path: path.parts[-3])


@cache
def texts() -> dict[Message, list[str]]:
    return messages()


def parts(text: str) -> Counter[str]:
    return Counter(_PARTS.findall(text))


def translations(entry: polib.POEntry) -> list[str]:
    return list(entry.msgstr_plural.values()) if entry.msgid_plural else [entry.msgstr]


def test_simplified_chinese_is_there():
    assert [path.parts[-3] for path in FILES] == ["zh_Hans"]


@catalogues
def test_it_has_what_the_pages_say_and_nothing_else(path):
    entries = polib.pofile(str(path))
    assert {key(entry) for entry in entries} == set(texts()), "run: python -m tools messages"
    assert entries.obsolete_entries() == []


@catalogues
def test_all_of_it_is_translated(path):
    entries = polib.pofile(str(path))
    assert [entry.msgid for entry in entries if not entry.translated() or entry.fuzzy] == []


@catalogues
def test_each_translation_keeps_the_values_and_the_tags(path):
    entries = polib.pofile(str(path))
    broken = [
        (entry.msgid, text)
        for entry in entries
        for text in translations(entry)
        if text and parts(text) != parts(entry.msgid_plural or entry.msgid)
    ]
    assert broken == []


@catalogues
def test_the_compiled_file_says_the_same(path):
    written = {key(entry): translations(entry) for entry in polib.pofile(str(path)) if entry.translated()}
    compiled = {key(entry): translations(entry) for entry in polib.mofile(str(path.with_suffix(".mo")))}
    assert compiled == written, "run: python -m tools messages"


def test_no_text_is_counted_here_and_stands_alone_there():
    """A catalogue has one entry for both, so the one that stands alone would show the number's place."""
    alone = {(text, context) for text, plural, context in texts() if not plural}
    assert [text for text, plural, context in texts() if plural and (text, context) in alone] == []


def test_no_page_names_a_file_that_is_not_there():
    assert [name for files in texts().values() for name in files if not (CHECKOUT / name).is_file()] == []


def test_texts_of_a_template():
    source = """{% load i18n %}<a title="{% translate 'Save' %}">{{ x|default:_("none") }}</a> gettext("no")
    {% blocktranslate trimmed count n=rows|length %}
      <b>{{ n }}</b> row,
      50 %
    {% plural %}
      {{ n }} rows
    {% endblocktranslate %}{% translate "May" context "month" %}"""
    assert set(of_template(source)) == {
        Message("Save"),
        Message("none"),
        Message("<b>%(n)s</b> row, 50 %%", "%(n)s rows"),
        Message("May", context="month"),
    }


def test_texts_of_a_module():
    source = """
from django.utils import translation
from django.utils.translation import gettext_lazy as _, ngettext, pgettext
ONE = _("It's " "one.")
TWO = ngettext("%(n)s row", "%(n)s rows", n) % {"n": n}, pgettext("month", "May"), translation.gettext("x")
THREE = _(ONE), other("y")
"""
    assert set(of_python(source)) == {
        Message("It's one."),
        Message("%(n)s row", "%(n)s rows"),
        Message("May", context="month"),
        Message("x"),
    }
