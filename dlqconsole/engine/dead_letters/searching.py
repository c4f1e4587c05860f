"""Searching that tells nobody what they may not see.

Everybody searches masked texts: what a mask hides is not in there, so no search can find it out letter by
letter. A personal value is found as a whole, by a keyed hash (HMAC-SHA-256; the key is made from SECRET_KEY).
A filter keeps the hash and never the value. Only ``raw`` looks into the texts as they are.

A worker looks at each dead letter that is new or has changed (``look``); before that it is not found.
"""

import hashlib
import hmac
import json
import re
import time
from datetime import datetime
from functools import cache
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import BooleanField, Q
from django.db.models.expressions import RawSQL

from dlqconsole.engine import gate
from dlqconsole.engine.named_sql import execute, fetch_column, fetch_dicts
from dlqconsole.engine.sql import sql
from dlqconsole.processing.masking import Masker

PAGE = 100
# what a person's search may look at by itself: so many of the newest, none with longer texts than these bytes
NEWEST, SHORT = 1_000, 4_096
# looked at once more whenever what is masked becomes another
_VERSION = "2"
# few values are possible, or they are secrets: whoever tries them all must not be told
_UNSEARCHABLE = (
    "password",
    "secret",
    "token",
    "authorization",
    "cookie",
    "birth date",
    "private key",
    "aws key",
)
_MARK = re.compile(r"‹([a-z ]{1,40}) ([0-9a-f]{16})›")
_SPACES = re.compile(r"[\s().\-/]+")


class _SearchMasker(Masker):
    """Its placeholders carry the hash of what stood there: ``‹email 3fa9c1d2a0b1c2d3›``."""

    def __init__(self) -> None:
        super().__init__(settings.DLQ_MASKED_KEYS, gate.key("search"))

    def _placeholder(self, kind: str, value: str) -> str:
        if value[:1] == "‹" and value[-1:] == "›":
            return value
        if kind in _UNSEARCHABLE:
            return f"‹{kind}›"
        return f"‹{kind} {_hash(value)}›"


def term(text: str) -> str:
    """What was typed as a filter keeps it: personal values became their hashes."""
    return _masker().text(text) if settings.DLQ_MASKING else text


def anything(text: str) -> Q:
    """What holds the text: in event type, key, reason or payload, as everybody may see them."""
    plain, marks = _taken_apart(text)
    if plain in ("", *(f"‹{kind}›" for kind, _mark in _MARK.findall(text))):
        return _condition("holds", marks, rules())
    whole = [] if marks else [_number(_hash(text))]
    like = _like(plain)
    return _condition("anything", rules(), like, like, like, whole, marks)


def reason(text: str) -> Q:
    """Whose reason contains the text."""
    plain, marks = _taken_apart(text)
    return _condition("reason", rules(), _like(plain), marks)


def hides(path: str) -> str:
    """The kind of thing that stands at a path into the payload; empty where it may be seen."""
    kinds = (gate.masker().keys.kind(name) for name in path.split("."))
    return next((kind for kind in kinds if kind), "") if settings.DLQ_MASKING else ""


def at_path(path: str, text: str) -> str:
    """What was typed for a path, as a filter keeps it. Raises ValueError for what nobody may search."""
    kind = hides(path)
    if kind in _UNSEARCHABLE:
        raise ValueError(f"payload.{path} is masked, and a {kind} cannot be searched for")
    if kind and not _MARK.fullmatch(text):
        return f"‹{kind} {_hash(text)}›"
    return term(text)


def is_hashed(text: str) -> bool:
    """Whether the whole text stands for one personal value."""
    return _MARK.fullmatch(text) is not None


def holds(text: str) -> Q:
    """What holds this personal value, wherever."""
    return _condition("holds", _taken_apart(text)[1], rules())


def has_marks(text: str) -> bool:
    """Whether something in it stands for a personal value."""
    return _MARK.search(text) is not None


def has_anything(text: str, names: str, reason: str, payload: str) -> bool:
    """What ``anything`` asks of a row, of texts that are elsewhere."""
    plain, marks = _taken_apart(text)
    shown, found = _masked(names=names, reason=reason, payload=payload)
    if plain in ("", *(f"‹{kind}›" for kind, _mark in _MARK.findall(text))) or not found.issuperset(marks):
        return found.issuperset(marks)
    folded = plain.casefold()
    return (
        folded in shown["names"].casefold()
        or folded in shown["reason"].casefold()
        or plain in shown["payload"]
        or (not marks and _number(_hash(text)) in found)
    )


def reason_has(text: str, reason: str) -> bool:
    """What ``reason`` asks of a row, of a reason that is elsewhere."""
    plain, marks = _taken_apart(text)
    shown, found = _masked(names="", reason=reason, payload="")
    return plain.casefold() in shown["reason"].casefold() and found.issuperset(marks)


def _masked(**texts: str) -> tuple[dict[str, str], set[int]]:
    """The texts as everybody may search them, and the numbers of what is masked in them."""
    looked = _searchable({"id": 0, **texts})
    shown = {name: text if looked[name] is None else looked[name] for name, text in texts.items()}
    return shown, set(looked["marks"])


def moment() -> datetime:
    """Now, by the database's clock: what is looked at from here on was not found before."""
    now: datetime = fetch_column(sql("searching.moment"), {})[0]
    return now


def later(moment: datetime) -> Q:
    """Whose texts were looked at after that moment only: no search that was made then has found it."""
    return _condition("later", moment)


def secret_words(text: str) -> str:
    """What somebody looked for in unmasked texts, as the audit and a receipt may say it."""
    return f"‹text {_hash(text)}›"


def look(limit: int = 10_000, seconds: float = 1.0) -> int:
    """Look at dead letters that wait for it, for a moment; how many there were."""
    return _look_until(limit, seconds, "searching.take", {})


def glance(seconds: float = 1.0) -> int:
    """Look at the newest that wait, where that is quick, as a page may; a worker looks at the others."""
    return _look_until(NEWEST, seconds, "searching.take_small", {"within": NEWEST, "bytes": SHORT})


def _look_until(limit: int, seconds: float, take: str, values: dict[str, int]) -> int:
    until, done = time.monotonic() + seconds, 0
    while done < limit and time.monotonic() < until:
        found = _look_at(take, values | {"limit": min(PAGE, limit - done)})
        done += found
        if not found:
            break
    return done


def look_again() -> None:
    """Where the rules of masking have changed, let everything be looked at again."""
    newest = fetch_column(sql("searching.newest_rules"), {})
    if newest and newest[0] != rules():
        execute(sql("searching.look_again"), {"rules": rules()})


def _look_at(take: str, values: dict[str, int]) -> int:
    with transaction.atomic():
        ids = fetch_column(sql(take), values)
        if ids:
            rows = [_searchable(row) for row in fetch_dicts(sql("searching.texts"), {"ids": ids})]
            execute(sql("searching.keep"), {"rows": json.dumps(rows), "rules": rules()})
    return len(ids)


def _searchable(row: dict[str, Any]) -> dict[str, Any]:
    """The row's texts masked, NULL where nothing is; and the hashes of what is masked."""
    masker = _masker()
    texts = {
        "names": masker.text(row["names"]),
        "reason": masker.text(row["reason"] or ""),
        "payload": masker.json(row["payload"] or ""),
    }
    kept = {
        name: None if text == (row[name] or "") else _MARK.sub(r"‹\1›", text) for name, text in texts.items()
    }
    marks = {_number(mark) for text in texts.values() for _kind, mark in _MARK.findall(text)}
    return {"id": row["id"], "marks": sorted(marks), **kept}


@cache
def _masker() -> _SearchMasker:
    return _SearchMasker()


@cache
def rules() -> str:
    """What masks, and by which key."""
    words = "\0".join([_VERSION, str(settings.DLQ_MASKING), *sorted(settings.DLQ_MASKED_KEYS)])
    return hmac.digest(gate.key("search"), words.encode(), hashlib.sha256).hex()[:16]


def _taken_apart(text: str) -> tuple[str, list[int]]:
    """The text with plain placeholders, and the numbers of the hashes that stood in them."""
    marks = sorted({_number(mark) for _kind, mark in _MARK.findall(text)})
    return _MARK.sub(r"‹\1›", text), marks


def _hash(value: str) -> str:
    """The same for every way of writing a value: spaces, dashes and capitals aside."""
    plain = _SPACES.sub("", value).casefold() or value
    return hmac.digest(gate.key("search"), plain.encode("utf-8", "surrogatepass"), hashlib.sha256).hex()[:16]


def _number(mark: str) -> int:
    """As a bigint of PostgreSQL."""
    return int.from_bytes(bytes.fromhex(mark), signed=True)


def _like(text: str) -> str:
    return f"%{connection.ops.prep_for_like_query(text)}%"


def _condition(name: str, *values: object) -> Q:
    return Q(RawSQL(sql(f"searching.{name}"), values, output_field=BooleanField()))  # noqa: S611
