"""Numbers between two bounds: counts, measures, rates, durations, the numbers of rows."""

from typing import Any

from dlqconsole.console.parts.fields.typed import TypedField
from dlqconsole.processing.inputs.durations import as_wait, read_wait
from dlqconsole.processing.inputs.numbers import LARGEST, read_count, read_measure


class CountField(TypedField):
    """A whole number from ``low`` to ``high``: 14212, 14,212 and 14 212 are the same. None when empty."""

    def __init__(self, *, low: int = 0, high: int = LARGEST, **options: Any) -> None:
        super().__init__(**options)
        self.low, self.high = low, high
        self.error_messages["required"] = f"{self.what} must be a whole number; nothing was given."

    def read(self, text: str) -> int:
        return read_count(text, self.what, self.low, self.high)

    def widget_attrs(self, widget: Any) -> dict[str, Any]:
        return {} if widget.is_hidden else {"inputmode": "numeric", "autocomplete": "off"}


class NumberField(TypedField):
    """A number from ``low`` to ``high``, perhaps with a fraction. None when empty."""

    def __init__(self, *, low: float, high: float, **options: Any) -> None:
        super().__init__(**options)
        self.low, self.high = low, high
        self.error_messages["required"] = f"{self.what} must be a number; nothing was given."

    def read(self, text: str) -> float:
        return read_measure(text, self.what, self.low, self.high)

    def widget_attrs(self, widget: Any) -> dict[str, Any]:
        return {} if widget.is_hidden else {"inputmode": "decimal", "autocomplete": "off"}


class RateField(CountField):
    """Items a second. Empty is None: as fast as it goes."""

    def __init__(self, *, high: int, low: int = 1, **options: Any) -> None:
        super().__init__(low=low, high=high, **{"what": "The rate", "required": False} | options)


class DurationField(CountField):
    """A length of time in whole seconds, at most a day unless said otherwise."""

    def __init__(self, *, low: int = 0, high: int = 86_400, **options: Any) -> None:
        super().__init__(low=low, high=high, **options)


class WaitField(TypedField):
    """A length of time as people write it, in seconds: 30s, 90m, 6h. None when empty."""

    def read(self, text: str) -> float:
        return read_wait(text, self.what)

    def prepare_value(self, value: Any) -> Any:
        return as_wait(value) if isinstance(value, float) else super().prepare_value(value)

    def widget_attrs(self, widget: Any) -> dict[str, Any]:
        return {} if widget.is_hidden else {"autocomplete": "off"}


class ItemIdField(CountField):
    """The number of a row, as in the address of its page."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"low": 1} | options)
