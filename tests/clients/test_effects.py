"""What a program did before it failed it does not do once more, and what nobody knows it does not guess."""

from uuid import uuid4

import dlq
import pytest
from dlq.effects import EffectUnknown, LedgerAway

CHARGE = "stripe.charge"


@pytest.fixture
def charged(init, reporter_url):
    """``charged(fails=…)`` handles an order once more; what was charged."""
    init(reporter_url())
    charges, order = [], str(uuid4())

    def handle(fails=None, before=None, **more):
        with dlq.effect(CHARGE, order, **more) as effect:
            if before:
                raise before
            if effect.needed:
                charges.append("charged")
        if fails:
            raise fails
        return charges

    return handle


def test_a_second_try_skips_what_the_first_one_did(charged):
    with pytest.raises(ConnectionError):
        charged(fails=ConnectionError("mail is away"))
    assert charged() == charged() == ["charged"]


def test_what_ended_in_an_error_is_unknown_and_not_guessed(charged):
    with pytest.raises(TimeoutError):
        charged(before=TimeoutError("no answer"))
    with pytest.raises(EffectUnknown, match="nobody knows whether it was done") as unknown:
        charged()
    assert unknown.value.category == "BUSINESS"


def test_an_error_that_says_that_nothing_happened_lets_the_next_one_do_it(charged):
    with pytest.raises(ConnectionRefusedError):
        charged(before=ConnectionRefusedError("no"), not_done=(ConnectionRefusedError,))
    assert charged() == ["charged"]


def test_a_connection_that_has_ended_is_made_anew(charged):
    charged()
    dlq._ledger._database._connection.close()
    assert charged() == ["charged"]


def test_without_the_ledger_nothing_is_done(init, reporter_url):
    init(reporter_url(port=1))
    with pytest.raises(LedgerAway), dlq.effect(CHARGE, "17"):
        raise AssertionError("it must not come so far")


def test_by_http_there_is_no_ledger_yet(init):
    init("http://token@127.0.0.1:1/")
    with pytest.raises(ValueError, match="effects need the console's database"), dlq.effect(CHARGE, "17"):
        raise AssertionError("it must not come so far")
