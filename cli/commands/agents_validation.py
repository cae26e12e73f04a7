"""Validation of agent files, for `mcode agents validate`."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ...config.agents.parser import InvalidAgentError, read_agent
from ...config.errors import UsageError
from ...config.text import text
from ...config.trust.inventory import take_inventory
from ...config.yaml.reader import decode_utf8, read_bytes
from ...tools.runtime.agent_tools import find_mistakes


@dataclass(frozen=True)
class AgentReport:
    """Problems found in one file."""

    mistakes: tuple[str, ...]
    notes: tuple[str, ...] = ()


def find_files(places: Iterable[Path] | None, folder: Path, home: Path) -> list[Path]:
    """Return the agent files in `places`; default: the user's and the project's, trusted or not."""
    if places:
        return [file for place in places for file in _list_files(place)]
    own = sorted((home / "agents").glob("**/*.md"))
    project_paths = [item.path for item in take_inventory(folder) if item.kind == "agents"]
    return [*own, *(folder / path for path in project_paths if path.endswith(".md"))]


def inspect_file(file: Path, home: Path) -> AgentReport:
    """Return the file's errors and the parts of it that are ignored."""
    try:
        own = file.absolute().is_relative_to(home / "agents")
        profile = read_agent(file, decode_utf8(file, read_bytes(file) or b""), own=own)
    except InvalidAgentError as fault:
        return AgentReport(fault.reports)
    except UsageError as error:
        return AgentReport((error.message,))
    return AgentReport(tuple(find_mistakes(profile)), profile.notes)


def _list_files(place: Path) -> Iterator[Path]:
    if place.is_dir():
        files = sorted(place.glob("**/*.md"))
        if not files:  # as with a misspelt name: nothing would be checked
            raise UsageError(
                text("no agent file in `{place}`", place=place),
                hint="give a file or a folder of agents",
            )
        yield from files
    elif place.exists():
        yield place
    else:
        raise UsageError(
            text("`{place}` does not exist", place=place), hint="give a file or a folder of agents"
        )
