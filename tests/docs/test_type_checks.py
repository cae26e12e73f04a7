"""Every Python example of the pages for developers passes pyright's strict checks."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from maxagent import Output, Question, ToolCall
from maxagent.sdk.events import KINDS

ROOT = Path(__file__).parents[2]
PAGES = ("docs/sdk.md", "docs/events.md")
# what a program would write about each kind of event, and a slip that a checker must find
USES = {
    "output": "text",
    "tool_call": "args",
    "question": "action_requests",
    "completion": "outcome",
    "error": "hint",
    "interrupted": "reason",
    "evidence": "verdict",
    "hook": "outcome",
    "memory": "cards",
    "subagent_started": "sub_id",
}


def check(files: dict[str, str], folder: Path) -> list[str]:
    """Return the errors of these files, all checked at once."""
    (folder / "stubs").mkdir()
    (folder / "stubs" / "maxagent").symlink_to(ROOT)
    (folder / "checked").mkdir()
    for name, content in files.items():
        (folder / "checked" / name).write_text(content)
    settings = {
        "include": ["."],
        "typeCheckingMode": "strict",
        "extraPaths": [str(folder / "stubs")],
        "reportMissingTypeStubs": False,
    }
    (folder / "checked" / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [Path(sys.executable).with_name("pyright"), "--pythonpath", sys.executable]
    ended = subprocess.run(
        [*command, "--outputjson", "-p", folder / "checked"],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    found = json.loads(ended.stdout)["generalDiagnostics"]
    return [
        f"{Path(one['file']).name}:{one['range']['start']['line'] + 1}: {one['message']}"
        for one in found
    ]


def test_examples_and_narrowing_pass_strict_checks(tmp_path: Path) -> None:
    files = dict[str, str]()
    for page in PAGES:
        blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)
        files |= {f"{Path(page).stem}_{n}.py": block for n, block in enumerate(blocks)}
    cases = "".join(
        f'        case "{kind}":\n            print(event.{name})\n' for kind, name in USES.items()
    )
    head = "from maxagent import Event\n\n\ndef show(event: Event) -> None:\n"
    cases += "        case _:\n            pass\n"
    files["narrowing.py"] = f"{head}    match event.type:\n{cases}"
    files["slip.py"] = f'{head}    if event.type == "output":\n        print(event.outcome)\n'
    assert len(files) > 6
    errors = check(files, tmp_path)
    assert errors and all(error.startswith("slip.py:6") for error in errors), errors


@pytest.mark.parametrize("kind", KINDS)
def test_each_event_is_imported_from_maxagent(kind: str) -> None:
    import maxagent

    event = KINDS[kind]
    assert getattr(maxagent, event.__name__) is event and event.type == kind
    assert event.__name__ in maxagent.__all__


def test_events_need_no_heavy_import() -> None:
    code = "import sys; from maxagent import Output, Question; print(*sys.modules)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in ended.stdout.split()}
    assert not loaded & {"langchain_core", "langgraph", "httpx", "rich", "pydantic"}
    assert (Output.type, Question.type, ToolCall.type) == ("output", "question", "tool_call")
