"""The people who have the same page open now. Its live updates keep it up to date, and note the visit."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from typing import Concatenate

from django.http import HttpRequest, HttpResponseBase

from dlqconsole.console.access.permissions import actor
from dlqconsole.console.parts.responses import page
from dlqconsole.engine.gate import Shown
from dlqconsole.engine.moments import duration
from dlqconsole.people.names import named
from dlqconsole.people.visits import Visit, visit
from dlqconsole.processing.texts import visible

# the element that asks for its visitors alone: live.js
_ASKED_FOR = "here"
_EDIT = "dead_letter_edit"
_NEARBY = {"dead_letter": _EDIT, _EDIT: "dead_letter"}
_MINUTE = 60

type View[**P] = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


@dataclass(frozen=True, slots=True)
class Visitors:
    """``editors`` of the dead letter, and other ``readers``: their names, and since when they are there."""

    editors: str
    readers: str
    # what is said aloud: it changes with the people, not with each minute
    names: str

    @classmethod
    def of(cls, request: HttpRequest) -> "Visitors":
        """Note this person's visit, and return the others."""
        name, number = _noun(request)
        nearby = _NEARBY.get(name)
        visits = visit(f"{name}:{number}", actor(request), f"{nearby}:{number}" if nearby else "")
        editors = [each for each in visits if each.page.startswith(_EDIT)]
        editing = {each.actor for each in editors}
        readers = [each for each in visits if each.actor not in editing]
        return cls(_words(editors), _words(readers), _names(each.actor for each in (*editors, *readers)))


def names_visitors[**P](view: View[P]) -> View[P]:
    """Answer with the visitors alone where the page asks for no more; they need none of its other queries."""

    @wraps(view)
    def answer(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if request.method == "GET" and request.headers.get("HX-Target") == _ASKED_FOR:
            return page(request, "console/parts/visitors.html", {})
        return view(request, *args, **kwargs)

    return answer


def _noun(request: HttpRequest) -> tuple[str, int]:
    """The address's name and number."""
    match = request.resolver_match
    (number,) = match.kwargs.values() if match else (0,)
    return (match.url_name or "" if match else ""), number


def _words(visits: Iterable[Visit]) -> str:
    """``ines, 2 min; bo``."""
    return Shown("; ".join(map(_visitor, visits)))


def _visitor(each: Visit) -> str:
    name = _names([each.actor])
    return f"{name}, {duration(each.seconds)}" if each.seconds >= _MINUTE else name


def _names(actors: Iterable[str]) -> str:
    return Shown("; ".join(visible(named(each)) for each in actors))
