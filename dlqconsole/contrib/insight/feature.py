"""The declaration of insight: the places where it plugs in."""

from dlqconsole.features import Feature, Link, Right, Tick
from dlqconsole.processing.inputs.sentences import Sentence

_HERE = "dlqconsole.contrib.insight"
_CONTENT = ("event_type", "source", "source_key", "payload", "payload_raw")
_ABOUT = ("masked", "was_dead_letter", "by_rate", "stands_for")

FEATURE = Feature(
    name="insight",
    addresses=f"{_HERE}.urls",
    navigation=Link("drift", Sentence("Changes"), own="drift"),
    sections={
        "common_ground": "groups",
        "differs": "overview",
        "first_dominoes": "groups",
        "nearest_success": "dead_letters",
    },
    cards={
        "chart": f"{_HERE}.pages.on_chart",
        "dead letter": f"{_HERE}.pages.on_dead_letter",
        "group payloads": f"{_HERE}.pages.on_group",
        "reports": f"{_HERE}.pages.on_reports",
    },
    ticks=(
        Tick("look for drift in payloads", "insight.look", f"{_HERE}.drift.tick", 300.0, is_quick=False),
        Tick("delete old samples", "insight.tidy", f"{_HERE}.samples.keeping.tidy", 300.0, is_quick=False),
    ),
    filter_parts=(f"{_HERE}.joining.REST_OF",),
    success_keeper=f"{_HERE}.samples.taking.SampleKeeper",
    successful_inputs=f"{_HERE}.samples.keeping.all_samples",
    forgetting=(
        "DELETE FROM success_samples s USING purged p"
        " WHERE s.source = p.source AND s.source_key = p.source_key",
        "DELETE FROM common_grounds WHERE group_id = ANY (ARRAY(SELECT DISTINCT group_id FROM purged))",
    ),
    rights={
        "pipeline": (
            Right("INSERT", "success_samples", (*_CONTENT, *_ABOUT)),
            Right("SELECT", "sample_policies"),
        ),
        "reader": (
            Right("SELECT", "success_samples", ("id", "event_type", "source", *_ABOUT, "sampled_at")),
            Right("SELECT", "sample_policies"),
        ),
    },
)
