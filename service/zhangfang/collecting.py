"""The garbage collector, told what kind of process a server is.

Nearly everything a call makes goes away by counting references; the collector looks for the rest after every few
hundred objects, and each look costs whoever is waiting. What was there before the first call never goes away at all.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

THRESHOLDS = (10_000, 20, 50)
"""Objects between looks at the youngest, and how many of those looks between looks at the older ones."""


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Leaves alone what is there already and looks at the rest more seldom, while the ``with`` block runs."""
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
