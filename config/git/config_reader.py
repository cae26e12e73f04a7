"""Reader of git's configuration files with all that they include."""

import os
from codecs import BOM_UTF8
from collections.abc import Iterable
from pathlib import Path

from ..security.content_digest import UnreadableFileError, read_regular_file
from .config_parser import GitConfigEntry, parse_config

# Most bytes that are read of all configurations together
MAX_BYTES = 1_000_000
# Most levels of included files, as git follows them; most included files and hook folders in all
MAX_DEPTH, MAX_FILES = 10, 100
# The machine's, by the makers of git; Homebrew has its own
SYSTEM_CONFIGS = tuple(
    Path(top, "gitconfig") for top in ("/etc", "/usr/local/etc", "/opt/homebrew/etc")
)


class GitConfigReader:
    """Reads configurations in git's order."""

    def __init__(self) -> None:
        self.entries = list[GitConfigEntry]()
        self.included = list[Path]()
        """Files that a configuration includes; they need not exist."""
        self.unknown = False
        """Whether something was not read, or a value cannot be a path."""
        self._left = MAX_BYTES
        self._paths = 0

    def read(self, config: Path, depth: int = 0, *, is_conditional: bool = False) -> None:
        """Read the entries of a file, and at each include those of the included file."""
        for entry in parse_config(self._read_text(config), config, is_conditional=is_conditional):
            includes = entry.section in ("include", "includeif") and entry.key == "path"
            if includes or is_hook_folder(entry):
                if "\0" in entry.value or self._paths >= MAX_FILES:
                    self.unknown = True
                    return
                self._paths += 1
            self.entries.append(entry)
            if includes:
                file = config.parent / os.path.expanduser(entry.value)
                self.included.append(file)
                if depth < MAX_DEPTH:
                    conditional = is_conditional or entry.section == "includeif"
                    self.read(file, depth + 1, is_conditional=conditional)

    def _read_text(self, config: Path) -> str:
        try:
            data = read_regular_file(os.path.realpath(config), self._left + 1)
        except UnreadableFileError:  # missing, or unreadable for git too
            return ""
        self.unknown |= len(data) > self._left
        self._left = max(0, self._left - len(data))
        return os.fsdecode(data.removeprefix(BOM_UTF8)).replace("\r\n", "\n")


def list_user_configs() -> list[Path]:
    """Return the machine's and the user's configurations, whose hooks may lie in any repository.

    git reads `GIT_CONFIG_GLOBAL` in place of the user's, but a shell without it reads those.
    """
    home = Path(os.path.expanduser("~"))
    above = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    system, user = map(os.environ.get, ("GIT_CONFIG_SYSTEM", "GIT_CONFIG_GLOBAL"))
    users = [above / "git/config", home / ".gitconfig"]
    systems = [Path(system)] if system else SYSTEM_CONFIGS
    return [*systems, *users, *([Path(user)] if user else [])]


def find_hook_folders(entries: Iterable[GitConfigEntry]) -> list[str]:
    """Return the hook folder in effect as written, and those that a condition may put in effect."""
    folders = list[str]()
    for entry in entries:
        if is_hook_folder(entry):
            # the last value counts
            folders = [*folders, entry.value] if entry.is_conditional else [entry.value]
    return folders


def is_hook_folder(entry: GitConfigEntry) -> bool:
    """Return whether a value names the folder of hooks."""
    return (entry.section, entry.subsection, entry.key) == ("core", "", "hookspath")
