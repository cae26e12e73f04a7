"""Variables in definitions of servers: `${NAME}`, `${NAME:-default}`, and those of editors."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ...config.errors import UsageError
from ...config.text import text

_BRACE = re.compile(r"\$\{|\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class UnsetVariableError(UsageError):
    """A variable that the definition needs is not set."""


@dataclass(frozen=True)
class Variables:
    """What stands for the variables of a definition."""

    environ: Mapping[str, str] = field(repr=False)
    root: Path | None
    """The project, for `${workspaceFolder}`."""

    def expand(self, content: str) -> str:
        """Put in the values; raises UsageError for a variable that has none, or no end.

        A default may hold variables: they are read only if it counts, as a shell does.
        """
        parts, at = list[str](), 0
        while (start := content.find("${", at)) >= 0:
            end = _find_end(content, start)
            parts += content[at:start], self._find_value(content[start + 2 : end])
            at = end + 1
        return "".join([*parts, content[at:]])

    def _find_value(self, variable: str) -> str:
        if (place := self._find_place(variable)) is not None:
            return place
        name, has_default, default = variable.partition(":-")
        name = name.removeprefix("env:")
        if variable.startswith("input:"):
            raise UsageError(
                text(
                    "it asks for a value by `{variable}`: write `{other}`, and set that variable",
                    variable=f"${{{variable}}}",
                    other="${NAME}",
                )
            )
        if not _NAME.fullmatch(name):
            raise UsageError(text("the variable `{variable}` is unknown", variable=variable))
        value = self.environ.get(name)
        if not value and has_default:
            return self.expand(default)
        if value is None:
            raise UnsetVariableError(text("the variable `{variable}` is not set", variable=name))
        return value

    def _find_place(self, name: str) -> str | None:
        if name == "userHome":
            return os.path.expanduser("~")
        if name in ("/", "pathSeparator"):
            return os.sep
        if self.root and name == "workspaceFolder":
            return str(self.root)
        if self.root and name == "workspaceFolderBasename":
            return self.root.name
        return None


def _find_end(content: str, start: int) -> int:
    """Return where the `}` of the variable at `start` is; raises UsageError if there is none."""
    depth = 0
    for brace in _BRACE.finditer(content, start):
        depth += 1 if brace[0] == "${" else -1
        if not depth:
            return brace.start()
    raise UsageError(text("the variable `{variable}` has no end", variable=content[start:]))
