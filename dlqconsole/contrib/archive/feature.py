"""The declaration of the archive: the places where it plugs in."""

from dlqconsole.features import Feature, Link, OtherPlace, Tick
from dlqconsole.processing.inputs.sentences import Sentence

_HERE = "dlqconsole.contrib.archive"

FEATURE = Feature(
    name="archive",
    addresses=f"{_HERE}.pages.urls",
    navigation=Link("archive", Sentence("Archive"), own="archive"),
    cards={
        "overview counts": f"{_HERE}.pages.cards.on_overview",
        "list": f"{_HERE}.pages.cards.on_list",
        "empty list": f"{_HERE}.pages.cards.on_empty_list",
    },
    other_place=OtherPlace(
        visible=f"{_HERE}.pages.letter.visible",
        page=f"{_HERE}.pages.letter.archived_page",
        payload=f"{_HERE}.pages.letter.archived_payload",
    ),
    audit_words=f"{_HERE}.pages.cards.WORDS",
    ticks=(Tick("ask for the archive's run", "archive.ask", f"{_HERE}.run.request_when_due", 600.0),),
    jobs=(f"{_HERE}.run.ArchiveJob",),
    metrics=f"{_HERE}.pages.cards.metrics",
    health=f"{_HERE}.pages.cards.check",
)
