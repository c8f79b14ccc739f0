"""Run the server: its socket, its address, and the browser."""

import socket
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path

import uvicorn

from newscorpus.views.ui.app import make_app

STOP_SECONDS = 3
"""Longest time that open answers are waited for at the end."""


def serve(
    corpora: Sequence[Path],
    host: str,
    port: int,
    password: str,
    contact: str,
    *,
    opens_browser: bool,
    tell: Callable[[str], object],
) -> None:
    """Serve corpora until Ctrl-C.

    Args:
        corpora: their folders.
        host: address of this machine that is listened at.
        port: any free one for 0.
        password: that is asked for; "" for none.
        contact: for the user agent, where a page from the web is tried.
        opens_browser: whether the browser is opened.
        tell: takes the line with the address, when the server listens.

    Raises:
        CorpusError: a folder is missing.
        OSError: the address cannot be listened at.
        ValueError: `host` stands for all addresses, so that no Host header could be checked.
    """
    with listening(host, port) as listener:
        at = f"{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"
        names = [at, at.replace("127.0.0.1:", "localhost:")]
        app = make_app(corpora, names, password, contact)
        tell(f"newscorpus is at http://{at}/ until Ctrl-C")
        if opens_browser:
            webbrowser.open(f"http://{at}/")
        config = uvicorn.Config(
            app, log_level="error", access_log=False, server_header=False, timeout_graceful_shutdown=STOP_SECONDS
        )
        uvicorn.Server(config).run(sockets=[listener])


def listening(host: str, port: int) -> socket.socket:
    """Listen at an address of this machine, at any free port for 0; errors as for `serve`."""
    if host in {"0.0.0.0", "::"}:  # noqa: S104 -- it is refused
        raise ValueError(f"--host {host} stands for every address; name the one that the browsers will use")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        raise OSError(f"port {port} of {host}: {getattr(error, 'strerror', None) or error}") from error
