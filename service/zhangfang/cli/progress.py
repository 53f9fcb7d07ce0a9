"""A progress bar on stderr for work that walks the log; silent where nobody looks."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


@contextmanager
def progress_bar(description: str) -> Iterator[Callable[[int, int], None]]:
    """Shows how far the work is; the block calls it with the position reached and the last one."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task(description, total=None)

        def show(position: int, last_position: int) -> None:
            progress.update(task, completed=position, total=last_position or None)

        yield show
