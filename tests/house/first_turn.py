"""Counts the modules that a task enters before its model is first asked: a child runs the demo.

A module is entered when one of its functions runs; importing it alone does not count.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from functools import cache
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "docs/demo"
MODEL = str(ROOT / "models/scripted_model.py")


@cache
def count_entered_modules() -> int:
    """Count them in a task of the demo, which needs no key and no network."""
    with tempfile.TemporaryDirectory() as place:
        project = Path(place, "shop")
        shutil.copytree(DEMO / "project", project)
        words = ["task", "Repair the prices.", "--trust", "--folder", str(project)]
        words += ["--model", f"scripted/{DEMO / 'scenario.json'}", "--mode", "auto", "--apply"]
        done = subprocess.run(
            [sys.executable, __file__, *words],
            env={**os.environ, "MAXAGENT_HOME": str(Path(place, "home"))},
            capture_output=True,
            text=True,
            check=False,
        )
    return int(done.stdout.rsplit("\n", 1)[-1])


def main() -> None:
    """Run `mcode` with the arguments; print the count and exit at the first request."""
    from maxagent.cli import app

    entered: set[str] = set()
    own = f"{ROOT}{os.sep}"

    def see(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or code.co_name == "<module>":
            return
        name = code.co_filename
        if name.startswith(own) and not name.startswith(f"{own}."):  # not `.venv`
            entered.add(name)
        if name == MODEL and code.co_name in ("_astream", "_agenerate", "_generate"):
            entered.discard(__file__)
            os.write(1, b"\n%d" % len(entered))
            os._exit(0)

    threading.setprofile(see)
    sys.setprofile(see)
    app.main()


if __name__ == "__main__":
    main()
