"""The report of `mcode doctor --report`: one redacted text to attach to an issue."""

import os
import platform
import sqlite3
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .... import __version__
from ....config.debug_log import find_debug_logs
from ....config.errors import MaxAgentError
from ....config.security.private_files import create_file
from ....config.security.redaction import redact, redact_json
from ....config.settings.keys import hide_secrets
from ....memory.database.connection import find_server
from ....memory.threads.index import count_threads
from ...rendering.listings.settings import as_yaml
from ...rendering.sanitize import sanitize_text
from .checks import DoctorCheck, DoctorEnvironment

MAX_EXCERPT_BYTES = 200_000  # of the debug log; issue trackers reject large files
_DISTRIBUTIONS = (
    "langgraph",
    "langgraph-checkpoint",
    "langgraph-checkpoint-sqlite",
    "langchain-core",
    "langchain-openai",
    "langgraph-api",
    "httpx2",
    "pydantic",
    "prompt-toolkit",
    "rich",
    "typer",
    "tree-sitter",
    "tree-sitter-bash",
)
_SHOWN_VARIABLES = ("TERM", "COLORTERM", "LANG", "LC_ALL", "LC_MESSAGES", "CI", "NO_COLOR")
_NAMED_VARIABLES = ("MAXAGENT_", "LLC_")


def write_report(
    folder: Path, checks: Sequence[DoctorCheck], environment: DoctorEnvironment
) -> Path:
    """Write a new report into the folder, readable only by its owner; return its path."""
    file = folder / time.strftime("mcode-report-%Y%m%dT%H%M%SZ.txt", time.gmtime())
    create_file(file, build_report(checks, environment).encode(errors="replace"))
    return file


def build_report(checks: Sequence[DoctorCheck], environment: DoctorEnvironment) -> str:
    """Return the whole report, without secrets and without the name of the user's home."""
    sections: Mapping[str, Callable[[], str]] = {
        "Checks": lambda: "\n".join(map(_format_check, checks)),
        "Versions": _list_versions,
        "Platform": lambda: _describe_platform(environment.environ),
        "Settings": lambda: _format_settings(environment),
        "Threads": lambda: _count_threads(environment.home),
        "Last internal error": lambda: _read_last_error(environment.home),
        "Last debug log": lambda: _read_last_log(environment.home),
    }
    text = "\n\n".join(f"## {title}\n\n{_read_section(read)}" for title, read in sections.items())
    # the name of the home folder is often the user's name
    return sanitize_text(redact(f"# Report of mcode doctor\n\n{text}\n")).replace(
        str(Path.home()), "~"
    )


def _read_section(read: Callable[[], str]) -> str:
    """Return the section, or why it cannot be read: a broken machine needs a report, too."""
    try:
        return read() or "none"
    except (OSError, sqlite3.Error, MaxAgentError) as error:
        return f"cannot be read: {error}"


def _format_check(check: DoctorCheck) -> str:
    return f"{check.status:<5} {check.name}: {check.detail}"


def _list_versions() -> str:
    rows = [("maxagent", __version__), ("python", platform.python_version())]
    return "\n".join(
        f"{name} {installed_version}"
        for name, installed_version in [*rows, *map(_find_version, _DISTRIBUTIONS)]
    )


def _find_version(distribution: str) -> tuple[str, str]:
    try:
        return distribution, version(distribution)
    except PackageNotFoundError:
        return distribution, "not installed"


def _describe_platform(environ: Mapping[str, str]) -> str:
    assignments = [f"{name}={environ[name]}" for name in _SHOWN_VARIABLES if name in environ]
    # values may contain keys or personal names
    named = sorted(name for name in environ if name.startswith(_NAMED_VARIABLES))
    return "\n".join(
        [
            platform.platform(),
            f"terminal: {sys.stdout.isatty()}, processors: {os.cpu_count()}",
            *assignments,
            f"variables that are set: {', '.join(named) or 'none'}",
        ]
    )


def _format_settings(environment: DoctorEnvironment) -> str:
    if environment.loaded is None:
        return f"do not load: {environment.problem}"
    values = redact_json(hide_secrets(environment.loaded.settings.model_dump()))
    return as_yaml(values, environment.loaded.origins)


def _count_threads(home: Path) -> str:
    database = home / "data" / "threads.db"
    if not find_server(database) and not database.exists():
        return ""
    counts = count_threads(database)
    rows = [f"{graph} {status}: {count}" for (graph, status), count in sorted(counts.items())]
    size = "PostgreSQL" if find_server(database) else f"{database.stat().st_size} bytes"
    return "\n".join([*rows, f"database: {size}"])


def _read_last_error(home: Path) -> str:
    crash_reports = sorted(
        (home / "data" / "errors").glob("*.txt"), key=lambda file: file.stat().st_mtime
    )
    return _read_end(crash_reports[-1]) if crash_reports else ""


def _read_last_log(home: Path) -> str:
    own = f"-{os.getpid()}.log"  # the log of this process, which holds nothing of interest
    logs = [log for log in find_debug_logs(home) if not log.name.endswith(own)]
    return f"{logs[0].name}\n{_read_end(logs[0])}" if logs else ""


def _read_end(file: Path) -> str:
    return file.read_bytes()[-MAX_EXCERPT_BYTES:].decode("utf-8", "replace")
