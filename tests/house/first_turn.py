"""What of our modules is used before a model is first asked: a child runs the demo.

A module is entered when one of its functions runs; importing it alone does not count.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from functools import cache
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "docs/demo"
MODEL = str(ROOT / "models/scripted_model.py")


@dataclass(frozen=True)
class FirstRequest:
    """What a process has used of our modules when its model is first asked."""

    entered: int
    """Modules of which a function has run."""
    imported: frozenset[str]


@cache
def reach_first_request(*arguments: str, scenario: Path = DEMO / "scenario.json") -> FirstRequest:
    """Run `mcode` with these words in the demo's project; it needs no key and no network."""
    with tempfile.TemporaryDirectory() as temporary_directory:
        project = Path(temporary_directory, "shop")
        shutil.copytree(DEMO / "project", project)
        home = str(Path(temporary_directory, "home"))
        environ = {**os.environ, "HOME": home, "MAXAGENT_HOME": home, "XDG_CONFIG_HOME": home}
        done = subprocess.run(
            [sys.executable, __file__, *arguments, "--trust", "--model", f"scripted/{scenario}"],
            cwd=project,
            env=environ,
            capture_output=True,
            text=True,
            check=False,
        )
    entered, *imported = done.stdout.rsplit("\n", 1)[-1].split()
    return FirstRequest(int(entered), frozenset(imported))


def count_entered_modules() -> int:
    """Count them in a task of the demo."""
    return reach_first_request("task", "Repair the prices.", "--mode", "auto", "--apply").entered


def main() -> None:
    """Run `mcode` with the arguments; print count and imports, and exit at the first request."""
    from maxagent.cli import app

    entered: set[str] = set()
    text = f"{ROOT}{os.sep}"

    def see(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        # the bodies of modules and of classes run when they are imported
        if event != "call" or not code.co_flags & CO_OPTIMIZED:
            return
        name = code.co_filename
        if name.startswith(text) and not name.startswith(f"{text}."):  # not `.venv`
            entered.add(name)
        if name == MODEL and code.co_name in ("_astream", "_agenerate", "_generate"):
            entered.discard(__file__)
            imported = [module for module in sys.modules if module.startswith("maxagent.")]
            os.write(1, f"\n{len(entered)} {' '.join(imported)}".encode())
            os._exit(0)

    threading.setprofile(see)
    sys.setprofile(see)
    app.main()


if __name__ == "__main__":
    main()
