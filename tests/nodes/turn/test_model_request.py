from collections.abc import Sequence

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import tool_call

from maxagent.models.errors import (
    EmptyAnswerError,
    ModelCallError,
    OnlyThinkingError,
    ProviderFaultError,
)
from maxagent.nodes.turn.model_request import describe_silent_end, ends_in_silence

RESULT = ToolMessage("ok", tool_call_id="1")


def answer(*names: str) -> AIMessage:
    return AIMessage("", tool_calls=[tool_call(name=name, args={}, id="1") for name in names])


@pytest.mark.parametrize(
    ("error", "last", "silent"),
    [
        (EmptyAnswerError("empty"), RESULT, True),
        (EmptyAnswerError("empty"), HumanMessage("hi"), False),
        (EmptyAnswerError("filtered", retryable=False), RESULT, False),
        (OnlyThinkingError("cut"), RESULT, False),
        (ProviderFaultError("down"), RESULT, False),
    ],
)
def test_only_silence_after_results_ends(
    error: ModelCallError, last: BaseMessage, silent: bool
) -> None:
    assert ends_in_silence(error, [last]) == silent
    assert not ends_in_silence(error, [])


@pytest.mark.parametrize(
    ("messages", "calls"),
    [
        ([HumanMessage("go"), answer("edit"), RESULT], "`edit`"),
        ([answer("grep"), RESULT, HumanMessage("go"), answer("edit"), RESULT], "`edit`"),
        (
            [HumanMessage("go"), answer("read_file", "edit"), RESULT, answer("edit"), RESULT],
            "`read_file`, `edit` x 2",
        ),
    ],
)
def test_silent_end_names_the_calls(messages: Sequence[BaseMessage], calls: str) -> None:
    assert f"it called: {calls}.)" in describe_silent_end(messages)
