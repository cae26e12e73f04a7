"""Why a request begins otherwise than the last one."""

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from maxagent.models.replay import MADE_BY
from maxagent.nodes.conversation.cache_reset import find_reset_reason


def answer(model: str, role: str) -> AIMessage:
    return AIMessage("ok", additional_kwargs={MADE_BY: model, "role": role})


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([], ""),
        ([answer("a/one", "build")], ""),
        ([answer("a/two", "build")], "model"),
        ([answer("a/one", "plan")], "tools"),
        ([answer("a/two", "plan"), answer("a/one", "build")], ""),
        ([AIMessage("of an older version")], ""),
    ],
)
def test_reason_is_of_the_last_answer(answers: list[AnyMessage], expected: str) -> None:
    view = [HumanMessage("hello"), *answers, HumanMessage("go on")]
    assert find_reset_reason(view, "a/one", "build") == expected
