"""macOS: a wall as a profile for `sandbox-exec`. Written from its documentation; never tried.

The last rule that meets an access decides, so the order is: all may be read, little written, then
what is frozen, then what is hidden. A name that does not exist can be ruled on, so none is made.
There is one network for all, so without it a command cannot even speak to itself; and a private
folder is one that is written, since there are no mounts.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from .profile import Wall

PROGRAM = Path("/usr/bin/sandbox-exec")
_DEVICES = (
    "/dev/null",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/dtracehelper",
)


def arguments(wall: Wall, argv: Sequence[str]) -> list[str]:
    """The command line that runs `argv` behind the wall."""
    return [str(PROGRAM), "-p", profile(wall), *argv]


def profile(wall: Wall) -> str:
    """The wall in Seatbelt's language."""
    files = [f"(literal {_quoted(place)})" for place in (*wall.hidden_files, *wall.blank_files)]
    rules = [
        "(version 1)",
        "(allow default)",
        "(deny file-write*)",
        _rule("allow file-write*", _below((*wall.writable, *wall.private))),
        _rule("allow file-write*", [f'(literal "{device}")' for device in _DEVICES]),
        _rule("deny file-write*", _below(wall.frozen)),
        # to move a folder is to replace what is in it
        _rule("deny file-write-unlink", [f"(literal {_quoted(one)})" for one in wall.pinned]),
        _rule("deny file-read* file-write*", [*_below(wall.hidden_folders), *files]),
        "" if wall.network else "(deny network*)",
        '(allow network* (subpath "/"))' if wall.unix_sockets else "",
        "(deny signal)",
        "(allow signal (target same-sandbox))",
    ]
    return "\n".join(rule for rule in rules if rule)


def _rule(what: str, places: Sequence[str]) -> str:
    return f"({what} {' '.join(places)})" if places else ""


def _below(places: Iterable[Path]) -> list[str]:
    return [f"(subpath {_quoted(place)})" for place in places]


def _quoted(place: Path) -> str:
    text = str(place).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'
