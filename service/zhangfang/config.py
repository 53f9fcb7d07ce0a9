"""Configuration: environment variables with the prefix ``ZHANGFANG_``, checked when the process starts."""

from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Everything that can be configured. ``zhangfang serve --help`` shows the same."""

    model_config = SettingsConfigDict(env_prefix="ZHANGFANG_", extra="ignore")

    database_url: str = Field(
        "sqlite:///var/zhangfang.db", description="Where the log is: sqlite:///… or postgresql://…"
    )
    host: Annotated[str, AfterValidator(lambda host: host.strip("[]"))] = Field(
        "127.0.0.1", min_length=1, description="Address to listen on."
    )
    port: int = Field(50051, ge=0, le=65535, description="gRPC port; 0 takes a free one.")
    metrics_port: int = Field(9464, ge=0, le=65535, description="HTTP port of /metrics; 0 takes a free one.")
    reader_count: int = Field(8, ge=1, le=64, description="Questions answered at once, each on its own connection.")
    judges: int | None = Field(
        None,
        ge=0,
        le=64,
        description="Processes that judge hands beside this one; by default one for every further core, at most 4, "
        "and none with --workers.",
    )
    writer: str = Field(
        "auto",
        pattern="^(auto|process|thread)$",
        description="Where commands are written: in a process beside this one, or in a thread of it; auto is a process "
        "if there are judges.",
    )
    statement_seconds: int = Field(
        30, ge=1, le=600, description="Seconds the store may take for one statement before callers get UNAVAILABLE."
    )
    queue_max: int = Field(4096, ge=1, le=100_000, description="Commands that may wait before RESOURCE_EXHAUSTED.")
    stream_in_flight_max: int = Field(1024, ge=1, le=100_000, description="Hands of one SettleHands stream at work.")
    message_bytes_max: int = Field(4 * 1024 * 1024, ge=65_536, description="Largest request accepted, bytes.")
    drain_seconds: int = Field(20, ge=0, le=600, description="How long calls may take to finish after SIGTERM.")
    log_level: str = Field("info", pattern="^(debug|info|warning|error)$", description="debug, info, warning or error.")
    log_format: str = Field("console", pattern="^(console|json)$", description="console or json.")
