"""Coroutines in tests whose thread may have a loop already: a browser's, once one was driven there."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def run[Result](coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Run it to its end, in a thread of its own."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()
