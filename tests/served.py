"""``python -m tests.served``: serves as the environment says, prints its two ports, exits as the command line does."""

import sys

import structlog
import uvloop

from zhangfang.api.server import CannotStartError, Server, StoreError
from zhangfang.config import Settings


def main() -> int:
    """Serve until told to stop."""
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))

    def announce(server: Server) -> None:
        print(server.port, server.metrics_port, flush=True)

    try:
        uvloop.run(Server(Settings()).run(on_ready=announce))
    except (CannotStartError, StoreError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
