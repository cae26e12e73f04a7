"""macOS backend: a sandbox profile for `sandbox-exec`. Written from its documentation; never tried.

The last matching rule decides, so the order is: everything is readable, little is writable, then
the frozen paths, then the hidden ones. A rule can name a missing path.
There is only one network, so without it a command cannot even connect to itself; and a private
folder is simply writable, since there are no mounts.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from .profile import SandboxProfile

PROGRAM = Path("/usr/bin/sandbox-exec")
_DEVICES = (
    "/dev/null",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/dtracehelper",
)


def build_arguments(profile: SandboxProfile, argv: Sequence[str]) -> list[str]:
    """Build the command line that runs `argv` in the sandbox."""
    return [str(PROGRAM), "-p", render_profile(profile), *argv]


def render_profile(profile: SandboxProfile) -> str:
    """Render the profile in Seatbelt's language."""
    files = [
        f"(literal {_quote_path(place)})" for place in (*profile.hidden_files, *profile.blank_files)
    ]
    rules = [
        "(version 1)",
        "(allow default)",
        "(deny file-write*)",
        _format_rule("allow file-write*", _format_subpaths((*profile.writable, *profile.private))),
        _format_rule("allow file-write*", [f'(literal "{device}")' for device in _DEVICES]),
        _format_rule("deny file-write*", _format_subpaths((*profile.frozen, *profile.reserved))),
        # moving a folder would replace its content
        _format_rule(
            "deny file-write-unlink",
            [f"(literal {_quote_path(place)})" for place in profile.pinned],
        ),
        _format_rule(
            "deny file-read* file-write*", [*_format_subpaths(profile.hidden_folders), *files]
        ),
        _format_rule("allow file-read*", _format_subpaths(_find_shown_again(profile))),
        "" if profile.network else "(deny network*)",
        '(allow network* (subpath "/"))' if profile.unix_sockets else "",
        "(deny signal)",
        "(allow signal (target same-sandbox))",
    ]
    return "\n".join(rule for rule in rules if rule)


def _find_shown_again(profile: SandboxProfile) -> list[Path]:
    """Return what may be read although a folder above it is hidden."""
    return [
        place for place in profile.shown if any(map(place.is_relative_to, profile.hidden_folders))
    ]


def _format_rule(action: str, places: Sequence[str]) -> str:
    return f"({action} {' '.join(places)})" if places else ""


def _format_subpaths(places: Iterable[Path]) -> list[str]:
    return [f"(subpath {_quote_path(place)})" for place in places]


def _quote_path(place: Path) -> str:
    text = str(place).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'
