"""What operators read: one line an occurrence on stderr, for people or as JSON.

Nothing at level info names a player's silver: tracebacks are printed without the values of variables.
"""

import logging
import sys
from contextlib import suppress
from typing import Any, TextIO, cast

import structlog

from zhangfang.config import Settings

LEVELS = logging.getLevelNamesMapping()


class Unfailing:
    """A stream that loses what cannot be written, on a full disk or into a closed pipe: settling goes on without."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        """Writes, or not."""
        with suppress(OSError):
            self._stream.write(text)

    def flush(self) -> None:
        """Flushes, or not."""
        with suppress(OSError):
            self._stream.flush()


def set_up(settings: Settings, **context: object) -> None:
    """Sends all logging to stderr as the settings say; ``context`` is added to every line, e.g. ``worker=1``.

    Libraries speak through the standard library; their lines, and Python's warnings, look like ours. They are heard
    from level warning on, or all of them when the service runs at debug.
    """
    level = LEVELS[settings.log_level.upper()]
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, *_rendering(settings.log_format)],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        # A line and its end in one write: workers share a stderr.
        logger_factory=structlog.WriteLoggerFactory(cast("TextIO", Unfailing(sys.stderr))),
        cache_logger_on_first_use=False,
    )
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(**context)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, structlog.stdlib.add_logger_name],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_rendering(settings.log_format)],
        )
    )
    logging.basicConfig(level=level if level == logging.DEBUG else logging.WARNING, handlers=[handler], force=True)
    logging.captureWarnings(capture=True)


def _rendering(log_format: str) -> list[Any]:
    if log_format == "json":
        return [
            structlog.processors.format_exc_info,  # a traceback as text: frames without their variables
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ]
    plain = structlog.dev.plain_traceback  # the default would print the variables of every frame
    return [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=plain)]
