"""One judge, a process beside its server: answers bundles of questions in their order and ends when the server does."""

import gc
import socket
from contextlib import suppress

from zhangfang.beside import digest_of_code, messages_of, pack, server_of_this_process
from zhangfang.judges.ruling import Question, answer, flatten

JUDGING = ("contract", "judges", "rules", "wire")
"""The parts of the package that make a ruling what it is."""

CODE = digest_of_code(JUDGING)


def serve(server: socket.socket) -> None:
    """Says what code it runs, and answers until the server ends."""
    server.sendall(pack(CODE))
    for bundle in messages_of(server):
        server.sendall(pack([flatten(answer(Question(*question))) for question in bundle]))


def main() -> None:
    """A judge's life."""
    server = server_of_this_process()
    gc.freeze()
    with suppress(ConnectionError):  # the server ended while an answer was on its way
        serve(server)


if __name__ == "__main__":
    main()
