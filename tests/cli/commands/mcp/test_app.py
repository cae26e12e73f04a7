"""`mcode mcp login` and `logout`, against a stand-in."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest
from mcp_place import Place
from oauth_server import OAuthServer
from screen import ScreenTerminal

from maxagent.tools.mcp.oauth.storage import has_login


@pytest.fixture
def world(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def guarded(world: Place) -> Iterator[OAuthServer]:
    with OAuthServer() as server:
        world.write_user({"guarded": {"url": server.server.url}, "local": {"command": "true"}})
        yield server


def log_in(world: Place, *options: str) -> tuple[int, str]:
    """Log in, with a browser that consents; return exit code and what was said."""
    process = subprocess.Popen(
        [sys.executable, "-m", "maxagent", "mcp", "login", "guarded", *options],
        cwd=world.project,
        env=world.environ,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin and process.stderr
    names: list[str] = []
    for line in process.stderr:
        names.append(line)
        if line.startswith("http://"):
            break
    location = httpx2.get(names[-1].strip()).headers["Location"]
    if options:
        process.stdin.write(f"{location}\n")
        process.stdin.flush()
    else:
        assert httpx2.get(location).status_code == 200
    _, remainder = process.communicate(timeout=60)
    return process.returncode, "".join(names) + remainder


@pytest.mark.parametrize("options", [(), ("--no-browser",)])
def test_a_login_ends_with_the_tools(
    world: Place, guarded: OAuthServer, options: tuple[str, ...]
) -> None:
    assert "login needed: run `mcode mcp login guarded`" in world("test", "guarded").stdout
    code, output = log_in(world, *options)
    assert (code, "Logged in to `guarded`" in output, "OK (1 tool)" in output) == (0, True, True)
    assert not [token for token in guarded.tokens if token in output]
    assert world("test", "guarded").returncode == 0
    ended = world("logout", "guarded")
    assert (ended.returncode, ended.stderr) == (0, "Logged out of `guarded`\n")
    assert len(guarded.revoked) == 1
    assert not has_login(world.home, guarded.server)
    assert world("logout", "guarded").returncode == 1


def follow(terminal: ScreenTerminal, location: str) -> None:
    assert httpx2.get(location).status_code == 200


def paste_all(terminal: ScreenTerminal, location: str) -> None:
    terminal.paste(location).press("enter")


def paste_end(terminal: ScreenTerminal, location: str) -> None:
    terminal.paste(location[location.index("?") :]).press("enter")


def paste_quoted(terminal: ScreenTerminal, location: str) -> None:
    terminal.paste(f'"{location}"\n').press("enter")


def type_slowly(terminal: ScreenTerminal, location: str) -> None:
    for sign in location:
        terminal.type(sign)
    terminal.press("enter")


def paste_other(terminal: ScreenTerminal, location: str) -> None:
    terminal.paste("http://127.0.0.1:1/callback?code=c&state=other").press("enter")


def give_up(terminal: ScreenTerminal, location: str) -> None:
    terminal.press("esc")


@pytest.mark.parametrize(
    ("act", "code", "sentence"),
    [
        (follow, 0, "Logged in to `guarded`"),
        (paste_all, 0, "Logged in to `guarded`"),
        (paste_end, 0, "Logged in to `guarded`"),
        (paste_quoted, 0, "Logged in to `guarded`"),
        (type_slowly, 0, "Logged in to `guarded`"),
        (paste_other, 1, "does not belong to this login"),
        (give_up, 130, ""),
    ],
)
def test_login_without_a_browser_takes_both_ways(
    world: Place,
    guarded: OAuthServer,
    act: Callable[[ScreenTerminal, str], None],
    code: int,
    sentence: str,
) -> None:
    argv = [sys.executable, "-m", "maxagent", "mcp", "login", "guarded"]
    environ = {"TERM": "xterm-256color"} | {
        name: text
        for name, text in world.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "TERM")
    }
    with ScreenTerminal(argv, world.project, environ, columns=100) as terminal:
        terminal.wait_for("paste the address")
        address = "".join(terminal.scrollback().split()).partition("http")[2]
        address = "http" + address.partition("Afterthelogin")[0]
        act(terminal, httpx2.get(address).headers["Location"])
        assert terminal.end() == code, terminal.scrollback()
        assert sentence in terminal.scrollback()
        assert not [token for token in guarded.tokens if token in terminal.scrollback()]


def test_a_command_needs_no_login(world: Place, guarded: OAuthServer) -> None:
    ended = world("login", "local")
    assert (ended.returncode, "needs no login here" in ended.stderr) == (2, True)
