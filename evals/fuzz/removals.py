"""What bash removes when it runs scripts that MaxAgent would run unasked: nothing outside.

`rm` is a function here that only says what it was given; the file system is read-only.
"""

import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from third_opinion import BASH, WALL

from maxagent.tools.permissions.evaluate import evaluate_call
from maxagent.tools.permissions.policy import Policy
from maxagent.tools.shell.parsing.path_targets import is_temporary
from maxagent.tools.workspace import Workspace

_RUNS = 4
"""How often each script runs, with other random numbers."""
_SCRIPT = r"""
exec 201>&1
rm() {
  local word
  for word in "$@"; do
    case $word in -*) ;; *) printf '%s\0%s\0' "$PWD" "$word" >&201 ;; esac
  done
  return $((RANDOM % 2))
}
export -f rm
mapfile -d '' -t lines
for line in "${lines[@]}"; do
  printf 'line\0\0' >&201
  for number in RUNS; do
    (RANDOM=$((number * 7919 + ${#line} * 13)); unset number; ulimit -t 2; eval -- "$line"; wait) \
      </dev/null >/dev/null 2>&1
  done
done
"""


def make_project(folder: Path) -> Workspace:
    """Create the folders that the scripts name."""
    for name in ("out", "src", "build/x", "a/b"):
        (folder / name).mkdir(parents=True)
    (folder / "a.txt").write_text("x")
    return Workspace(folder)


def select_unasked(scripts: Sequence[str], workspace: Workspace) -> list[str]:
    """Return the scripts that the mode `auto` runs without a question."""
    policy = Policy("auto")
    return [
        script
        for script in scripts
        if evaluate_call(
            "run_command", "execute", {"command": script}, (), workspace, policy
        ).verdict
        == "allow"
    ]


def find_removals_outside(scripts: Sequence[str], workspace: Workspace) -> Iterator[str]:
    """Yield each script that removes something outside the project, with what it removes."""
    for script, removals in zip(scripts, _run_scripts(scripts, workspace.root), strict=True):
        paths = [Path(os.path.normpath(os.path.join(*removal))) for removal in removals]
        outside = [
            str(path)
            for path in paths
            if not path.is_relative_to(workspace.root) and not is_temporary(path)
        ]
        if outside:
            yield f"{script!r} removes {outside[0]}"


def _run_scripts(scripts: Sequence[str], folder: Path) -> list[list[tuple[str, str]]]:
    """Return for each script the folder and the name of each removal; an empty name is none."""
    numbers = " ".join(map(str, range(_RUNS)))
    with tempfile.TemporaryDirectory() as home:
        wall = [str(WALL), "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/"]
        wall += ["--dev", "/dev", "--proc", "/proc"]
        wall += ["--ro-bind", str(folder), str(folder), "--chdir", str(folder)]
        done = subprocess.run(
            [*wall, BASH, "-c", _SCRIPT.replace("RUNS", numbers)],
            input="".join(f"{script}\0" for script in scripts).encode(),
            env={
                "PATH": "/usr/bin:/bin",
                "LC_ALL": "C.UTF-8",
                "HOME": os.environ.get("HOME", home),
            },
            capture_output=True,
            timeout=600,
        )
    tokens = os.fsdecode(done.stdout).split("\0")[:-1]
    result = list[list[tuple[str, str]]]()
    for place, name in zip(tokens[::2], tokens[1::2], strict=True):
        if (place, name) == ("line", ""):
            result.append([])
        elif name:
            result[-1].append((place, name))
    return result
