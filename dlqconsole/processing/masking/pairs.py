"""Values behind telling keys in free text: ``key=value`` and the other ways in which programs write that."""

import re
from collections.abc import Callable, Iterator

type KindOf = Callable[[str], str]
# the place of the key, start and end of the value, and its kind
type Span = tuple[int, int, int, str]

# a key in free text, perhaps quoted, perhaps within quoted JSON, and what separates it from its value
_PAIR = re.compile(
    r"(?<![\w.-])([\w-][\w.-]{0,199}+)\\{0,3}[\"']?[ \t]{0,8}(?:=>|: ?=|[:=])[ \t]{0,8}(?=[^\s])"
)
_QUOTED = re.compile(
    r"(\\{0,3}[\"'])(?:(?<=\\[\"'])[^\"'\n]*+|(?:[^\"'\\\n]++|\\.|(?!\1)[\"'])*+)(?:\\{0,3}[\"'])?"
)
_WORD = re.compile(r"[^\s,;&\"'{}()\[\]<>]++")
# a secret may hold a comma: it ends where another key begins
_SECRET = re.compile(r"(?:[^\s,;&\"'{}()\[\]<>]|[,;](?![\s\"'{}()\[\]]|\Z|[\w.-]{1,40}\\{0,3}[\"']?[=:]))++")
_LINE = re.compile(r"[^\r\n]++")
_PHRASE = re.compile(r"[^\r\n,;&\"'{}()\[\]<>=]++")
# digits in groups, as people write them: 030 1234567, +49 (30) 123456, DE89 3704 0044, GB29 NWBK 6016
_GROUPS = re.compile(
    r"(?:\([0-9+]{1,6}\) ?)?[^\s,;&\"'{}()\[\]<>]++"
    r"(?:[ ]?[( ]\(?(?:[0-9]{2}|[A-Z]{4} [0-9]{2})(?:[0-9A-Z]|[./-](?=[0-9A-Z]))*+\)?(?![\w:]))*+"
)
# the class of an error at the beginning of a reason: "CardDeclined: insufficient funds"
_FAILURE = re.compile(
    r"(?:\w+\.)*+[A-Z](?=\w*[a-z])\w*?"
    r"(?:Blocked|Bounced|BoxFull|Busy|Cancell?ed|Closed|Conflict|Declined|Denied|Down|Duplicate|Exceeded|Expired"
    r"|Failed|Failure|Fault|Gone|Invalid|Locked|Lost|Mismatch|Missing|Not(?:Delivered|Found)|Refused|Rejected"
    r"|TimedOut|Timeout|Unavailable|Unknown|Unreachable|Violation): "
)
_WHOLE_LINE = ("authorization", "cookie")
_NUMBERS = ("card", "iban", "national id", "phone")
_PHRASES = ("name", "address")
# the kind of the keys that a team added
OF_TEAM = "masked"
SECRETS = ("password", "secret", "token")
_NO_VALUES = ("true", "false", "null", "None")

# {"name": "password", "value": "x"}
NAMES = frozenset(("name", "key", "field", "header", "param", "parameter", "attribute", "k"))
VALUES = frozenset(("value", "val", "Value", "Val"))
_NAMED = re.compile(
    r"(?i:[\"'](?:name|key|field|header|param|parameter|attribute|k)\\{0,3}[\"'])\s{0,8}[:=]>?\s{0,8}"
    r"\\{0,3}[\"']([^\"'\\]{1,100})\\{0,3}[\"']\s{0,8},\s{0,8}\\{0,3}"
    r"[\"'][Vv]al(?:ue)?\\{0,3}[\"']\s{0,8}[:=]>?\s{0,8}"
)
# ('Authorization', 'x')
_LISTED = re.compile(r"[\[(]\s{0,8}\\{0,3}[\"']([\w .-]{2,100})\\{0,3}[\"']\s{0,8},\s{0,8}(?=\\{0,3}[\"'])")
_ELEMENT = re.compile(r"<(?:[\w-]{1,50}:)?([\w.-]{1,100}+)(?:\s[^<>]{0,300})?>(?=([^<>]++)</)")
_OPTION = re.compile(r"(?<![\w-])--([A-Za-z][\w-]{2,60}+)[ \t]{1,4}(?=[^\s-])")
_USER = re.compile(
    r"(?<![\w-])(?:-u |--user[ =]|--proxy-user[ =])[ ]{0,2}[\"']?[^\s:\"'=]{1,100}+:(?=([^\s\"']++))"
)


def mask_pairs(text: str, kind_of: KindOf, replace: Callable[[str, str], str]) -> str:
    """Replace values behind ``key:``, ``key=`` and ``key =>``."""
    return _replace(text, _pairs(text, kind_of), replace)


def mask_other_pairs(text: str, kind_of: KindOf, replace: Callable[[str, str], str]) -> str:
    """Replace values that are told apart from their key: of elements, options and lists."""
    for may_be, finder in _FINDERS:
        if may_be(text):
            text = _replace(text, finder(text, kind_of), replace)
    return text


def may_hold_other(text: str, kind_of: KindOf) -> bool:
    """A quick look at a text or at JSON: False where there certainly is no such value."""
    if "<" in text and ("</" in text or "<\\" in text):
        return True
    if ("-u " in text or "-user" in text) and _ANY_USER.search(text):
        return True
    if "--" in text and any(kind_of(word) for word in _OPTION_NAME.findall(text)):
        return True
    if '"' not in text and "'" not in text:
        return False
    names = _ANY_NAMED.findall(text) if "val" in text or "Val" in text else []
    names += _ANY_LIST.findall(text) + _ANY_TUPLE.findall(text)
    return any("\\" in name.rstrip("\\") or kind_of(name.rstrip("\\")) for name in names)


_OPTION_NAME = re.compile(r"--([A-Za-z][\w-]{2,60}+)")
_ANY_USER = re.compile(r"(?:-u |--user[ =]|--proxy-user[ =])[ ]{0,2}[\"']?[^\s:\"'=]{1,100}+:")
_ANY_NAMED = re.compile(
    r"(?i:[\"'](?:name|key|field|header|param|parameter|attribute|k)\\*[\"'])[\s\\nrt:=>]*[\"']([^\"']*)"
)
_ANY_LIST = re.compile(r"\[[\s\\nrt]*[\"']([^\"']*)[\"'][\s\\nrt]*,")
_ANY_TUPLE = re.compile(r"\([\s\\nrt]*[\"']([^\"']*)[\"'][\s\\nrt]*,")


def _replace(text: str, spans: Iterator[Span], replace: Callable[[str, str], str]) -> str:
    pieces, position = [], 0
    for key_start, start, end, kind in spans:
        if key_start >= position and start < end and text[start:end] not in _NO_VALUES:
            pieces += [text[position:start], replace(kind, text[start:end])]
            position = end
    return "".join((*pieces, text[position:]))


def _pairs(text: str, kind_of: KindOf) -> Iterator[Span]:
    for match in _PAIR.finditer(text):
        if (kind := kind_of(match[1])) and not (match.start() == 0 and _names_failure(text, kind)):
            yield match.start(), *value_span(text, match.end(), kind), kind


def _names_failure(text: str, kind: str) -> bool:
    """Tell whether the text begins with the class of an error; a secret's key, or a team's, always counts."""
    return kind not in (OF_TEAM, *SECRETS, *_WHOLE_LINE) and _FAILURE.match(text) is not None


def _named_pairs(text: str, kind_of: KindOf) -> Iterator[Span]:
    for match in _NAMED.finditer(text):
        if kind := kind_of(match[1]):
            yield match.start(), *value_span(text, match.end(), kind), kind


def _list_pairs(text: str, kind_of: KindOf) -> Iterator[Span]:
    for match in _LISTED.finditer(text):
        if (kind := kind_of(match[1])) in (*SECRETS, *_WHOLE_LINE):
            yield match.start(), *value_span(text, match.end(), kind), kind


def _elements(text: str, kind_of: KindOf) -> Iterator[Span]:
    for match in _ELEMENT.finditer(text):
        if kind := kind_of(match[1]):
            yield match.start(), *match.span(2), kind


def _options(text: str, kind_of: KindOf) -> Iterator[Span]:
    for match in _OPTION.finditer(text):
        if (kind := kind_of(match[1])) in SECRETS:
            yield match.start(), *value_span(text, match.end(), kind), kind


def _users(text: str, kind_of: KindOf) -> Iterator[Span]:
    for match in _USER.finditer(text):
        # "-u 1000:1000" are a user and a group of a machine
        if not match[1].isdigit():
            yield match.start(), *match.span(1), "password"


_FINDERS: tuple[tuple[Callable[[str], bool], Callable[[str, KindOf], Iterator[Span]]], ...] = (
    (lambda text: '"' in text or "'" in text, _named_pairs),
    (lambda text: ('"' in text or "'" in text) and ("[" in text or "(" in text), _list_pairs),
    (lambda text: "</" in text, _elements),
    (lambda text: "-" in text, _options),
    (lambda text: "-u" in text, _users),
)


def value_span(text: str, start: int, kind: str) -> tuple[int, int]:
    """Return the start and the end of the value that is written from ``start`` on."""
    if quotation := _QUOTED.match(text, start):
        opening = len(quotation[1])
        whole = quotation[0]
        closing = opening if len(whole) >= 2 * opening and whole.endswith(quotation[1]) else 0
        return start + opening, quotation.end() - closing
    match = _pattern(kind).match(text, start)
    return (start, start + len(match[0].rstrip())) if match else (start, start)


def _pattern(kind: str) -> re.Pattern[str]:
    if kind in SECRETS:
        return _SECRET
    if kind in _NUMBERS:
        return _GROUPS
    return _LINE if kind in _WHOLE_LINE else _PHRASE if kind in _PHRASES else _WORD
