"""The declaration of rehearsals: the places where they plug in."""

from dlqconsole.features import Feature

_HERE = "dlqconsole.contrib.rehearsals"

FEATURE = Feature(
    name="rehearsals",
    cards={"receipt": f"{_HERE}.receipt.card"},
    operation_kinds=(f"{_HERE}.kind.Rehearse",),
    passed_option=f"{_HERE}.option.REHEARSAL",
    filter_parts=(f"{_HERE}.filter_part.REHEARSED",),
    jobs=(f"{_HERE}.job.RehearseJob",),
)
