"""A token that no client could send is refused at the start, not by every request."""

import pytest

from dlqconsole.configuration.reading import BadSettings, read_settings
from dlqconsole.configuration.setting import Reader


@pytest.mark.parametrize("junk", ["é", "two words", "a,b", "=", "a=b"])
def test_a_token_that_no_client_could_send_is_refused_and_not_said(environment, junk):
    environment["DLQ_METRICS_TOKEN"] = junk
    with pytest.raises(BadSettings) as refused:
        read_settings(Reader.DJANGO)
    (sentence,) = refused.value.problems
    assert sentence.startswith("DLQ_METRICS_TOKEN cannot be used. It must be of letters")
