"""The command line: ``zhangfang serve | demo | settle | …``."""

import os


def main() -> None:
    """The program ``zhangfang``."""
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # what the library has to say about a taken port, we say better
    from zhangfang.cli.application import application

    application()
