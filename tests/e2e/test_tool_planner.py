"""`model.enable_tool_planner` in `mcode`, headless, and killed during its request."""

import json
import threading

from faults import Answer
from program import Program
from provider import Provider

ON = {"LLC_MODEL__ENABLE_TOOL_PLANNER": "true"}
LIST = {"text": "1. Look (list_files)\n2. Report"}


def test_kill_in_the_plan_asks_for_it_again(program: Program, provider: Provider) -> None:
    asked = threading.Event()
    answers: list[Answer] = [{**LIST, "hang_after": 0}, LIST, {"text": "Seen."}]

    def answer(_: object) -> Answer:
        asked.set()
        return answers.pop(0)

    provider.script(answer)
    model = ["--model", "openai/served", "--base-url", provider.url]
    process = program.start("chat", "Look", *model, **ON)
    assert process.stdout
    thread = json.loads(process.stdout.readline())["thread_id"]
    assert asked.wait(60)
    process.kill()
    program.end(process)
    ended = program.resume(thread, **ON)
    assert (ended.code, ended.last["summary"]) == (0, "Seen.")
    [todos] = ended.told("todos")
    assert [item["content"] for item in todos["items"]] == ["Look (list_files)", "Report"]
    cut, again, last = provider.requests
    assert cut.raw == again.raw
    assert last.whole["messages"][-1]["content"].startswith("These steps are your todo list now")


def test_only_the_answer_reaches_stdout(program: Program, provider: Provider) -> None:
    provider.script([LIST, {"text": "Seen."}])
    model = ["--model", "openai/served", "--base-url", provider.url]
    ended = program.run("-p", "Look", *model, **ON)
    assert (ended.code, ended.stdout) == (0, "Seen.\n")
