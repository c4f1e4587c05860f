"""The declaration of playbooks: the places where they plug in."""

from dlqconsole.features import ArgumentLookup, Feature, FilterLink, Link, Tick
from dlqconsole.processing.inputs.sentences import Sentence

_HERE = "dlqconsole.contrib.playbooks"

FEATURE = Feature(
    name="playbooks",
    addresses=f"{_HERE}.pages.urls",
    navigation=Link("playbooks", Sentence("Playbooks"), own="playbook"),
    filter_link=FilterLink("playbook_new", Sentence("Make a playbook of this filter…")),
    cards={"group": f"{_HERE}.pages.cards.on_group", "overview": f"{_HERE}.pages.cards.on_overview"},
    lookups=(
        ArgumentLookup("playbook_id", f"{_HERE}.principal.visible", Sentence("There is no playbook {}.")),
    ),
    actor_address=f"{_HERE}.pages.cards.actor_address",
    audit_subject=(Sentence("Playbooks"), ("playbook",)),
    audit_words=f"{_HERE}.pages.cards.WORDS",
    ticks=(Tick("look at the playbooks", "playbooks.tick", f"{_HERE}.tick.tick", 5.0),),
)
