"""A token that no client could send is refused at the start, not by every request."""

import pytest


@pytest.mark.parametrize("junk", ["é", "two words", "a,b", "=", "a=b"])
def test_a_token_that_no_client_could_send_is_refused_and_not_said(refusal, junk):
    assert refusal("DLQ_METRICS_TOKEN", junk).startswith(
        "DLQ_METRICS_TOKEN cannot be used. It must be of letters"
    )
