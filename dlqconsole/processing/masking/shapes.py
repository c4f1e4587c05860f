"""JSON texts of one shape: what the walk found out in one of them is done to the others without a walk.

A shape is all of a text but its strings and numbers that are values. It decides which of these a key betrays,
so the walk has to find that out once. The look of each value is looked at in each text, as ever. What a value
says of another one (``{"name": "password", "value": "x"}``) is no matter of the shape: such texts are left to
the walk, as is all that is no JSON. A test compares both ways.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from dlqconsole.processing.masking.json_walk import JsonWalk, MasksTokens, NotJson, Open, masked_scalar
from dlqconsole.processing.masking.pairs import NAMES, VALUES

# a key with its colon, or a value; what is between them is split off
_TOKENS = re.compile(
    r"(\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\"[ \t\r\n]*+:)|(\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\"|-?[0-9][0-9.eE+-]*+)",
    re.DOTALL,
)
# characters of a text, pieces that it is split into; shapes kept, some megabytes at the most, and those met
_LONGEST, _PIECES, _KEPT, _MET = 8_000, 600, 256, 4_096
_LITERALS = ("true", "false", "null")

type _Shape = tuple[int | str | None, ...]


@dataclass(frozen=True, slots=True)
class _Plan:
    """The places of the values: those that nothing betrays but their look, and those behind a telling key."""

    free: tuple[int, ...]
    told: tuple[tuple[int, str], ...]


_UNKNOWN = _Plan((), ())


class Shapes:
    """The shapes that one masker has met."""

    def __init__(self, masker: MasksTokens, is_plain: Callable[[str], bool]) -> None:
        self._masker, self._is_plain = masker, is_plain
        # None: the walk has to look at each text of this shape
        self._plans: dict[_Shape, _Plan | None] = {}
        # those met once, by their hashes: most of them are never met again
        self._met: set[int] = set()

    def masked(self, text: str, depth: int) -> str | None:
        """Mask a text whose shape is known; None: only the walk can."""
        if len(text) > _LONGEST:
            return None
        pieces = _TOKENS.split(text)
        if not 1 < len(pieces) <= _PIECES:
            return None
        shape = (depth, *pieces[::3], *pieces[1::3])
        plan = self._plans.get(shape, _UNKNOWN)
        if plan is _UNKNOWN:
            plan = self._learn(shape, text, pieces, depth)
        return None if plan is None else self._mask(plan, text, pieces, depth)

    def _learn(self, shape: _Shape, text: str, pieces: list[str], depth: int) -> _Plan | None:
        number = hash(shape)
        if number not in self._met:
            if len(self._met) >= _MET:
                self._met.clear()
            self._met.add(number)
            return None
        if len(self._plans) >= _KEPT:
            self._plans.clear()
        self._plans[shape] = plan = _plan(self._masker, text, pieces, depth)
        return plan

    def _mask(self, plan: _Plan, text: str, pieces: list[str], depth: int) -> str | None:
        masker = self._masker
        try:
            if not self._are_plain([pieces[place] for place in plan.free], depth):
                for place in plan.free:
                    pieces[place] = masked_scalar(masker, pieces[place], "", depth)
            for place, kind in plan.told:
                pieces[place] = masked_scalar(masker, pieces[place], kind, depth)
        except NotJson:
            return None
        result = "".join(filter(None, pieces))
        return text if result == text else result

    def _are_plain(self, tokens: list[str], depth: int) -> bool:
        """Tell whether certainly none of them is masked: as a list they are a JSON text of their own."""
        text = f"[0,{','.join(tokens)}]"
        return depth == 0 and "\\" not in text and self._is_plain(text)


class _NotingWalk(JsonWalk):
    """A walk that changes no value, and notes the kind that the key before it gave to each."""

    def __init__(self, masker: MasksTokens, text: str, depth: int) -> None:
        super().__init__(masker, text, depth)
        self.kinds: list[str] = []
        # the values of some texts of this shape tell what others are
        self.depends_on_values = False
        self._has_name = self._has_value = False

    def _scalar(self, word: str, kind: str) -> str:
        if word[0] in '"-0123456789' and word != "-Infinity":
            self.kinds.append(kind)
        elif kind and word not in _LITERALS:
            self.depends_on_values = True
        return word

    def _kind_behind(self, word: str, bracket: Open) -> str:
        kind = super()._kind_behind(word, bracket)
        self._has_value = self._has_value or bracket.key in VALUES
        return kind

    def _note_name(self, word: str, place: str, stack: list[Open]) -> None:
        """Note where another text may have the name of a key: also where this one has a number."""
        if not stack:
            return
        if stack[-1].bracket == "{":
            self._has_name = self._has_name or stack[-1].key.lower() in NAMES
        elif place == "first value" and len(stack) > 1 and stack[-2].bracket == "[":
            self.depends_on_values = True
        if self._has_name and self._has_value:
            self.depends_on_values = True


def _plan(masker: MasksTokens, text: str, pieces: list[str], depth: int) -> _Plan | None:
    """The plan for a text's shape; None where only the walk can mask such texts."""
    walk = _NotingWalk(masker, text, depth)
    try:
        walked = "".join(walk.pieces())
    except NotJson:
        return None
    places = [place for place in range(2, len(pieces), 3) if pieces[place] is not None]
    # a key that is masked itself is the walk's matter, too
    if walk.depends_on_values or walked != text or len(places) != len(walk.kinds):
        return None
    by_kind = list(zip(places, walk.kinds, strict=True))
    free = tuple(place for place, kind in by_kind if not kind)
    return _Plan(free, tuple((place, kind) for place, kind in by_kind if kind))
