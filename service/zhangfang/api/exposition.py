"""``/metrics`` over HTTP: the registry as Prometheus reads it.

Rendering a few hundred series takes milliseconds in which nothing else runs, so scrapes that arrive while one is being
rendered wait, and all of them share the next one: however many ask, the service is not kept from its work, and nobody
gets numbers from before he asked.
"""

from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from threading import Lock, Thread

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder

from zhangfang.api.listening import family_of

PATHS = ("/metrics", "/")
WAITING_MAX = 128
TIMEOUT_SECONDS = 10

Page = tuple[bytes, str]
"""A body and its content type."""


class Rendering:
    """Renders the registry, once for all who asked before it began."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry
        self._lock = Lock()
        self._begun = 0
        self._pages: dict[str, tuple[int, bytes]] = {}

    def page(self, accepted: str) -> Page:
        """The metrics in the format the caller accepts, no older than his call."""
        encode, content_type = choose_encoder(accepted)
        begun = self._begun
        with self._lock:
            number, body = self._pages.get(content_type, (0, b""))
            if number <= begun:
                self._begun = number = self._begun + 1
                body = encode(self._registry)
                self._pages[content_type] = number, body
        return body, content_type


class Exposition:
    """The HTTP server of the metrics, in threads of its own.

    Args:
        registry: what to show.
        host: address to listen on.
        port: 0 takes a free one.

    Raises:
        OSError: if it cannot listen there.
    """

    def __init__(self, registry: CollectorRegistry, host: str, port: int) -> None:
        rendering = Rendering(registry)

        class Handler(_Handler):
            page = staticmethod(rendering.page)

        class Listener(_Listener):
            address_family = family_of(host)

        self._listener = Listener((host, port), Handler)
        self.port: int = self._listener.server_address[1]
        self._thread = Thread(target=self._listener.serve_forever, name="metrics", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stops listening."""
        self._listener.shutdown()
        self._listener.server_close()
        self._thread.join()


class _Listener(ThreadingHTTPServer):
    request_queue_size = WAITING_MAX
    daemon_threads = True

    def server_bind(self) -> None:
        """Binds without asking who the host is, which may take a name server's time."""
        TCPServer.server_bind(self)


class _Handler(BaseHTTPRequestHandler):
    timeout = TIMEOUT_SECONDS
    page: Callable[[str], Page]

    def do_GET(self) -> None:
        """Answers a scrape."""
        if self.path.partition("?")[0] not in PATHS:
            self.send_error(404, "the metrics are under /metrics")
            return
        body, content_type = self.page(self.headers.get("Accept", ""))
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - named by the library
        """Scrapes are not worth a line."""
