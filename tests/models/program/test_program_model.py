"""Chat model objects of a program, in real runs: streaming, whole, without tools, failing."""

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from repair_project import BROKEN, REPAIR, SETTINGS, TEST

from maxagent import MaxAgentError, Runner, UsageError, collect

CALL = {"name": "write_file", "args": {"path": "a.txt", "content": "a\n"}, "id": "c1"}
XML = "<write_file>\n<path>a.txt</path>\n<content>a\n</content>\n</write_file>"
USED = {"input_tokens": 5, "output_tokens": 2, "total_tokens": 7}


class Whole(BaseChatModel):
    """Answers as a whole: first with a call, then with text."""

    model_name: str = "own-model"
    requests: list[list[BaseMessage]] = []

    @property
    def _llm_type(self) -> str:
        return "own"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self.bind(tools=[tool.name for tool in tools])

    def answer(self, messages: list[BaseMessage]) -> AIMessage:
        self.requests.append(messages)
        if any(message.type in ("tool", "ai") for message in messages):
            return AIMessage("It is written.", usage_metadata=USED)
        return AIMessage("", tool_calls=[{**CALL, "type": "tool_call"}], usage_metadata=USED)

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any):
        assert "options" not in kwargs, "not for the program's model"
        return ChatResult(generations=[ChatGeneration(message=self.answer(messages))])


class Streams(Whole):
    """Answers in pieces."""

    async def _astream(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        answer = self.answer(messages)
        for letter in str(answer.content):
            yield ChatGenerationChunk(message=AIMessageChunk(letter))
        for call in answer.tool_calls:
            args = json.dumps(call["args"])
            first = tool_call_chunk(name=call["name"], args=args[:20], id=call["id"], index=0)
            second = tool_call_chunk(name=None, args=args[20:], id=None, index=0)
            for chunk in (first, second):
                yield ChatGenerationChunk(message=AIMessageChunk("", tool_call_chunks=[chunk]))
        yield ChatGenerationChunk(message=AIMessageChunk("", usage_metadata=USED))


class Toolless(Whole):
    """Knows no tools, so it is told of them in the prompt."""

    bind_tools = BaseChatModel.bind_tools

    def answer(self, messages: list[BaseMessage]) -> AIMessage:
        self.requests.append(messages)
        is_first = not any(message.type == "ai" for message in messages)
        return AIMessage(XML if is_first else "It is written.")


class Fails(Whole):
    """Fails as a client's library does."""

    def answer(self, messages: list[BaseMessage]) -> AIMessage:
        raise ValueError("the key has expired")


@pytest.mark.parametrize("kind", [Whole, Streams, Toolless])
async def test_a_model_object_does_the_work(kind: Any, tmp_path: Any) -> None:
    model = kind(requests=[])
    (tmp_path / "project").mkdir()
    async with Runner(home=tmp_path / "home", model=model) as runner:
        chat = runner.chat("Go.", folder=tmp_path / "project", options={"mode": "auto"})
        result = await collect(chat)
        assert (result.status, result.text) == ("answered", "It is written.")
        assert (tmp_path / "project/a.txt").read_text().strip() == "a"
        assert (await runner.options_of(result.thread_id))["model"] == "program/own-model"
        again = await collect(runner.say(result.thread_id, "And?"))
        assert again.text == "It is written." and len(model.requests) == 3


async def test_a_failing_model_says_why(tmp_path: Any) -> None:
    async with Runner(home=tmp_path / "home", model=Fails()) as runner:
        with pytest.raises(MaxAgentError, match="the key has expired") as raised:
            await collect(runner.chat("Go.", folder=tmp_path))
        assert "internal error" not in str(raised.value)


@pytest.mark.parametrize("model", [None, Whole(model_name="another")], ids=["gone", "another"])
@pytest.mark.parametrize("act", ["say", "resume"])
async def test_a_thread_without_its_model_says_so(tmp_path: Any, model: Any, act: str) -> None:
    (tmp_path / "project").mkdir()
    async with Runner(home=tmp_path / "home", model=Whole(requests=[])) as runner:
        chat = runner.chat("Go.", folder=tmp_path / "project", options={"mode": "ask"})
        asked = (await collect(chat)).question
    assert asked
    async with Runner(home=tmp_path / "home", model=model) as runner:
        run = (
            runner.resume(asked.thread_id, asked.allow())
            if act == "resume"
            else runner.say(asked.thread_id, "And?", abandon=True)
        )
        with pytest.raises(UsageError, match="program/own-model") as raised:
            await collect(run)
    assert "Runner(model=" in str(raised.value)


async def test_an_option_goes_before_the_object(tmp_path: Any) -> None:
    (tmp_path / "script.json").write_text('[{"text": "Scripted."}]')
    model = Whole(requests=[])
    async with Runner(home=tmp_path / "home", model=model) as runner:
        options: Any = {"model": f"scripted/{tmp_path / 'script.json'}"}
        result = await collect(runner.chat("Go.", folder=tmp_path, options=options))
    assert (result.text, model.requests) == ("Scripted.", [])


@pytest.mark.parametrize("model", ["openai/gpt", 4, object()])
def test_what_is_no_model_is_refused(model: Any) -> None:
    with pytest.raises(UsageError, match="no chat model"):
        Runner(model=model)


class Repairs(Whole):
    """Plays the roles of a task, by what it has been asked and answered."""

    def answer(self, messages: list[BaseMessage]) -> AIMessage:
        system, seen = str(messages[0].content), [message.type for message in messages]
        if "architect" in system[:400].lower():
            return AIMessage("SMALL: fix double in numbers_.py")
        if "tester" in system[:400].lower():
            return AIMessage("Accepted.")
        steps = [{"name": "read_file", "args": {"path": "numbers_.py"}}, REPAIR]
        if seen.count("ai") < len(steps):
            call = steps[seen.count("ai")]
            return AIMessage("", tool_calls=[{**call, "id": f"c{len(seen)}", "type": "tool_call"}])
        return AIMessage("It doubles.")


class RepairsInPieces(Repairs, Streams):
    """Streams its calls."""


class RepairsAsXml(Repairs):
    """Knows no tools: its calls are text."""

    bind_tools = BaseChatModel.bind_tools

    def answer(self, messages: list[BaseMessage]) -> AIMessage:
        answer = super().answer(messages)
        for call in answer.tool_calls:
            args = "\n".join(f"<{name}>{value}</{name}>" for name, value in call["args"].items())
            return AIMessage(f"<{call['name']}>\n{args}\n</{call['name']}>")
        return answer


@pytest.mark.parametrize("kind", [Repairs, RepairsInPieces, RepairsAsXml])
async def test_a_whole_task_ends_verified(kind: Any, tmp_path: Any) -> None:
    (tmp_path / "project").mkdir()
    for name, content in (("numbers_.py", BROKEN), ("test_numbers.py", TEST)):
        (tmp_path / "project" / name).write_text(content)
    (tmp_path / "project/pytest.ini").write_text(SETTINGS)
    model = kind(requests=[])
    async with Runner(
        home=tmp_path / "home", model=model, on_question=lambda question: question.allow()
    ) as runner:
        runner.trust(tmp_path / "project")
        task = runner.task("repair double", folder=tmp_path / "project", options={"apply": True})
        result = await collect(task)
    assert (result.status, result.text) == ("verified", "It doubles.")
