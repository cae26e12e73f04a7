"""`mcode mcp login` and `logout`, against a stand-in."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from mcp_place import Place
from oauth_server import OAuthServer

from maxagent.tools.mcp.oauth.storage import has_login


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def guarded(place: Place) -> Iterator[OAuthServer]:
    with OAuthServer() as server:
        place.write_user({"guarded": {"url": server.server.url}, "local": {"command": "true"}})
        yield server


def log_in(place: Place, *options: str) -> tuple[int, str]:
    """Log in, with a browser that consents; return exit code and what was said."""
    process = subprocess.Popen(
        [sys.executable, "-m", "maxagent", "mcp", "login", "guarded", *options],
        cwd=place.project,
        env=place.environ,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin and process.stderr
    said: list[str] = []
    for line in process.stderr:
        said.append(line)
        if line.startswith("http://"):
            break
    location = httpx2.get(said[-1].strip()).headers["Location"]
    if options:
        process.stdin.write(f"{location}\n")
        process.stdin.flush()
    else:
        assert httpx2.get(location).status_code == 200
    _, rest = process.communicate(timeout=60)
    return process.returncode, "".join(said) + rest


@pytest.mark.parametrize("options", [(), ("--no-browser",)])
def test_a_login_ends_with_the_tools(
    place: Place, guarded: OAuthServer, options: tuple[str, ...]
) -> None:
    assert "login needed: run `mcode mcp login guarded`" in place("test", "guarded").stdout
    code, said = log_in(place, *options)
    assert (code, "Logged in to `guarded`" in said, "OK (1 tool)" in said) == (0, True, True)
    assert not [token for token in guarded.tokens if token in said]
    assert place("test", "guarded").returncode == 0
    ended = place("logout", "guarded")
    assert (ended.returncode, ended.stderr) == (0, "Logged out of `guarded`\n")
    assert len(guarded.revoked) == 1
    assert not has_login(place.home, guarded.server)
    assert place("logout", "guarded").returncode == 1


def test_a_command_needs_no_login(place: Place, guarded: OAuthServer) -> None:
    ended = place("login", "local")
    assert (ended.returncode, "needs no login here" in ended.stderr) == (2, True)
