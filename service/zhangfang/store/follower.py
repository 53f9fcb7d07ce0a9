"""Following the log: woken by appends of this process, and looking for those of others every few milliseconds."""

from collections.abc import Callable, Sequence
from threading import Event, Lock, Thread

import structlog
from eventsourcing.persistence import ApplicationRecorder, ListenNotifySubscription

log = structlog.get_logger()

POLL_SECONDS = 0.05


class Wakeup:
    """A bell that rings after every append of this process; each listener is called from the appending thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._listeners: set[Callable[[], None]] = set()

    def add(self, listener: Callable[[], None]) -> None:
        """Calls ``listener`` after every append from now on."""
        with self._lock:
            self._listeners.add(listener)

    def remove(self, listener: Callable[[], None]) -> None:
        """Calls ``listener`` no more."""
        with self._lock:
            self._listeners.discard(listener)

    def notify(self) -> None:
        """Rings. A listener that fails hurts nobody: what was appended is on disk already."""
        with self._lock:
            listeners = list(self._listeners)
        for listener in listeners:
            try:
                listener()
            except Exception:  # whoever appended answers for the append alone
                log.exception("follower_not_woken")


class LogSubscription(ListenNotifySubscription[ApplicationRecorder]):
    """The library's blocking iterator over the log, for SQLite and PostgreSQL alike.

    It reads on when this process has appended, and every ``POLL_SECONDS`` for what other processes have.
    """

    def __init__(
        self, recorder: ApplicationRecorder, wakeup: Wakeup, gt: int | None = None, topics: Sequence[str] = ()
    ) -> None:
        self._wakeup = wakeup
        self._poll_stopped = Event()
        super().__init__(recorder=recorder, gt=gt, topics=topics)
        self._wakeup.add(self._has_been_notified.set)
        self._poll_thread = Thread(target=self._poll, daemon=True, name="log-poll")
        self._poll_thread.start()

    def stop(self) -> None:
        """Ends the iteration, also one that is blocked."""
        self._poll_stopped.set()
        self._wakeup.remove(self._has_been_notified.set)
        super().stop()

    def _poll(self) -> None:
        while not self._poll_stopped.wait(POLL_SECONDS):
            self._has_been_notified.set()
