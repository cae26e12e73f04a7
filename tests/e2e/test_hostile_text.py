"""Words of a model, a command, a file, a name and a user: none steers the terminal, in any mode.

Each text of `tests/fixtures/hostile_text.py` goes every way that words can go.
"""

import json
import re
import sys
from collections.abc import Sequence

import pytest
from hostile_text import CORPUS, FILE_NAMES, steering_in
from program import Ended, Program
from provider import Answer, Provider
from terminal import CTRL_D, Terminal

ALL = "\n".join(CORPUS)
LINE = " ".join(CORPUS).replace("\x00", "")
GOOD = {"LLC_TASK__TEST_COMMAND": "cat loud.txt"}


@pytest.fixture
def loud(program: Program) -> Program:
    """A project whose files' names and bytes are hostile."""
    (program.project / "loud.txt").write_text(ALL, encoding="utf-8", newline="")
    (program.project / "names").mkdir()
    for name in FILE_NAMES:
        (program.project / "names" / name).write_text("x")
    return program


def call(name: str, **args: object) -> Answer:
    return {"name": name, "args": args}


LOOKS = [
    call("list_files", path="names"),
    call("read_file", path="loud.txt"),
    call("grep", regex=".", path="loud.txt"),
    call(LINE, **{LINE: LINE}),
    call("read_file", path=LINE[:200]),
]
WORKS = [
    call("run_command", command="cat loud.txt; cat loud.txt >&2; ls names; exit 3"),
    call("todowrite", todos=[{"id": "1", "content": ALL}]),
    call("write_file", file_path="new.txt", content=ALL),
    call("edit", file_path="loud.txt", old_string=CORPUS[0], new_string=f"new {CORPUS[0]}"),
    call("edit", file_path="loud.txt", old_string=LINE, new_string=ALL),
]
ASKS = [
    *WORKS,
    call("run_command", command=f": '{LINE}'"),  # asked in every mode
    call("ask_user", question=ALL, options=CORPUS),
]


def answers(works: Sequence[Answer] = WORKS) -> list[Answer]:
    """A task of which every word is hostile."""
    return [
        {"text": ALL, "thinking": ALL, "tool_calls": LOOKS},
        {"text": f"SMALL {ALL}"},
        {"text": ALL, "tool_calls": works, "portion": 1},
        {"text": ALL},
        {"text": f"Accepted. {ALL}"},
    ]


def clean(ended: Ended) -> Ended:
    assert steering_in(ended.stdout + ended.stderr) == []
    return ended


@pytest.mark.parametrize("output", ["text", "json", "stream-json"])
def test_a_task_of_hostile_words(output: str, loud: Program, provider: Provider) -> None:
    provider.script(answers())
    clean(loud.task("--mode", "auto", "--apply", "--trust", output=output, **GOOD))
    thread = json.loads(clean(loud.run("threads", "list", "--json")).stdout)[0]["thread_id"]
    for arguments in (["list"], ["show", thread], ["show", thread, "--json"],
                      ["tree"], ["changes", thread], ["changes", thread, "--json"]):  # fmt: skip
        assert clean(loud.run("threads", *arguments)).code == 0
    diff = clean(loud.run("diff", thread))
    assert diff.stdout and "`mcode diff > FILE`" in diff.stderr
    for arguments in (["rewind", thread], ["undo", thread, "--yes"], ["redo", thread, "--yes"]):
        assert clean(loud.run(*arguments)).code == 0


@pytest.mark.parametrize("output", ["text", "json", "stream-json"])
def test_hostile_text_in_parked_questions_is_escaped(
    output: str, loud: Program, provider: Provider
) -> None:
    provider.script(answers(ASKS))
    assert clean(loud.task("--mode", "ask", "--trust", output=output)).code == 4


def test_errors_of_hostile_words(loud: Program, provider: Provider) -> None:
    provider.script([{"status": 401, "body": {"error": {"message": LINE}}}] * 4)
    for output in ("text", "json", "stream-json"):
        assert clean(loud.task("--trust", output=output)).code == 1
    for arguments in (
        ["threads", "show", LINE],
        ["task", LINE, "--mode", LINE],
        [LINE, "--model", "openai/served", "--base-url", provider.url],
        [f"--{LINE}"],
        ["tools", "show", LINE],
        ["config", "get", LINE],
        ["config", "set", LINE, LINE],
        ["edit", LINE, "x", "--folder", LINE],
    ):
        assert clean(loud.run(*arguments)).code in (1, 2)
    (loud.home / "config.yaml").write_text(json.dumps({LINE: LINE, "language": LINE}))
    for arguments in (["config", "show"], ["doctor"], ["doctor", "--json"], ["task", "x"]):
        assert clean(loud.run(*arguments)).code in (0, 1, 2)


def test_tools_called_by_hand(loud: Program) -> None:
    calls = [*LOOKS, *WORKS, call("ask_user", question=ALL)]
    lines = [json.dumps({"tool": element["name"], "args": element["args"]}) for element in calls]
    for mode in ("ask", "auto"):
        asked = ["tools", "call", "--stdin", "--mode", mode]
        ended = clean(loud.run(*asked, stdin="\n".join([*lines, json.dumps(ALL), ALL])))
        assert len(ended.stdout.splitlines()) >= len(calls)
    for item in (LOOKS[0], LOOKS[1], WORKS[0]):
        asked = ["tools", "call", str(item["name"]), json.dumps(item["args"]), "--mode", "auto"]
        assert clean(loud.run(*asked)).code in (0, 1)


# The title and the state of the program, whole
WINDOW_CODE = re.compile(r"\x1b](?:0;[^\x00-\x1f\x7f-\x9f]*\a|7501;[\w=:+/]*\x1b\\)")
# How the rows of a question are painted: the whole corpus is not that
OWN_PAINT = re.compile(
    r"\x1b\[0(?:;\d\d?)*m|\x1b\[(?:\d*[ABCD]|2?K|J)|\x1b\[\?(?:1|7|12|25|2004)[hl]|\r+(?=[\n\x1b])"
)


def test_terminal_shows_only_our_own_colours(loud: Program, provider: Provider) -> None:
    calls = [ASKS[0], ASKS[2], *ASKS[5:]]  # each of them is asked
    provider.script([*answers()[:2], *({"tool_calls": [item]} for item in calls)])
    argv = [sys.executable, "-m", "maxagent", "task", LINE, "--mode", "ask", "--trust",
            "--model", "openai/served", "--base-url", provider.url]  # fmt: skip
    with Terminal(argv, loud.project, loud.environ, rows=300) as terminal:
        for _ in calls[1:]:
            terminal.until("Enter choose")  # the list reads keys now
            terminal.type("1")
        terminal.until("Enter choose")
        terminal.type(CTRL_D)
        assert terminal.end() == 4
    before, asked, behind = split_at_questions(terminal.shown)
    for output in (before, OWN_PAINT.sub("", asked), behind):
        output_text, count = WINDOW_CODE.subn("", output)
        assert output_text and count and steering_in(output_text, coloured=True) == []


def split_at_questions(shown: str) -> tuple[str, str, str]:
    """Return what is shown before all questions, with them, and behind."""
    before, begin, remainder = shown.partition("\x1b[?12l")
    asked, end, behind = remainder.rpartition("\x1b[?25h")  # the cursor comes back last
    return before, begin + asked + end, behind
