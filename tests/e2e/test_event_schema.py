"""Every line that chat, task and edit print as JSON is an event of `docs/events.schema.json`.

`Ended.events` checks each line of every end-to-end test; here all kinds must have been among them.
"""

from program import Program
from provider import Provider

from maxagent.sdk.events import KINDS

PLAN, LISTS = "todowrite", {"name": "list_files", "args": {}}
TODO = {"name": PLAN, "args": {"todos": [{"content": "a", "status": "pending"}]}}
BREAKS = {"name": "run_command", "args": {"command": "echo b | tee a.txt"}}
MENDS = {"name": "run_command", "args": {"command": "echo a > a.txt"}}


def test_every_kind_of_event_fits_its_schema(program: Program, provider: Provider) -> None:
    (program.project / "a.txt").write_text("x\n")
    seen: set[str] = set()
    provider.script(
        [
            {"status": 503, "headers": {"Retry-After": "0"}, "body": "later"},
            {"thinking": "Hm.", "tool_calls": [{"name": "plan_enter", "args": {"reason": "big"}}]},
        ]
    )
    switch = program.chat("plan it @a.txt")
    seen |= {event["type"] for event in switch.events}
    assert (switch.code, switch.last["kind"]) == (4, "switch")
    provider.script([{"text": "Here.", "tool_calls": [TODO]}, {"text": "Planned."}])
    resumed = program.resume(switch.last["thread_id"], "--approve")
    seen |= {event["type"] for event in resumed.events}

    provider.script(
        [{"text": "BIG: a.txt"}, {"tool_calls": [BREAKS]}, {"text": "Done."},
         {"tool_calls": [MENDS]}, {"text": "Done."}, {"text": "Accepted."}]
    )  # fmt: skip
    tested = {"LLC_TASK__TEST_COMMAND": "grep -qx a a.txt"}
    task = program.task("--trust", "--mode", "auto", "--apply", **tested)
    seen |= {event["type"] for event in task.events}
    assert (task.code, task.outcome) == (0, "verified")

    provider.script([{"tool_calls": [LISTS]}, {"status": 401, "body": "no such key"}])
    edit = program.run("edit", "a.txt", "Tidy", "--model", "openai/served",
                       "--base-url", provider.url, "--output", "stream-json")  # fmt: skip
    seen |= {event["type"] for event in edit.events}
    assert edit.last["type"] == "error"
    # tests of their own have them
    elsewhere = {
        "plan_response",
        "interrupted",
        "progress",
        "model_changed",
        "steered",
        "pull_request",
    }
    elsewhere |= {"compaction_started", "compaction_finished"}
    elsewhere |= {"memory", "card_proposed", "hook", "tool_progress", "plan_response"}
    elsewhere |= {"background_started", "background_finished"}
    elsewhere |= {"subagent_started", "subagent_finished", "attempts", "attempt_progress"}
    assert seen == KINDS.keys() - elsewhere


def test_json_is_the_one_event_that_ends_it(program: Program, provider: Provider) -> None:
    provider.script([{"tool_calls": [LISTS]}, {"text": "Nothing."}, {"text": "Nothing."}])
    [chat] = program.chat("look", output="json").events
    [edit] = program.run("edit", "a.txt", "Tidy", "--model", "openai/served",
                         "--base-url", provider.url, "--output", "json").events  # fmt: skip
    assert (chat["outcome"], edit["outcome"]) == ("answered", "unverified")
    provider.script([{"tool_calls": [LISTS], "wait": 1.5}])
    [late] = program.chat("look", "--timeout", "0.5", output="json").events
    assert (late["type"], late["reason"]) == ("interrupted", "timeout")
