"""The settings of the terminal and the start; `cli/terminal_options.py` reads them first."""

from typing import Literal

from .section import Section


class UiSection(Section):
    """How `mcode` looks at a terminal."""

    theme: Literal["auto", "dark", "light", "ansi"] = "auto"
    """Colours for a dark or a light background, or `ansi`: the terminal's own sixteen."""
    plain: bool = False
    """Whether lines are only ever appended, as with `TERM=dumb`: for screen readers."""
    keys: Literal["emacs", "vi"] = "emacs"
    """Keys of the prompt that edit the line."""
    status_line: str = ""
    """Shell command whose first line of output stands below the prompt; it reads JSON on stdin."""
    notifications: bool = True
    """Whether the terminal rings and notifies at a question and at the end of a long turn."""


class ServerSection(Section):
    """The process that has everything loaded and forks: `cli/fork_server`."""

    warm: Literal["auto", "on", "off"] = "auto"
    """Whether a run is forked from it: on Linux, but not in CI or for root in a container."""
