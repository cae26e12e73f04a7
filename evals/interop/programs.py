"""Programs that others wrote, installed in folders of their own, started and stopped."""

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

AIMOCK = "@copilotkit/aimock"
LITELLM = "litellm[proxy]"
INSTALL_SECONDS = 900
START_SECONDS = 180
MODELS = {"deepseek-chat": "v1", "gpt-5.3-codex": "v1", "claude-sonnet-5-5": ""}
"""Each model of the LiteLLM proxy, and what its address at aimock ends with."""
MAKERS = {"deepseek-chat": "deepseek", "gpt-5.3-codex": "openai", "claude-sonnet-5-5": "anthropic"}


class MissingProgramError(Exception):
    """A program that this machine cannot have, and why."""


def install_aimock(folder: Path) -> Path:
    """Install aimock with npm; return its main file."""
    package = folder / "aimock" / "node_modules" / AIMOCK
    if not package.exists():
        for program in ("node", "npm"):
            if shutil.which(program) is None:
                raise MissingProgramError(f"there is no `{program}`")
        prefix = str(folder / "aimock")
        flags = ["--no-audit", "--no-fund", "--loglevel=error"]
        run_installer(["npm", "install", "--prefix", prefix, *flags, AIMOCK])
    return package / "dist" / "cli.js"


def install_litellm(folder: Path) -> Path:
    """Install the LiteLLM proxy with pip in an environment of its own; return its command."""
    command = folder / "litellm" / "bin" / "litellm"
    if not command.exists():
        run_installer([sys.executable, "-m", "venv", str(folder / "litellm")])
        pip = [str(folder / "litellm" / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        run_installer([*pip, LITELLM])
    return command


def run_installer(command: Sequence[str]) -> None:
    """Run it; raises MissingProgramError with its first error."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MissingProgramError(f"`{command[0]}`: {error}") from error
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        errors = [line for line in lines if "error" in line.lower()] or [*lines, "no message"]
        raise MissingProgramError(f"`{Path(command[0]).name}` failed: {errors[0]}")


def read_aimock_version(main_file: Path) -> str:
    """Return the version of the installed package."""
    package = main_file.parent.parent / "package.json"
    return str(json.loads(package.read_text(encoding="utf-8"))["version"])


def read_litellm_version(command: Path) -> str:
    """Return the version of the installed package."""
    code = "from importlib.metadata import version; print(version('litellm'))"
    python = command.with_name("python")
    return subprocess.run([python, "-c", code], capture_output=True, text=True).stdout.strip()


@contextmanager
def run_aimock(main_file: Path, fixtures: Path) -> Iterator[str]:
    """Run aimock with these fixtures; yield its address."""
    port = find_free_port()
    command = ["node", str(main_file), "-p", str(port), "-f", str(fixtures), "-c", "8"]
    checks = ["--validate-on-load", "--strict"]
    url = f"http://127.0.0.1:{port}"
    with run_server([*command, *checks], fixtures.parent, f"{url}/__aimock/journal", {}):
        yield url


@contextmanager
def run_litellm(command: Path, folder: Path, upstream: str) -> Iterator[tuple[str, str]]:
    """Run the LiteLLM proxy before that server; yield its address and its key."""
    port, key = find_free_port(), f"sk-{secrets.token_urlsafe(24)}"
    configuration = folder / "litellm.json"  # JSON is YAML
    configuration.write_text(json.dumps(configure_litellm(upstream, key)))
    url = f"http://127.0.0.1:{port}"
    arguments = ["--config", str(configuration), "--host", "127.0.0.1", "--port", str(port)]
    environ = {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}  # no look into the network
    ready = f"{url}/health/liveliness"
    with run_server([str(command), *arguments], folder, ready, environ):
        yield url, key


def configure_litellm(upstream: str, key: str) -> dict[str, object]:
    """Return a configuration with one deployment for each model; nothing is tried again."""
    rows = [
        {
            "model_name": name,
            "litellm_params": {
                "model": f"{MAKERS[name]}/{name}",
                "api_base": f"{upstream}/{path}".rstrip("/"),
                "api_key": "unused",
                "max_retries": 0,
            },
        }
        for name, path in MODELS.items()
    ]
    return {
        "model_list": rows,
        "general_settings": {"master_key": key},
        "router_settings": {"num_retries": 0, "disable_cooldowns": True},
        "litellm_settings": {"num_retries": 0, "telemetry": False},
    }


@contextmanager
def run_server(
    command: Sequence[str], folder: Path, ready: str, environ: Mapping[str, str]
) -> Iterator[None]:
    """Run a server from its first answer to the end of the block."""
    log = folder / f"{Path(command[0]).name}.log"
    own = {"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8", **environ}
    with log.open("wb") as file:
        try:
            process = subprocess.Popen(command, cwd=folder, env=own, stdout=file, stderr=file)
        except OSError as error:
            raise MissingProgramError(str(error)) from error
    try:
        wait_until_ready(process, ready, log)
        yield
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_until_ready(process: "subprocess.Popen[bytes]", url: str, log: Path) -> None:
    """Wait for the first answer; raises MissingProgramError if none comes."""
    give_up = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < give_up:
        try:
            with urlopen(url, timeout=5):
                return
        except HTTPError:  # also a refusal is an answer
            return
        except (URLError, OSError):
            time.sleep(0.2)
    lines = log.read_text(errors="replace").strip().splitlines() or ["no message"]
    raise MissingProgramError(f"it does not start: {lines[-1]}")


def find_free_port() -> int:
    """Return a port that nobody uses now."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
