"""The repeat of an answer that was thinking only."""

import pytest
from langchain_core.messages import AIMessage

from maxagent.models.errors import OnlyThinkingError
from maxagent.models.http.dialect import RequestOptions
from maxagent.models.thinking_retry import invoke_with_less_thinking


class Model:
    """Answers once it is told not to think."""

    def __init__(self, *, ends: bool = True) -> None:
        self.asked: list[str] = []
        self._ends = ends

    async def invoke(self, options: RequestOptions) -> AIMessage:
        self.asked.append(options.thinking)
        if options.thinking == "off" and self._ends:
            return AIMessage("done")
        raise OnlyThinkingError("used up")


async def test_only_thinking_is_repeated_once_without() -> None:
    model, retries = Model(), list[OnlyThinkingError]()
    options = RequestOptions(thinking="on", effort="high")
    answer = await invoke_with_less_thinking(model.invoke, options, retries.append)
    assert (answer.text, model.asked, len(retries)) == ("done", ["on", "off"], 1)


@pytest.mark.parametrize(("thinking", "asked"), [("on", ["on", "off"]), ("off", ["off"])])
async def test_second_failure_is_final(thinking: str, asked: list[str]) -> None:
    model = Model(ends=False)
    options = RequestOptions(thinking="on" if thinking == "on" else "off")
    with pytest.raises(OnlyThinkingError):
        await invoke_with_less_thinking(model.invoke, options, lambda error: None)
    assert model.asked == asked
