"""``/metrics``: nothing older than the question."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from prometheus_client import CollectorRegistry, Counter, Gauge

from zhangfang.api.exposition import Exposition, Rendering

WAIT_SECONDS = 30


def test_a_page_is_never_older_than_the_question() -> None:
    registry = CollectorRegistry()
    counter = Counter("hands", "Hands.", registry=registry)
    rendering = Rendering(registry)

    pages = []
    for _ in range(3):
        counter.inc()
        pages.append(rendering.page("")[0].decode())

    assert [f"hands_total {number}.0" in page for number, page in enumerate(pages, 1)] == [True] * 3


def test_who_asks_while_it_is_rendered_gets_a_later_rendering() -> None:
    registry = CollectorRegistry()
    begun, go_on = Event(), Event()
    renderings = []

    def slowly() -> float:
        renderings.append(1)
        begun.set()
        assert go_on.wait(WAIT_SECONDS)
        return len(renderings)

    Gauge("renderings", "How many there were.", registry=registry).set_function(slowly)
    rendering = Rendering(registry)
    with ThreadPoolExecutor(16) as askers:
        first = askers.submit(rendering.page, "")
        assert begun.wait(WAIT_SECONDS)
        others = [askers.submit(rendering.page, "") for _ in range(15)]
        go_on.set()
        pages = {each.result(WAIT_SECONDS)[0] for each in others}

    assert b"renderings 1.0" in first.result()[0]
    assert first.result()[0] not in pages


def test_other_paths_are_not_found() -> None:
    exposition = Exposition(CollectorRegistry(), "127.0.0.1", 0)
    try:
        with pytest.raises(HTTPError, match="404") as refused:
            urlopen(f"http://127.0.0.1:{exposition.port}/secrets", timeout=WAIT_SECONDS)
        refused.value.close()
    finally:
        exposition.close()


def test_a_taken_port_is_refused() -> None:
    exposition = Exposition(CollectorRegistry(), "127.0.0.1", 0)
    try:
        with pytest.raises(OSError, match="in use"):
            Exposition(CollectorRegistry(), "127.0.0.1", exposition.port)
    finally:
        exposition.close()
