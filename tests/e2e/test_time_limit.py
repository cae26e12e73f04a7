"""`--timeout` ends every run of `mcode`, also one whose provider only stays alive."""

import pytest
from program import Program
from provider import Provider

ALIVE = {"text": "x", "alive_after": 0}
RUNS = [
    ["task", "Look."],
    ["edit", "new.txt", "Make it."],
    ["explain", "new.txt"],
    ["init"],
    ["chat", "Hello"],
]


@pytest.mark.parametrize("run", RUNS, ids=[run[0] for run in RUNS])
def test_a_run_ends_when_its_time_is_up(
    run: list[str], program: Program, provider: Provider
) -> None:
    provider.script([ALIVE, ALIVE])
    model = ["--model", "openai/served", "--base-url", provider.url]
    limit = ["--timeout", "1", "--output", "json"]
    ended = program.run(*run, *model, *limit, "--trust")
    assert (ended.code, ended.last["type"], ended.last["reason"]) == (3, "interrupted", "timeout")
    if run[0] == "chat":
        again = program.run("resume", ended.last["thread_id"], *limit)
        assert (again.code, again.last) == (3, ended.last)
