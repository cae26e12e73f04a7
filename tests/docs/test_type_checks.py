"""Every Python example of the pages for developers passes strict checks of pyright and mypy."""

import json
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from maxagent import Output, Question, ToolCall
from maxagent.sdk.events import KINDS

ROOT = Path(__file__).parents[2]
PAGES = ("docs/sdk.md", "docs/events.md", "docs/langgraph.md", "docs/other-sdks.md")
PROGRAM = Path(__file__).with_name("interface_program.py")
# some types of LangGraph's own methods are unknown, whoever calls them
UNKNOWN = "# pyright: reportUnknownMemberType=false\n"
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


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a program for each example, and what the checkers should see."""
    folder = tmp_path_factory.mktemp("types")
    (folder / "stubs").mkdir()
    (folder / "stubs" / "maxagent").symlink_to(ROOT)
    (folder / "checked").mkdir()
    for name, content in {**read_examples(), **build_uses()}.items():
        (folder / "checked" / name).write_text(content)
    return folder


def read_examples() -> dict[str, str]:
    """Return each example; in one with cells of a notebook they are a function."""
    files = dict[str, str]()
    for page in PAGES:
        blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)
        for number, block in enumerate(blocks):
            if re.search(r"^[^ #].*\bawait ", block, re.MULTILINE):
                block = f"async def run_cells() -> None:\n{textwrap.indent(block, '    ')}"
            head = UNKNOWN if "langgraph" in block or "maxagent.graphs" in block else ""
            files[f"{Path(page).stem}_{number}.py"] = head + block
    assert len(files) > 12
    return files


def build_uses() -> dict[str, str]:
    """Return a use of each event that is right, and a slip that a checker must find."""
    cases = "".join(
        f'        case "{kind}":\n            print(event.{name})\n' for kind, name in USES.items()
    )
    head = "from maxagent import Event\n\n\ndef show(event: Event) -> None:\n"
    cases += "        case _:\n            pass\n"
    slips = f'{head}    if event.type == "output":\n        print(event.outcome)\n'
    slips = slips.replace("import Event", "import Event, Options")
    slips += '\n\noptions: Options = {"modee": "ask"}\n'
    program = PROGRAM.read_text(encoding="utf-8")
    right = f"{head}    match event.type:\n{cases}"
    return {"narrowing.py": right, "slip.py": slips, PROGRAM.name: program}


def check_with_pyright(folder: Path) -> list[str]:
    """Return the place of each error."""
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
    errors = json.loads(ended.stdout)["generalDiagnostics"]
    return [
        f"{Path(error['file']).name}:{error['range']['start']['line'] + 1}: {error['message']}"
        for error in errors
    ]


def check_with_mypy(folder: Path) -> list[str]:
    """Return the place of each error; one process, since it reads LangGraph each time."""
    options = ["--strict", "--follow-imports=silent", "--no-error-summary", "--hide-error-context"]
    ended = subprocess.run(
        [sys.executable, "-m", "mypy", *options, f"--cache-dir={folder / 'cache'}", "."],
        cwd=folder / "checked",
        env={**os.environ, "MYPYPATH": str(folder / "stubs")},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    return [line for line in ended.stdout.splitlines() if ": note: " not in line]


@pytest.mark.parametrize(
    "check",
    [
        check_with_pyright,
        pytest.param(
            check_with_mypy,
            marks=pytest.mark.skipif(find_spec("mypy") is None, reason="mypy is not installed"),
        ),
    ],
)
def test_examples_and_narrowing_pass_strict_checks(
    programs: Path, check: Callable[[Path], list[str]]
) -> None:
    errors = check(programs)
    lines = {error.partition(": ")[0] for error in errors}
    assert lines == {"slip.py:6", "slip.py:9"}, errors


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
