"""`mcode web`: every thread on a page, in a browser of this machine or of a phone."""

import re
import secrets
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from ...config import paths
from ...config.errors import MaxAgentError, UsageError
from ...config.security.private_files import replace_file

# Where the page is by default; a fixed one, so that a page that was installed finds it again
PORT = 4747

_FORM = re.compile(r"[A-Za-z0-9_-]{43}")


def web(
    port: Annotated[int, typer.Option(help="Local port; 0: any free one.")] = PORT,
    open_page: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in a browser.")
    ] = True,
    public: Annotated[
        str,
        typer.Option(
            "--public",
            metavar="URL",
            help="Address of a reverse proxy that leads here, such as https://box.example.ts.net.",
        ),
    ] = "",
    qr: Annotated[
        bool, typer.Option("--qr", help="Print the address as a QR code, for a phone.")
    ] = False,
    new_token: Annotated[
        bool, typer.Option("--new-token", help="Replace the token: old addresses end.")
    ] = False,
) -> None:
    """Serve all threads on a page: read, answer, stop and start them in a browser."""
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise MaxAgentError(
            "the server of the page is not installed", hint='pip install "maxagent[web]"'
        )
    from ..rendering.listings.threads import open_index
    from .server import open_socket, serve

    _validate_public(public)
    home = paths.locate_home()
    open_index()  # reports a damaged index
    listener = open_socket(port)
    token = read_token(home, renew=new_token)
    base = public.rstrip("/") or f"http://127.0.0.1:{listener.getsockname()[1]}"
    address = f"{base}/#token={token}"

    def announce() -> None:
        sys.stdout.write(f"{address}\n")  # `echo` would hide the token, which is asked for here
        if qr:
            _print_code(address)
        sys.stdout.flush()
        if open_page and not public and sys.stdout.isatty():
            _open_browser(address)

    serve(home, listener, token, public, announce)


def _validate_public(public: str) -> None:
    from urllib.parse import urlsplit

    parts = urlsplit(public)
    is_address = parts.scheme in ("http", "https") and parts.hostname and not parts.query
    if public and (not is_address or parts.path.strip("/") or parts.username):
        raise UsageError(
            "`--public` must be an address without a path",
            hint="such as `--public https://box.example.ts.net`",
        )


def _print_code(address: str) -> None:
    if find_spec("segno") is None:
        raise MaxAgentError(
            "the library for QR codes is not installed", hint='pip install "maxagent[web]"'
        )
    import segno  # pyright: ignore

    segno.make(address, error="l").terminal(out=sys.stdout, compact=True)  # pyright: ignore


def _open_browser(address: str) -> None:
    import webbrowser

    webbrowser.open(address)


def read_token(home: Path, *, renew: bool = False) -> str:
    """Return the token of this home, made at its first use; with `renew` always a new one."""
    file = paths.ensure_data_folder(home) / "web-token"
    token = "" if renew or not file.exists() else file.read_text("ascii", "replace").strip()
    if not _FORM.fullmatch(token):
        token = secrets.token_urlsafe(32)
        replace_file(file, f"{token}\n".encode())
    return token
