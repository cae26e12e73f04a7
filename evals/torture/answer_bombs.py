"""Answers that decompress to gigabytes or never end, at every place that reads from the network.

    python evals/torture/answer_bombs.py [--place NAME] [--megabytes 600]

Each place is a process of its own with an address space of 3 GB. Exit code 1: the memory of one
grew by 100 MB or more, or an answer had no clear error.
"""

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from bomb_server import Bomb, make_bombs

MAX_GROWTH_MB = 100
SECONDS = 180
ADDRESS_SPACE = 3_000_000_000
JSON_BOMBS = (
    "gzip in gzip",
    "gzip of blanks",
    "deflate of blanks",
    "an unknown coding",
    "an endless text",
    "millions of lists",
    "a deep nest",
)
EVENT_BOMBS = ("events of blanks in gzip", "an endless event")


async def ask_model(url: str) -> object:
    """Ask a model of our own protocol."""
    return await _ask_model(url, "chat-completions")


async def ask_openai(url: str) -> object:
    """Ask a model through langchain-openai."""
    return await _ask_model(url, "langchain-openai")


async def _ask_model(url: str, api: Any) -> object:
    from langchain_core.messages import HumanMessage

    from maxagent.models.factory import open_model
    from maxagent.models.invoke import invoke_model
    from maxagent.models.providers import load_providers
    from maxagent.models.resolver import ResolvedModel

    resolved = ResolvedModel(load_providers()["openai"], "m", f"{url}/v1", "key-for-tests", api=api)
    model = open_model(resolved)
    return await invoke_model(model, [HumanMessage("hi")], lambda _: None, lambda _: None)


async def list_models(url: str) -> object:
    """Read a list of models."""
    from maxagent.models.providers import load_providers
    from maxagent.models.resolver import ResolvedModel
    from maxagent.models.served_models import list_served_models

    return await list_served_models(
        ResolvedModel(load_providers()["openai"], "m", f"{url}/v1", "key-for-tests")
    )


async def log_in_to_copilot(url: str) -> object:
    """Exchange a token of GitHub Copilot."""
    from maxagent.config.settings.schema import CopilotSection
    from maxagent.models.auth.copilot import open_session
    from maxagent.models.auth.copilot_login import CopilotLogin
    from maxagent.models.auth.credentials import Credential, store_credential

    home = Path(tempfile.mkdtemp())
    store_credential(home, "copilot", Credential("gho_test", host=url))
    return await open_session(CopilotLogin(home, CopilotSection(host=url, api_host=url)))


async def connect_to_mcp(url: str) -> object:
    """Connect to an MCP server."""
    from maxagent.tools.mcp.connection import McpConnection
    from maxagent.tools.mcp.server_config import McpServer

    server = McpServer("bomb", "http", url=f"{url}/mcp", connect_timeout=30.0)
    return await McpConnection(server, Path(tempfile.mkdtemp())).list_definitions()


async def log_in_to_mcp(url: str) -> object:
    """Log in to an MCP server whose metadata is the bomb."""
    from maxagent.tools.mcp.oauth.login import log_in
    from maxagent.tools.mcp.server_config import McpServer

    server = McpServer("bomb", "http", url=f"{url}/mcp")
    return await log_in(server, Path(tempfile.mkdtemp()), None)  # type: ignore[arg-type]


async def ask_host(url: str) -> object:
    """Ask a repository's host."""
    from maxagent.tools.hosting.http_api import HttpApi

    api = HttpApi(url, {})
    try:
        return await api.get("/repos/a/b")
    finally:
        await api.close()


async def refresh_models(url: str) -> object:
    """Refresh the catalogue of models."""
    from maxagent.models.catalog_update import refresh_catalog

    home = Path(tempfile.mkdtemp())
    return await asyncio.to_thread(refresh_catalog, f"{url}/catalog.json", home)


async def fetch_page(url: str) -> object:
    """Fetch a web page."""
    from maxagent.tools.web.client import fetch_page

    return await fetch_page(url, allowed=lambda _: True)


Place = tuple[Callable[[str], Awaitable[object]], tuple[str, ...], int, str]
CHALLENGE = 'Bearer resource_metadata="{url}/.well-known/oauth-protected-resource/mcp"'
PLACES: Mapping[str, Place] = {
    "answer stream": (ask_model, (*EVENT_BOMBS, "endless words"), 200, ""),
    "answer as JSON": (ask_model, JSON_BOMBS, 200, ""),
    "error": (ask_model, JSON_BOMBS, 400, ""),
    "langchain-openai": (ask_openai, (*JSON_BOMBS, *EVENT_BOMBS), 200, ""),
    "model list": (list_models, JSON_BOMBS, 200, ""),
    "Copilot": (log_in_to_copilot, JSON_BOMBS, 200, ""),
    "MCP": (connect_to_mcp, (*JSON_BOMBS, *EVENT_BOMBS, "endless messages"), 200, ""),
    "OAuth metadata": (log_in_to_mcp, JSON_BOMBS, 200, CHALLENGE),
    "hosting": (ask_host, JSON_BOMBS, 200, ""),
    "models refresh": (refresh_models, JSON_BOMBS, 200, ""),
    "webfetch": (fetch_page, JSON_BOMBS, 200, ""),
}


def main() -> int:
    """Try all places, or one in this process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--place", choices=PLACES)
    parser.add_argument("--bomb", default="")
    parser.add_argument("--megabytes", type=int, default=600)
    options = parser.parse_args()
    if options.bomb:
        try_bomb(options.place, make_bombs(options.megabytes)[options.bomb])
        return 0
    places = [options.place] if options.place else list(PLACES)
    cases = [(place, bomb) for place in places for bomb in PLACES[place][1]]
    failed = sum(not report_case(place, bomb, options.megabytes) for place, bomb in cases)
    print(f"{len(cases)} bombs and endless answers, {failed} not held")
    return 1 if failed else 0


def report_case(place: str, bomb: str, megabytes: int) -> bool:
    """Run one case in a process of its own and print what came; return whether it held."""
    command = [sys.executable, __file__, "--place", place, "--bomb", bomb]
    try:
        done = subprocess.run(
            [*command, "--megabytes", str(megabytes)],
            capture_output=True, text=True, timeout=SECONDS, preexec_fn=_limit_memory,
        )  # fmt: skip
        found = json.loads(done.stdout.splitlines()[-1])
    except subprocess.TimeoutExpired:
        found = {"growth": 0, "seconds": SECONDS, "error": "", "words": "no end"}
    except (IndexError, ValueError):
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        found = {"growth": 0, "seconds": 0, "error": "", "words": f"died: {lines[-1]}"}
    held = found["growth"] < MAX_GROWTH_MB and (found["error"] != "" or found["words"] == "cut")
    print(
        f"{'held' if held else 'OPEN'}  {place:17} {bomb:26} {found['growth']:5} MB"
        f" {found['seconds']:5.1f} s  {found['error']}: {found['words'][:110]}",
        flush=True,
    )
    return held


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))


def try_bomb(place: str, bomb: Bomb) -> None:
    """Send one bomb to one place; print how the memory grew, and the error."""
    ask, _, status, challenge = PLACES[place]
    server = subprocess.Popen(
        [sys.executable, "-c", SERVE, json.dumps([bomb.name, status, challenge, _get_megabytes()])],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert server.stdout
    url = server.stdout.readline().strip()
    try:
        asyncio.run(_warm_up(ask))
        before = _reset_peak()
        started = time.monotonic()
        error, words = asyncio.run(_catch(ask, url))
        print(
            json.dumps(
                {
                    "growth": (_read_status("VmHWM") - before) // 1_000,
                    "seconds": time.monotonic() - started,
                    "error": error,
                    "words": words,
                }
            )
        )
    finally:
        server.kill()
        server.wait()


SERVE = """
import json, sys, time
from bomb_server import BombServer, make_bombs
name, status, challenge, megabytes = json.loads(sys.argv[1])
server = BombServer(make_bombs(megabytes)[name], status)
server.challenge = challenge
list(zip(server.bomb.pieces(), range(1)))
with server:
    print(server.url, flush=True)
    time.sleep(600)
"""


def _get_megabytes() -> int:
    return int(sys.argv[sys.argv.index("--megabytes") + 1])


async def _warm_up(ask: Callable[[str], Awaitable[object]]) -> None:
    """Load all modules by a request to a port where nobody listens."""
    await _catch(ask, "http://127.0.0.1:9")


async def _catch(ask: Callable[[str], Awaitable[object]], url: str) -> tuple[str, str]:
    from maxagent.config.errors import MaxAgentError

    try:
        answer = await ask(url)
    except MaxAgentError as error:
        return type(error).__name__, " ".join(f"{error.message} | {error.hint}".split())
    except Exception as error:
        if type(error).__name__ in ("ToolError", "McpError"):
            return type(error).__name__, str(error)
        return "", f"{type(error).__name__}: {error}"
    return "", "cut" if getattr(answer, "cut", False) else f"taken: {type(answer).__name__}"


def _reset_peak() -> int:
    Path("/proc/self/clear_refs").write_text("5")
    return _read_status("VmRSS")


def _read_status(name: str) -> int:
    """Return kB of this process's memory."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1])
    raise LookupError(name)


if __name__ == "__main__":
    os.environ["OPENAI_API_KEY"] = "key-for-tests"
    sys.exit(main())
