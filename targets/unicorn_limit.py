"""Stops an emulation in unicorn that does not end, by the CPU time of this process.

In: an engine. Out: a context in which `emu_start` returns early once the limit is reached; the program counter then
says that it did. Unicorn's own limit goes by the clock, which runs out on a busy computer.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

LONGEST_LOOK_S = 0.5  # between two looks at the clock


@contextmanager
def stop_after(engine: Any, limit_s: float) -> Iterator[None]:
    """Stop `engine` once this process has computed for `limit_s` CPU seconds from now."""
    ended = threading.Event()
    end = time.process_time() + limit_s

    def watch() -> None:
        while not ended.wait(min(LONGEST_LOOK_S, limit_s / 4)):
            if time.process_time() > end:
                engine.emu_stop()

    watcher = threading.Thread(target=watch, name="limit of an emulation", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
