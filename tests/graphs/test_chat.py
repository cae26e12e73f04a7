from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from talk import Talk, says

from maxagent import Runner
from maxagent.config.errors import UnfinishedTurnError, UsageError
from maxagent.graphs.chat import graph
from maxagent.sdk.events import Completion, ModeChanged, Question, RunStarted, ToolResult
from maxagent.sdk.threads.steps import find_step, read_thread_branches
from maxagent.sdk.threads.time_travel import fork, rewind_talk
from maxagent.sdk.threads.transcript import read_transcript

WRITE = {"path": "new.txt", "content": "new\n"}
Talks = Callable[..., Talk]


@pytest.fixture
async def talks(tmp_path: Path) -> AsyncIterator[Talks]:
    async with Runner(home=tmp_path / "home") as runner:
        yield lambda *turns: Talk(tmp_path, runner, *turns)


def test_drawn_chat_graph_has_modes_tools_and_switch() -> None:
    drawn = graph.get_graph()
    edges = {(edge.source, edge.target) for edge in drawn.edges}
    assert {("listen", "compact"), ("compact", "plan"), ("build", "approve")} <= edges
    assert {("approve", "switch"), ("switch", "build"), ("plan", "__end__")} <= edges


def test_chat_schemas_for_studio_can_be_generated() -> None:
    for schema in (
        graph.get_input_jsonschema(),
        graph.get_output_jsonschema(),
        graph.get_context_jsonschema(),
    ):
        assert schema["properties"]


async def test_turn_ends_with_answer_and_next_turn_remembers(talks: Talks) -> None:
    talk = talks(says("Hello."), says("Again."))
    first = await talk.say("hi")
    second = await talk.say("and again")
    assert isinstance(first, Completion)
    assert (first.outcome, first.summary, first.graph) == ("answered", "Hello.", "chat")
    assert second.summary == "Again."
    said = [message.text for message in (await talk.state())["messages"]]
    assert said == ["hi", "Hello.", "and again", "Again."]
    assert talk.runner.threads.get(talk.thread).status == "idle"


async def test_a_conversation_asks_before_it_changes_anything(talks: Talks) -> None:
    talk = talks(says(write_file=WRITE), says("Written."))
    asked = await talk.say("write it")
    assert isinstance(asked, Question) and asked.kind == "approval"
    assert not (talk.folder / "new.txt").exists()
    end = await talk.answer(approve=True)
    assert (end.summary, (talk.folder / "new.txt").read_text()) == ("Written.", "new\n")
    assert end.files == [{"path": "new.txt", "kind": "added"}]


async def test_completion_lists_only_files_of_last_turn(talks: Talks) -> None:
    talk = talks(says(write_file=WRITE), says("Written."), says("Nothing to do."))
    await talk.say("write it", mode="edits")
    assert (await talk.say("more?")).files == []


async def test_new_message_waits_for_answered_or_abandoned_question(talks: Talks) -> None:
    talk = talks(says(write_file=WRITE), says("Then not."))
    await talk.say("write it")
    with pytest.raises(UnfinishedTurnError, match="waits for an answer"):
        await talk.say("something else")
    end = await talk.say("something else", abandon=True)
    assert (end.summary, (talk.folder / "new.txt").exists()) == ("Then not.", False)
    answer = (await talk.state())["messages"][2]
    assert answer.status == "error" and "It was not run" in answer.text


async def test_new_message_continues_when_nothing_is_pending(talks: Talks) -> None:
    talk = talks(says(list_files={}), says("One."), says("Two."), says("Three."))
    await talk.say("list them")
    row, home = talk.runner.threads.get(talk.thread), talk.runner.home
    await rewind_talk(row, home, find_step(row, home, 1))
    assert talk.runner.threads.get(talk.thread).status == "interrupted"
    assert (await talk.say("or rather not")).summary == "One."
    await rewind_talk(row, home, find_step(row, home, 1))
    talk.runner.threads.set_status(talk.thread, "running")  # as a kill leaves it
    for _ in range(2):
        with pytest.raises(UnfinishedTurnError, match="was cut short"):
            await talk.say("and now?")
    assert (await talk.say("and now?", abandon=True)).summary == "One."


async def test_unstarted_fork_is_not_reported_as_interrupted(talks: Talks) -> None:
    talk = talks(says("One."), says("Two."))
    await talk.say("first")
    row, home = talk.runner.threads.get(talk.thread), talk.runner.home
    talk.thread = (await fork(row, home, find_step(row, home, 0), "rather this")).thread_id
    with pytest.raises(UnfinishedTurnError, match="has not started yet"):
        await talk.say("and now?")


@pytest.mark.parametrize(
    ("at", "kept"), [(0, []), (1, ["first", "One."]), (2, ["first", "One.", "second", "Two."])]
)
async def test_before_a_message_another_one_takes_its_place(
    talks: Talks, at: int, kept: list[str]
) -> None:
    talk = talks(*(says(f"{word}.") for word in ("One", "Two", "Three")))
    words = ["first", "second", "third"]
    for word in words:
        await talk.say(word)
    row, home = talk.runner.threads.get(talk.thread), talk.runner.home
    messages = read_thread_branches(row, home).messages
    assert [(one.text, one.before.number) for one in messages] == list(
        zip(words, (0, 1, 2), strict=True)
    )
    await rewind_talk(row, home, messages[at].before)
    assert [one.text for one in read_thread_branches(row, home).messages] == words[:at]
    assert talk.runner.threads.get(talk.thread).status == "idle"
    await talk.say("other")
    said = [message.text for message in (await talk.state())["messages"]]
    assert said[:-1] == [*kept, "other"]
    assert [one.text for one in read_thread_branches(row, home).messages] == [*words[:at], "other"]
    assert [one.text for one in read_transcript(row, home) if one.kind == "human"] == [
        *words[:at],
        "other",
    ]
    assert [one.number for one in read_thread_branches(row, home).steps] == list(range(at + 2))


async def test_a_choice_holds_from_then_on(talks: Talks) -> None:
    talk = talks(says("One."), says("Two."), says("Three."))
    await talk.say("one")
    await talk.say("two", mode="auto")
    await talk.say("three")
    [started] = talk.heard(RunStarted)
    assert started.mode == "auto"


async def test_another_agent_speaks_for_one_turn(talks: Talks) -> None:
    talk = talks(says("One."), says(write_file=WRITE), says("Two."), says("Three."))
    await talk.say("one")
    await talk.say("look around", agent="explore")
    [refused] = [one for one in talk.heard(ToolResult) if not one.ok]
    assert "no tool `write_file`" in refused.error
    assert talk.heard(ModeChanged)[0].agent == "explore"
    await talk.say("and you?")
    assert talk.heard(ModeChanged)[0].agent == "build"


async def test_unknown_agent_is_refused_before_thread_exists(talks: Talks) -> None:
    talk = talks(says("One."))
    with pytest.raises(UsageError, match="nobody"):
        talk.options["agent"] = "nobody"
        await talk.say("hi")
    assert talk.runner.threads.list() == []


async def test_a_task_is_no_conversation(talks: Talks) -> None:
    talk = talks(says("SMALL"), says("Done."))
    started = talk.runner.task("do it", folder=talk.folder, options=talk.options)
    thread = [event async for event in started][-1].thread_id
    with pytest.raises(UsageError, match="not a conversation"):
        _ = [event async for event in talk.runner.say(thread, "hi")]


async def test_a_taken_name_leaves_no_thread(talks: Talks) -> None:
    talk = talks(says("One."))
    chat = talk.runner.chat
    _ = [e async for e in chat("hi", folder=talk.folder, options=talk.options, name="mine")]
    with pytest.raises(UsageError, match="mine"):
        _ = [e async for e in chat("ho", folder=talk.folder, options=talk.options, name="mine")]
    assert [row.name for row in talk.runner.threads.list()] == ["mine"]


async def test_custom_agent_runs_with_own_prompt_and_rules(talks: Talks) -> None:
    talk = talks(says(write_file=WRITE), says("Then not."), says("Back."))
    agents = talk.runner.home / "agents"
    agents.mkdir()
    (agents / "careful.md").write_text("---\npermissions: {deny: [edit]}\n---\nBe careful.\n")
    for name, reason in (
        ("carful", "no agent `carful`"),
        ("general", "works only for other agents"),
    ):
        talk.options["agent"] = name
        with pytest.raises(UsageError, match=reason):
            await talk.say("write it")
    talk.options["agent"] = "careful"
    end = await talk.say("write it", mode="auto")
    assert (end.summary, (talk.folder / "new.txt").exists()) == ("Then not.", False)
    (refused,) = talk.heard(ToolResult)
    assert "the user's rules deny `edit`" in refused.error
    for name, reason in (
        ("nobody", "no agent `nobody`"),
        ("general", "works only for other agents"),
    ):
        with pytest.raises(UsageError, match=reason):
            await talk.say("and you?", agent=name)
    assert (await talk.say("and you?", agent="build")).summary == "Back."


async def test_missing_old_model_does_not_block_next_turn(talks: Talks) -> None:
    talk = talks(says("One."), says("Two."))
    first = talk.options["model"]
    await talk.say("one")
    other = talk.script(says("One."), says("Two."), says("Three."))
    Path(first.removeprefix("scripted/")).unlink()
    assert (await talk.say("two", model=other)).summary == "Two."
    assert (await talk.say("three")).summary == "Three."
