"""Templates write out only values that have passed the gate.

Each ``{{ variable }}`` of every template, Django's own and the admin's too, is masked when it is written: a
page that forgets to mask shows a placeholder. Unchanged are numbers and times, HTML of our own tags,
``Shown`` texts, and the values of form fields, which this person typed or may edit.
"""

from collections.abc import Callable
from datetime import date, time, timedelta
from decimal import Decimal
from functools import partial
from typing import Any
from unicodedata import normalize

from django import template
from django.template import Origin, Template, defaultfilters
from django.template.base import NodeList, TokenType, VariableNode, render_value_in_context
from django.template.context import BaseContext
from django.template.loaders.cached import Loader as CachedLoader
from django.templatetags.i18n import BlockTranslateNode, TranslateNode
from django.utils.safestring import SafeString

from dlqconsole.engine.gate import Shown, shown

_NO_TEXT = (bool, int, float, Decimal, date, time, timedelta)
# of form fields: the value stands in an input
_INPUTS = ("django/forms/widgets/",)
register = template.Library()


class GatedVariable(VariableNode):
    """A variable of a template, masked when it is written."""

    def render(self, context: BaseContext) -> SafeString:
        try:
            value = self.filter_expression.resolve(context)  # type: ignore[arg-type]
        except UnicodeDecodeError:
            return SafeString("")
        value = mask_value(value)
        if type(value) is int:  # most values of a list are int; localizing one gives the same text
            return SafeString(value)
        return SafeString(render_value_in_context(value, context))  # type: ignore[arg-type]


def mask_value(value: Any) -> Any:
    """The value as a person may see it; a value that is no text stays as it is."""
    if value is None or isinstance(value, (Shown, *_NO_TEXT)) or hasattr(value, "__html__"):
        return value
    return shown(str(value))


class GatedExpression:
    """A value of a translated text, masked before it stands there. ``find``: the value in a context."""

    def __init__(self, find: Callable[[BaseContext], Any], var: Any = None) -> None:
        self.resolve = lambda context: mask_value(find(context))
        self.var = var  # Django marks it: what it names is translated


class Loader(CachedLoader):
    """Find templates as Django does, and mask every variable in them."""

    def get_template(self, template_name: str, skip: list[Origin] | None = None) -> Template:
        template = super().get_template(template_name, skip)
        if not getattr(template, "is_gated", False):
            if not template_name.startswith(_INPUTS):
                _gate(template.nodelist)
            template.is_gated = True  # type: ignore[attr-defined]
        return template


def _gate(nodes: NodeList) -> None:
    """Mask every variable among them, those within translated texts too."""
    for node in nodes.get_nodes_by_type(VariableNode):
        if type(node) is VariableNode:
            node.__class__ = GatedVariable
    for text in nodes.get_nodes_by_type(TranslateNode):
        _gate_text(text)
    for text in nodes.get_nodes_by_type(BlockTranslateNode):
        _gate_block(text)


# Any: Django's types name neither node's own attributes
def _gate_text(node: Any) -> None:
    node.filter_expression = GatedExpression(node.filter_expression.resolve, node.filter_expression.var)


def _gate_block(node: Any) -> None:
    """Mask what it was given by ``with``, and what it takes from the page; the counted number stays."""
    given = {name: GatedExpression(value.resolve) for name, value in node.extra_context.items()}
    tokens = [*node.singular, *(node.plural or ())]
    names = {token.contents for token in tokens if token.token_type == TokenType.VAR}
    expressions = {name: GatedExpression(partial(_named, name)) for name in names - {node.countervar}}
    node.extra_context = expressions | given


def _named(name: str, context: BaseContext) -> Any:
    return context.get(name, "")


@register.filter(is_safe=True)
def truncatechars(value: Any, length: Any) -> str:
    """At most so many characters, the ellipsis among them."""
    text = normalize("NFC", str(mask_value(value)))
    if len(text) <= int(length):  # the same result as Django's own, and most texts are short
        return Shown(text)
    return Shown(defaultfilters.truncatechars(text, length))


@register.filter(is_safe=True)
def truncatewords(value: Any, number: Any) -> str:
    """At most so many words."""
    return Shown(defaultfilters.truncatewords(mask_value(value), number))


@register.filter("slice", is_safe=True)
def slice_(value: Any, part: Any) -> Any:
    """A part of a text, or of a list."""
    result = defaultfilters.slice_filter(mask_value(value) if isinstance(value, str) else value, part)
    return Shown(result) if isinstance(result, str) else result
