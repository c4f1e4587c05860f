"""What happens to a dead letter time and again, in one step: else few histories would come to it."""

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.histories.contents import Named
from tests.histories.ledger import STANDING
from tests.histories.rules.attached import Attached
from tests.histories.rules.base import ATTACHED, OUTCOMES, PLACES, REMOTE, at
from tests.histories.rules.people import People
from tests.histories.rules.producers import Producers


class Again(Producers, People, Attached):
    """Revived and consumed; sent and consumed once more."""

    @precondition(lambda self: any(one.status in STANDING for one in self.letters))
    @rule(place=PLACES, outcome=OUTCOMES)
    def revive_and_consume(self, place, outcome):
        letter = at(place, [one for one in self.letters if one.status in STANDING])
        self.call_dead_letter_revive(self.letters.index(letter))
        [message] = self.ledger.of_letter(letter)
        if message.queue == ATTACHED:
            self.relay()
            self.consume(self.pgmq, REMOTE, outcome)
        else:
            self.consume(self.native, message.queue, outcome)

    @precondition(lambda self: any(one.key for one in self.letters))
    @rule(place=PLACES, variant=st.sampled_from([1, 2]), outcome=OUTCOMES, theirs=st.booleans())
    def the_same_event_again(self, place, variant, outcome, theirs):
        letter = at(place, [one for one in self.letters if one.key])
        if theirs:
            self.send_to_theirs(Named(letter.key, variant))
            self.consume(self.pgmq, REMOTE, outcome)
        else:
            self.send(Named(letter.key, variant), "order.created", 0.0, None)
            self.consume(self.native, "order.created", outcome)
