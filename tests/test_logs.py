"""What operators read: one form for our lines and those of libraries; no variables in tracebacks."""

import errno
import io
import json
import logging
import sys
import warnings
from collections.abc import Iterator

import pytest
import structlog

from zhangfang import logs
from zhangfang.config import Settings


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()
    logging.captureWarnings(capture=False)
    root.handlers[:], root.level = handlers, level


def settings(log_format: str, log_level: str = "info") -> Settings:
    """Settings that only say how to log."""
    return Settings(log_format=log_format, log_level=log_level)


def test_json_lines_have_event_level_time_and_context(capsys: pytest.CaptureFixture[str]) -> None:
    logs.set_up(settings("json"), worker=3)

    structlog.get_logger().info("serving", port=1, name="账房")

    written = capsys.readouterr()
    line = json.loads(written.err)
    assert written.out == ""
    assert (line["event"], line["level"], line["worker"], line["name"]) == ("serving", "info", 3, "账房")
    assert line["timestamp"].endswith("Z")
    assert "账房" in written.err


def test_lines_of_libraries_and_warnings_look_like_ours(capsys: pytest.CaptureFixture[str]) -> None:
    logs.set_up(settings("json"))

    logging.getLogger("some.library").warning("slow: %s", 7)
    logging.getLogger("some.library").info("chatter")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(capture=True)
        warnings.warn("old", DeprecationWarning, stacklevel=1)

    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [each["logger"] for each in lines] == ["some.library", "py.warnings"]
    assert lines[0]["event"] == "slow: 7"


def test_what_is_below_the_level_is_not_written(capsys: pytest.CaptureFixture[str]) -> None:
    logs.set_up(settings("json", "error"))

    structlog.get_logger().warning("slow")

    assert capsys.readouterr().err == ""


def test_libraries_are_heard_in_full_at_debug(capsys: pytest.CaptureFixture[str]) -> None:
    logs.set_up(settings("console", "debug"))

    logging.getLogger("some.library").debug("chatter")

    assert "chatter" in capsys.readouterr().err


@pytest.mark.parametrize("log_format", ["json", "console"])
def test_a_traceback_does_not_tell_what_variables_held(log_format: str, capsys: pytest.CaptureFixture[str]) -> None:
    logs.set_up(settings(log_format))

    def settle(balance: int) -> None:
        raise KeyError("hand")

    try:
        settle(balance=987654321)
    except KeyError:
        structlog.get_logger().exception("failed")

    written = capsys.readouterr().err
    assert "KeyError" in written
    assert "settle" in written
    assert "balance=987654321" in written  # the line of source in the frame …
    assert written.count("987654321") == 1  # … and no value of a variable


class FullDisk(io.StringIO):
    """A stream that takes nothing."""

    refused = 0

    def write(self, text: str) -> int:
        self.refused += 1
        raise OSError(errno.ENOSPC, "No space left on device", text)


def test_a_line_that_cannot_be_written_is_lost_and_stops_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    full = FullDisk()
    monkeypatch.setattr(sys, "stderr", full)
    logs.set_up(settings("json"))

    structlog.get_logger().error("store_failed")

    assert full.refused
