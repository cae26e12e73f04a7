"""Take the README's pictures of the page, wide and of a phone: real runs of scripted models.

    python evals/interop/page/page_pictures.py [--folder FOLDER] [--pictures FOLDER]

Playwright is installed once, in FOLDER; the browser is the one of the system's packages.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from page_interop import SCRIPT, call, install
from page_server import PageServer
from program import Program
from programs import MissingProgramError

DEMO = Path(__file__).parents[3] / "docs" / "demo"
# Names and sizes of the pictures
VIEWS = {"page.png": (1320, 940), "page-phone.png": (360, 710)}
CART = """\
TAX = Decimal("0.19")


def total(items: list[Item]) -> Decimal:
    net = sum(item.price * (1 + TAX) for item in items)
    return net * (1 + TAX)
"""
SEARCH = "grep -n TAX cart.py"
EDIT = {
    "file_path": "cart.py",
    "edits": [
        {"old_string": "item.price * (1 + TAX)", "new_string": "item.price"},
    ],
}
TODOS = [
    {"content": "Find where the tax is added", "status": "completed"},
    {"content": "Add it once", "status": "in_progress"},
    {"content": "Run the tests", "status": "pending"},
]
CAUSE = (
    "The tax is in `total` **twice**: once for each item, and once for the sum. I leave the latter."
)
# Each thread: its message, what its model answers, and how its run stands in the picture
THREADS: Mapping[str, tuple[str, list[Mapping[str, Any]], str]] = {
    "settings": (
        "Describe the settings in the README",
        [{"text": "The README has a table of all settings now."}],
        "idle",
    ),
    "client": (
        "Upgrade the HTTP client to version 3",
        [{"tool_calls": [call("run_command", command="python run_tests.py")]}],
        "tool_call",
    ),
    "dates": (
        "The date filter ignores the time zone",
        [{"tool_calls": [call("run_command", command="git commit -am 'Filter by UTC'")]}],
        "question",
    ),
    "cart": (
        "The cart adds the tax twice. Repair it.",
        [
            {
                "thinking": "Where is the tax added?",
                "tool_calls": [
                    call("read_file", file_path="cart.py"),
                    call("todowrite", todos=TODOS),
                ],
            },
            {"text": CAUSE, "tool_calls": [call("run_command", command=SEARCH)]},
            {"tool_calls": [call("edit", **EDIT)]},
        ],
        "question",
    ),
}


def serve(work: Path, python: Path, browser: str, pictures: Path) -> None:
    """Begin the threads, and take the pictures of the last one."""
    program = Program(work, "http://127.0.0.1:9/v1")
    (shop := work / "shop").mkdir()
    (shop / "cart.py").write_text(CART)
    (shop / "run_tests.py").write_text("import time\ntime.sleep(600)\n")
    with PageServer(program) as server:
        thread = ""
        for name, (message, turns, end) in THREADS.items():
            script = work / name / "scripted"  # its name is seen
            script.parent.mkdir()
            script.write_text(json.dumps(turns))
            mode = "auto" if end == "tool_call" else "ask"
            model = f"scripted/{script}"
            thread = server.begin(message, mode=mode, model=model, folder=str(shop))
            server.read_to(thread, [end, "waiting", "completion"])
        place = {"address": server.address, "browser": browser, "pictures": str(pictures)}
        command = [
            str(python),
            str(SCRIPT),
            json.dumps({**place, "thread": thread, "views": VIEWS}),
        ]
        subprocess.run(command, check=True, timeout=120)


def main() -> int:
    """Take the pictures, if the programs can be had."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "acp-interop")
    parser.add_argument("--pictures", type=Path, default=DEMO)
    options = parser.parse_args()
    try:
        python, _, browser = install(options.folder)
    except MissingProgramError as error:
        print(f"skipped: {error}")
        return 0
    with tempfile.TemporaryDirectory() as name:
        serve(Path(name), python, browser, options.pictures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
