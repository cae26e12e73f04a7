import json
import random
import re
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage

from maxagent import trust
from maxagent.nodes.run.context import Context
from maxagent.nodes.run.message_history import build_role_message, build_tool_message
from maxagent.nodes.turn.request_notes import INCLUDED, build_nested_notes, build_notices
from maxagent.sdk.graph_registry import TASK
from maxagent.sdk.interrupt_response import Answer
from maxagent.sdk.runner import Runner
from maxagent.sdk.threads.file_history import open_leased_files

OPTIONS = {"model": "openai/any", "base_url": "http://127.0.0.1:9/v1"}
SPOKEN = AIMessage("")
HALF = AIMessage("", additional_kwargs={"interrupted": True, "told": True})
MANY = 20
NUMBERS = (0, 1, 1, 2, 12)
QUESTION = {"name": "ask_user", "args": {"question": "Go on?"}}
WRITE = {"name": "write_file", "args": {"path": "a.txt", "content": "one\n"}}


def read(path: str):
    return build_tool_message("c", "read_file", "coder", "text", ok=True, seen={path: "hash"})


@pytest.fixture
async def nested_notes(tmp_path: Path):
    project, home = tmp_path / "p", tmp_path / "home"
    for name in ("AGENTS.md", "sub/AGENTS.md", "sub/deep/CLAUDE.md", "beside/AGENTS.md"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(f"rules of {name}\n")
    (project / "AGENTS.md").write_text("@beside/AGENTS.md\n")
    for number in range(MANY):
        (project / f"many/{number:02}").mkdir(parents=True)
        (project / f"many/{number:02}/AGENTS.md").write_text(f"rules {number:02}\n" + "x" * 4_000)
    trust(project, home)
    context = Context(home=str(home))
    deps = await context.pool.open(str(project), OPTIONS, context)

    def tell(*events):
        return build_nested_notes(events, deps, "coder")

    tell.project, tell.home, tell.context = project, home, context
    yield tell
    await context.pool.close()


async def test_nested_instructions_of_shown_files_come_nearest_last(nested_notes) -> None:
    stopped = (HALF, build_role_message("coder", "Stop"))  # what it was told was not kept
    (note,) = nested_notes(read("sub/deep/a.py"), read("a.py"), *stopped)
    assert note.text.index("rules of sub/AGENTS.md") < note.text.index("rules of sub/deep/CLAUDE")
    assert note.additional_kwargs["role"] == "coder" and note.additional_kwargs["synthetic"]


async def test_nothing_is_reported_other_folders(nested_notes) -> None:
    assert nested_notes(SPOKEN, read("a.py")) == nested_notes() == []
    assert nested_notes(SPOKEN, read("beside/a.py")) == []  # every run begins with it


async def test_each_is_reported_once(nested_notes) -> None:
    (first,) = nested_notes(SPOKEN, read("sub/a.py"))
    events = [SPOKEN, read("sub/a.py"), first, SPOKEN, read("sub/deep/a.py")]
    (second,) = nested_notes(*events)
    assert "sub/AGENTS.md" not in second.text and "sub/deep/CLAUDE.md" in second.text
    assert nested_notes(*events, second) == []


async def test_deferred_instructions_are_sent_at_next_steps(nested_notes) -> None:
    indexes = [SPOKEN, *(read(f"many/{number:02}/a.py") for number in range(MANY))]
    notes = []
    while more := nested_notes(*indexes):
        notes += more
        indexes += [*more, SPOKEN, read("a.py")]
    numbers = [re.findall(r"rules (\d+)", note.text) for note in notes]
    assert [*map(len, numbers)] == [7, 7, 6] and len({*sum(numbers, [])}) == MANY
    assert not any("left out" in note.text for note in notes)


def shown_and_told(events) -> tuple[set[str], list[str]]:
    output = {path for item in events for path in item.additional_kwargs.get("seen", ())}
    below = {str(Path(path).parent / "AGENTS.md") for path in output if "/" in path}
    return below, [name for item in events for name in item.additional_kwargs.get(INCLUDED, ())]


@pytest.mark.parametrize("seed", range(20))
async def test_each_instruction_is_sent_once_in_any_history(nested_notes, seed: int) -> None:
    chance = random.Random(seed)
    events, before = [build_role_message("coder", "Hi")], []
    for _ in range(60):
        before.append([*events])
        match chance.choice(["step", "step", "killed", "cut short", "said", "gone back"]):
            case "step":
                files = [
                    f"many/{chance.randrange(MANY):02}/a.py" for _ in range(chance.choice(NUMBERS))
                ]
                events += [*nested_notes(*events), SPOKEN, *map(read, files)]
            case "killed":
                nested_notes(*events)
            case "cut short":
                events += [HALF, build_role_message("coder", "Stop")]
            case "said":
                events += [build_role_message("coder", "Go on")]
            case "gone back":
                events = [*chance.choice(before)]
    while more := nested_notes(*events):
        events += [*more, SPOKEN]
    below, names = shown_and_told(events)
    assert len(names) == len({*names}) and {*names} == below != set()


async def test_files_shown_before_last_answer_add_no_instructions(nested_notes) -> None:
    events = [read("sub/deep/a.py"), read("a.py"), SPOKEN, read("a.py")]
    assert nested_notes(*events) == []
    (note,) = nested_notes(*events, build_role_message("coder", "I trust more of it now"))
    assert "sub/AGENTS.md" in note.text and "sub/deep/CLAUDE.md" in note.text


async def test_changed_nested_instructions_are_withheld_and_reported_once(nested_notes) -> None:
    for name in ("sub/AGENTS.md", "sub/new/AGENTS.md", "node_modules/p/AGENTS.md", "r/AGENTS.md"):
        (nested_notes.project / name).parent.mkdir(parents=True, exist_ok=True)
        (nested_notes.project / name).write_text("other rules\n")
    (nested_notes.project / "r/.git").mkdir()
    (nested_notes.project / "sub/deep/CLAUDE.md").unlink()
    output = [
        read(f"{location}/a.py") for location in ("sub/new", "sub/deep", "node_modules/p", "r")
    ]
    (note,) = nested_notes(SPOKEN, *output)
    assert "other rules" not in note.text and "it is new or has changed" in note.text
    assert not note.additional_kwargs[INCLUDED]
    notices = build_notices([note])
    names = ("sub/AGENTS.md", "sub/new/AGENTS.md")
    assert [item.partition(" is not loaded: it is new")[0] for item in notices] == [
        f"`{name}`" for name in names
    ]
    events = [SPOKEN, *output, note, SPOKEN]
    assert (
        nested_notes(*events, *output)
        == nested_notes(*events, build_role_message("coder", "Go on"))
        == []
    )
    (nested_notes.project / "sub/AGENTS.md").write_text("rules of sub/AGENTS.md\n")  # as it was
    (note,) = nested_notes(*events, read("sub/a.py"))
    assert "rules of sub/AGENTS.md" in note.text and not build_notices([note])


async def test_changed_import_of_nested_instructions_is_withheld(nested_notes) -> None:
    (nested_notes.project / "sub/more.md").write_text("more")
    (nested_notes.project / "sub/deep/CLAUDE.md").write_text("@../more.md @../.env @../nowhere.md")
    (nested_notes.project / "sub/.env").write_text("hidden")
    trust(nested_notes.project, nested_notes.home)
    (nested_notes.project / "sub/more.md").write_text("other")
    await nested_notes.context.pool.reload_if_changed(str(nested_notes.project))
    deps = await nested_notes.context.pool.open(
        str(nested_notes.project), OPTIONS, nested_notes.context
    )
    (note,) = build_nested_notes([SPOKEN, read("sub/deep/a.py")], deps, "coder")
    assert note.additional_kwargs[INCLUDED] == ["sub/AGENTS.md", "sub/deep/CLAUDE.md"]
    (output,) = build_notices([note])
    assert output.startswith("`sub/more.md` is not loaded")


@pytest.fixture
def options(tmp_path: Path) -> dict:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / ".llc.yaml").write_text("task: {test_command: 'true'}\n")
    trust(tmp_path / "project", tmp_path / "home")
    coder = [{"tool_calls": [WRITE]}, {"tool_calls": [QUESTION]}, {"text": "done"}]
    turns = {"architect": [{"text": "SMALL"}], "coder": coder, "tester": [{"text": "Accepted."}]}
    (tmp_path / "scenario.json").write_text(json.dumps(turns))
    return {"model": f"scripted/{tmp_path / 'scenario.json'}", "mode": "auto", "apply": True}


async def told(tmp_path: Path, options: dict, *kinds: str) -> list[str]:
    """What the coder is told after its first brief, when files went back while it asked."""
    async with Runner(home=tmp_path / "home") as runner:
        events = runner.task("x", folder=tmp_path / "project", options=options)
        asked = [event async for event in events][-1]
        row = runner.threads.find(asked.thread_id)
        for kind in kinds:
            with open_leased_files(row, tmp_path / "home") as files:
                way = await files.plan_restore(kind)
                await way.apply()
        _ = [event async for event in runner.resume(row.thread_id, Answer(text="yes"))]
        config = {"configurable": {"thread_id": row.thread_id}}
        state = await runner._graph_of(TASK).aget_state(config)
    coder = [m for m in state.values["messages"] if m.additional_kwargs["role"] == "coder"]
    return [message.text for message in coder if message.type == "human"][1:]


async def test_files_that_were_undone_are_named_once(tmp_path: Path, options: dict) -> None:
    (text,) = await told(tmp_path, options, "undo")
    assert "`a.txt`" in text


async def test_unchanged_files_are_not_reported_as_stale(tmp_path: Path, options: dict) -> None:
    assert await told(tmp_path, options) == []
    (tmp_path / "project" / "a.txt").unlink()
    assert await told(tmp_path, options, "undo", "redo") == []
