"""What two runs of the same task share."""

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from maxagent.models.cassette.canonical_request import (
    FOLDER,
    canonicalize_messages,
    describe_difference,
    hash_message,
    hash_request,
)


def request(folder: str, call_id: str, output: str = "1 passed in 0.01s") -> list[BaseMessage]:
    call = {"id": call_id, "name": "run_command", "args": {"command": f"cat {folder}/a"}}
    return [
        SystemMessage(f"The project is `{folder}`.", additional_kwargs={FOLDER: folder}),
        HumanMessage("Go."),
        AIMessage("Yes.", tool_calls=[call]),
        ToolMessage(output, tool_call_id=call_id),
    ]


def digest(messages: list[BaseMessage]) -> str:
    return hash_request(
        [
            hash_message(canonicalize_message)
            for canonicalize_message in canonicalize_messages(messages)
        ],
        "tools",
    )


def test_folder_ids_and_seconds_do_not_count() -> None:
    assert digest(request("/a/b", "x")) == digest(request("/c", "y", "1 passed in 3.5s"))


@pytest.mark.parametrize("output", ["2 passed in 0.01s", "", "1 failed in 0.01s"])
def test_other_result_is_another_request(output: str) -> None:
    assert digest(request("/a", "x")) != digest(request("/a", "x", output))


def test_secrets_are_not_in_it() -> None:
    key = "AKIA" + "Q7ZLWN3T2KXB5VMD"
    (message,) = canonicalize_messages([HumanMessage(f"my key is {key}")])
    assert key not in message["text"]


def test_first_difference_is_quoted() -> None:
    item, other = (canonicalize_messages(request("/a", "x", end)) for end in ("good", "bad"))
    assert describe_difference(item, other).startswith("message 4: recorded `")
    assert "good" in describe_difference(item, other)
    assert describe_difference(item, item[:2]) == "recorded 4 messages, now 2"
    assert describe_difference(item, item) == ""
