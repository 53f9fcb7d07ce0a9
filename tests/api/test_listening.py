"""Why a service cannot listen where it was told to: the sentence names the setting that is wrong."""

import errno
import os
import socket

import pytest

from zhangfang.api.listening import cannot_listen, why_not
from zhangfang.config import Settings

NOWHERE = "192.0.2.1"
"""An address that is kept free for examples (RFC 5737)."""


def os_error(number: int) -> OSError:
    return OSError(number, os.strerror(number))


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        pytest.param(
            os_error(errno.EADDRINUSE),
            "port 80 on h is taken, perhaps by another zhangfang; choose another with --port or ZHANGFANG_PORT",
            id="taken",
        ),
        pytest.param(
            None,
            "port 80 on h is taken, perhaps by another zhangfang; choose another with --port or ZHANGFANG_PORT",
            id="taken a moment ago",
        ),
        pytest.param(
            os_error(errno.EACCES),
            "port 80 on h cannot be used (Permission denied); choose another with --port or ZHANGFANG_PORT",
            id="not allowed",
        ),
        pytest.param(
            os_error(errno.EADDRNOTAVAIL),
            "this machine has no address h; choose another with --host or ZHANGFANG_HOST, 0.0.0.0 takes all",
            id="of another machine",
        ),
        pytest.param(
            socket.gaierror(socket.EAI_NONAME, "Name or service not known"),
            "h is no address (Name or service not known); choose another with --host or ZHANGFANG_HOST",
            id="no name",
        ),
    ],
)
def test_the_sentence_names_the_setting_that_is_wrong(error: OSError | None, sentence: str) -> None:
    assert cannot_listen("h", 80, error) == sentence


def test_a_port_of_the_metrics_is_called_so() -> None:
    assert cannot_listen("h", 80, None, "metrics-port") == (
        "metrics port 80 on h is taken, perhaps by another zhangfang; "
        "choose another with --metrics-port or ZHANGFANG_METRICS_PORT"
    )


def test_what_is_wrong_with_an_address_is_found_by_trying_it() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        taken = why_not("127.0.0.1", listening.getsockname()[1])

    assert taken
    assert taken.errno == errno.EADDRINUSE
    assert (why_not(NOWHERE, 0) or taken).errno == errno.EADDRNOTAVAIL
    assert isinstance(why_not("a..b", 0), socket.gaierror)
    assert why_not("127.0.0.1", 0) is None


def test_an_address_may_be_in_brackets_as_in_a_url() -> None:
    assert Settings(host="[::1]").host == Settings(host="::1").host == "::1"
