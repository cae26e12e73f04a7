from pathlib import Path

import pytest
from langchain_core.messages import AIMessage

from maxagent import trust
from maxagent.nodes.context import Context
from maxagent.nodes.conversation import answer_to
from maxagent.nodes.nested_instructions import nested_instructions
from maxagent.nodes.workbench import close_workbenches, workbench

OPTIONS = {"model": "openai/any", "base_url": "http://127.0.0.1:9/v1"}
SPOKEN = AIMessage("")


def read(path: str):
    return answer_to("c", "read_file", "coder", "text", ok=True, seen={path: "hash"})


@pytest.fixture
async def told(tmp_path: Path):
    project, home = tmp_path / "p", tmp_path / "home"
    for name in ("AGENTS.md", "sub/AGENTS.md", "sub/deep/CLAUDE.md", "beside/AGENTS.md"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(f"rules of {name}\n")
    (project / "AGENTS.md").write_text("@beside/AGENTS.md\n")
    trust(project, home)
    bench = await workbench(str(project), OPTIONS, Context(home=str(home)))

    def tell(*heard):
        return nested_instructions(heard, bench, "coder")

    tell.project = project
    yield tell
    await close_workbenches()


async def test_those_of_the_folders_of_what_was_shown_are_told_the_nearest_last(told) -> None:
    (note,) = told(read("sub/deep/a.py"), SPOKEN)  # the answer may be half of one
    assert note.text.index("rules of sub/AGENTS.md") < note.text.index("rules of sub/deep/CLAUDE")
    assert note.additional_kwargs["role"] == "coder" and note.additional_kwargs["synthetic"]


async def test_nothing_is_told_of_other_folders(told) -> None:
    assert told(SPOKEN, read("a.py")) == told() == []
    assert told(SPOKEN, read("beside/a.py")) == []  # every run begins with it


async def test_each_is_told_once(told) -> None:
    (first,) = told(SPOKEN, read("sub/a.py"))
    heard = [SPOKEN, read("sub/a.py"), first, SPOKEN, read("sub/deep/a.py")]
    (second,) = told(*heard)
    assert "sub/AGENTS.md" not in second.text and "sub/deep/CLAUDE.md" in second.text
    assert told(*heard, second) == []


async def test_what_is_not_as_it_was_trusted_is_not_told(told) -> None:
    (told.project / "sub/AGENTS.md").write_text("other rules\n")
    (told.project / "sub/deep/CLAUDE.md").unlink()
    (told.project / "sub/new").mkdir()
    (told.project / "sub/new/AGENTS.md").write_text("new rules\n")
    assert told(SPOKEN, read("sub/new/a.py"), read("sub/deep/a.py")) == []
