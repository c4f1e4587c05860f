"""The declaration of rehearsals: the places where they plug in."""

from dlqconsole.features import Feature

_HERE = "dlqconsole.contrib.rehearsals"

FEATURE = Feature(
    name="rehearsals",
    cards={"receipt": f"{_HERE}.receipt.card"},
    operation_kinds=(f"{_HERE}.kind.Rehearse",),
    passed_option=f"{_HERE}.option.REHEARSAL",
    filter_parts=(f"{_HERE}.filter_part.REHEARSED",),
    jobs=(f"{_HERE}.kind.RehearseJob",),
    forgetting=(
        "DELETE FROM rehearsal_predictions WHERE (operation_id, dead_letter_id) IN ("
        "SELECT i.operation_id, i.dead_letter_id FROM operation_items i"
        " WHERE i.dead_letter_id = ANY (ARRAY(SELECT id FROM purged)))",
    ),
)
