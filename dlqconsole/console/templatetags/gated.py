"""Django's filters that cut a text, masked before the cut: half an address must not slip through.

The settings make them built-in filters, in place of Django's own.
"""

from typing import Any
from unicodedata import normalize

from django import template
from django.template import defaultfilters

from dlqconsole.console.masking.templates import mask_value
from dlqconsole.engine.gate import Shown

register = template.Library()


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
