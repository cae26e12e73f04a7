"""A model without native tool calls, over HTTP: a whole task, a conversation, calls that leak."""

import subprocess
import sys
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import pytest
from program import Program
from provider import Answer, Provider, Request

from maxagent.models.xml_calls.text_history import format_call

NAMES = ["apple", "bread", "cheese", "date", "egg", "fig"]
MODULE = "def total(pieces: int, price: int) -> int:\n    return pieces {sign} price\n"
TEST = "from shop.{name} import total\n\n\ndef test_{name}():\n    assert total(3, 50) == 150\n"
BASKET = 'TAGS = ["<content>", "</content>", "</write_to_file>"]\n'
PYTEST = f"{sys.executable} -m pytest -q -p no:cacheprovider"
REFUSAL = {"status": 400, "body": {"error": {"message": "`served` does not support tools"}}}
NOTICE = "does not support tools; it writes its calls as XML"


def turn(*calls: tuple[str, dict[str, Any]]) -> Answer:
    """A turn with its calls as text."""
    text = "\n".join(["Next:", *(format_call(name, args) for name, args in calls)])
    return {"text": text, "thinking": "What is next?", "portion": 7}


def list_turns() -> list[Answer]:
    """The turns of the architect, the coder and the tester."""
    reads = [("read_file", {"path": f"shop/{name}.py"}) for name in NAMES]
    look: list[tuple[str, dict[str, Any]]] = [("list_files", {"recursive": True})]
    search = [("search_files", {"path": ".", "regex": r"pieces \+ price"})]
    repairs = [
        turn(
            ("read_file", {"path": f"tests/test_{name}.py", "start_line": 1}),
            (
                "edit",
                {
                    "file_path": f"shop/{name}.py",
                    "old_string": "pieces +",
                    "new_string": "pieces *",
                },
            ),
        )
        for name in NAMES
    ]
    return [
        turn(*look, *search, *reads),
        {"text": "Multiply in every module."},
        turn(("todowrite", {"todos": [{"id": name, "content": name} for name in NAMES]})),
        turn(*reads),
        *repairs,
        turn(
            ("write_to_file", {"path": "shop/basket.py", "content": BASKET}),
            ("execute_command", {"command": PYTEST}),
            ("todowrite", {"todos": [*NAMES], "action": "mark_completed"}),
        ),
        turn(("attempt_completion", {"result": "All prices are products."})),
        turn(("git_diff", {}), ("read_file", {"path": "shop/basket.py"})),
        {"text": "Accepted: all multiply."},
    ]


@pytest.fixture
def project(program: Program) -> Path:
    """Modules that add where they should multiply."""
    settings = (
        '[tool.pytest.ini_options]\npythonpath = "."\naddopts = "--disable-plugin-autoload"\n'
    )
    files = {"shop/__init__.py": "", "pyproject.toml": settings}
    for name in NAMES:
        files[f"shop/{name}.py"] = MODULE.format(sign="+")
        files[f"tests/test_{name}.py"] = TEST.format(name=name)
    for name, text in files.items():
        path = program.project / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    subprocess.run(["git", "init", "-qb", "main"], cwd=program.project, check=True)
    return program.project


def script_without_tools(provider: Provider, answers: list[Answer]) -> None:
    """Answer as a server whose model has no native calls."""
    remaining = iter(answers)

    def choose_answer(request: Request) -> Answer:
        roles = {message["role"] for message in request.body["messages"]}
        return REFUSAL if "tools" in request.body or "tool" in roles else next(remaining)

    provider.script(choose_answer)


def test_a_task_without_native_calls_ends_verified(
    program: Program, provider: Provider, project: Path
) -> None:
    script_without_tools(provider, list_turns())
    ended = program.task("--mode", "auto", "--apply", "--trust")
    assert (ended.code, ended.stderr, ended.outcome) == (0, "", "verified")
    results = ended.told("tool_result")
    assert [result for result in results if not result["ok"]] == []
    assert len(results) >= 30
    for name in NAMES:
        assert (project / f"shop/{name}.py").read_text() == MODULE.format(sign="*")
    assert (project / "shop/basket.py").read_text() == BASKET
    text = "".join(event["text"] for event in ended.told("output"))
    assert "Next:" in text and "<" not in text
    assert [NOTICE in event["text"] for event in ended.told("notice")].count(True) == 1
    refused, *asked = provider.requests
    assert "tools" in refused.body
    assert not any("tools" in request.body for request in asked)
    assert_requests_only_grow(asked)


def assert_requests_only_grow(requests: list[Request]) -> None:
    """Each role's next request repeats the one before byte for byte and adds to it."""
    for _, turns in groupby(requests, lambda request: request.body["messages"][0]["content"]):
        for earlier, later in pairwise(turns):
            assert later.raw.startswith(earlier.raw.removesuffix(b"]}"))


def test_a_refusal_is_remembered_by_the_next_run(program: Program, provider: Provider) -> None:
    look = turn(("list_files", {}))
    script_without_tools(provider, [look, {"text": "One."}, look, {"text": "Two."}])
    first, second = program.chat("look"), program.chat("look")
    assert (first.last["summary"], second.last["summary"]) == ("One.", "Two.")
    notices = [str(ended.told("notice")) for ended in (first, second)]
    assert [NOTICE in text for text in notices] == [True, False]
    assert ["tools" in request.body for request in provider.requests] == [True] + 4 * [False]


def test_a_thread_changes_to_a_native_model_and_back(program: Program, provider: Provider) -> None:
    (program.home).mkdir(exist_ok=True)
    (program.home / "config.yaml").write_text("model: {models: {served: {tool_calls: xml}}}\n")
    native = {"tool_calls": [{"name": "list_files", "args": {}}]}
    provider.script(
        [turn(("list_files", {})), {"text": "A."}, native, {"text": "B."}, {"text": "C."}]
    )
    first = program.chat("look")
    thread = ["--resume", first.last["thread_id"], "--base-url", provider.url]
    output = ["--output", "stream-json"]
    second = program.run("chat", "again", *thread, "--model", "openai/other", *output)
    third = program.run("chat", "and?", *thread, "--model", "openai/served", *output)
    assert [ended.last["summary"] for ended in (first, second, third)] == ["A.", "B.", "C."]
    bodies = [request.body for request in provider.requests]
    assert ["tools" in body for body in bodies] == [False, False, True, True, False]
    assert bodies[2]["messages"][2]["tool_calls"][0]["function"]["name"] == "list_files"
    assert {message["role"] for message in bodies[4]["messages"]} == {"system", "user", "assistant"}
    texts = [message["content"] for message in bodies[4]["messages"]]
    assert [text.count("<list_files>\n") for text in texts[1:]].count(1) == 2
    assert [text.count('<tool_result tool="list_files" ok="true">') for text in texts[1:]].count(
        1
    ) == 2


def test_a_broken_call_is_reported_to_the_model(program: Program, provider: Provider) -> None:
    script_without_tools(
        provider, [{"text": "<write_file>\n<path>a.txt</path>\n<content>half"}, {"text": "Sorry."}]
    )
    ended = program.chat("write", "--mode", "auto")
    assert (ended.last["summary"], list(program.project.iterdir())) == ("Sorry.", [])
    last = provider.requests[-1].body["messages"][-1]["content"]
    assert last.startswith('<tool_result tool="write_file" ok="false">') and "not closed" in last


def test_a_leaked_call_runs_with_native_calling(program: Program, provider: Provider) -> None:
    (program.project / "a.txt").write_text("hello\n")
    leak = '<tool_call>\n{"name": "read_file", "arguments": {"path": "a.txt"}}\n</tool_call>'
    provider.script([{"text": f"I look.\n{leak}"}, {"text": "It says hello."}])
    ended = program.chat("read")
    assert ended.last["summary"] == "It says hello."
    assert [event["tool"] for event in ended.told("tool_call")] == ["read_file"]
    answer, result = provider.requests[-1].body["messages"][-2:]
    assert (answer["content"], result["role"]) == ("I look.", "tool")
    assert "hello" in result["content"]


def test_attempt_completion_ends_a_conversations_turn(program: Program, provider: Provider) -> None:
    done = ("attempt_completion", {"result": "All done.", "command": "touch ran"})
    native = {"tool_calls": [{"name": done[0], "args": done[1]}]}
    provider.script([native, turn(done)])
    for _ in range(2):
        ended = program.chat("go")
        assert (ended.code, ended.last["summary"]) == (0, "All done.")
    assert not (program.project / "ran").exists()


def test_markup_of_makers_is_called_and_thinking_is_no_answer(
    program: Program, provider: Provider
) -> None:
    (program.project / "a.txt").write_text("one\n")
    glm = (
        "<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a.txt</arg_value>\n</tool_call>"
    )
    broken = '<tool_call>\n{"name": "read_fil", "arguments": {"path": "a.txt"}}\n</tool_call>'
    provider.script(
        [
            {"text": f"I look.\n{glm}"},
            {"text": broken},
            {"text": "It says one, I think.\n</think>\n\nOne."},
        ]
    )
    ended = program.chat("What does a.txt say?")
    assert (ended.code, ended.last["summary"]) == (0, "One."), ended.stdout
    roles = [message["role"] for message in provider.requests[-1].body["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "user"]
    message_text = provider.requests[-1].body["messages"][-1]["content"]
    assert "arrived as text and did not run" in message_text
