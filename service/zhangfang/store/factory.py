"""Our recorder and mapper as a persistence module of the event-sourcing library."""

from time import time_ns
from typing import Any

from eventsourcing.persistence import (
    AggregateRecorder,
    ApplicationRecorder,
    InfrastructureFactory,
    ProcessRecorder,
    TrackingRecorder,
)

from zhangfang.store.database import Database
from zhangfang.store.mapper import EventMapper
from zhangfang.store.recorder import Clock, LogRecorder


class LogFactory(InfrastructureFactory[TrackingRecorder]):
    """Makes the log's recorder over one database.

    The environment variable ``DATABASE_URL`` of the application names it; ``adopt`` gives an open one instead.
    """

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self._database: Database | None = None
        self._clock: Clock = time_ns

    @property
    def database(self) -> Database:
        """The database, opened when it is first needed."""
        if self._database is None:
            self._database = Database(self.env.get("DATABASE_URL", "") or "")
        return self._database

    def adopt(self, database: Database, clock: Clock = time_ns) -> None:
        """Uses an open database, which whoever opened it closes, and a clock."""
        self._database = database
        self._clock = clock

    def mapper(self, transcoder: Any = None, mapper_class: Any = None) -> Any:
        """The protobuf mapper, whatever transcoder is offered."""
        return (mapper_class or EventMapper)(transcoder=transcoder)

    def application_recorder(self) -> ApplicationRecorder:
        """The recorder of the log."""
        return LogRecorder(self.database, clock=self._clock)

    def aggregate_recorder(self, purpose: str = "events") -> AggregateRecorder:
        """Streams are short: there are no snapshots to record."""
        raise NotImplementedError(f"there is no recorder for {purpose}")

    def tracking_recorder(self, tracking_recorder_class: Any = None) -> TrackingRecorder:
        """Projections run inside the append: there is nothing to track."""
        raise NotImplementedError

    def process_recorder(self) -> ProcessRecorder:
        """Projections run inside the append: there is no process to record."""
        raise NotImplementedError
