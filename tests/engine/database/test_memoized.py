"""What a page asks the database in several places is asked once, while it looks, and never longer."""

from django.db import connection
from django.test.utils import CaptureQueriesContext

from dlqconsole.engine import known_handlers
from dlqconsole.engine.database.memoized import memoized, memoizing


def test_an_answer_is_remembered_for_one_look_and_its_arguments():
    asked: list[int] = []

    @memoized
    def question(number: int) -> int:
        asked.append(number)
        return number + 1

    with memoizing():
        assert [question(1), question(1), question(2), question(number=2)] == [2, 2, 3, 3]
    assert asked == [1, 2, 2]
    assert question(1) == 2
    with memoizing():
        question(1)
    assert asked == [1, 2, 2, 1, 1]


def test_a_page_that_looks_asks_once_what_workers_handle_and_the_next_one_again(operator, letter):
    letter_id = letter(status="PENDING")
    for _page in range(2):
        with CaptureQueriesContext(connection) as queries:
            operator.get(f"/dead-letters/{letter_id}/")
        assert sum("FROM handler_reports" in query["sql"] for query in queries) == 1


def test_what_changes_something_sees_what_it_changed(db):
    assert known_handlers.live() == []
    known_handlers.ProcessHeartbeat(known_handlers.WORKER).beat()
    assert len(known_handlers.live()) == 1
