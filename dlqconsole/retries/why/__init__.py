"""The reasons why dead letters are not retried now, and until when: the same for one and for many.

A dead letter's page, the list, /schedules/, ``manage.py schedule`` and ``deadletters show`` all use it.
``answer`` is about one, ``why_not_counts`` about all within the scope, by the same reasons.
"""

from dlqconsole.retries.why.answers import Answer, answer
from dlqconsole.retries.why.circumstances import Circumstances
from dlqconsole.retries.why.counts import WhyNot, why_not_counts
from dlqconsole.retries.why.words import OFF

__all__ = ["OFF", "Answer", "Circumstances", "WhyNot", "answer", "why_not_counts"]
