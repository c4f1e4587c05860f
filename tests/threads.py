"""Threads that begin at the same moment. Each has a connection of its own, and its error is the test's."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier

from django.db import connection


def at_once[R](works: Sequence[Callable[[], R]]) -> list[R]:
    """Do all of it at once; what each returned, in order."""
    with meanwhile(works) as results:
        pass
    return results


@contextmanager
def meanwhile[R](works: Sequence[Callable[[], R]]) -> Iterator[list[R]]:
    """All of it goes on beside the block; afterwards the list has what each returned, in order."""
    start = Barrier(len(works))

    def begin(work: Callable[[], R]) -> R:
        try:
            start.wait(20)
            return work()
        finally:
            connection.close()

    results: list[R] = []
    with ThreadPoolExecutor(len(works)) as pool:
        begun = [pool.submit(begin, work) for work in works]
        yield results
        results += [each.result(120) for each in begun]
