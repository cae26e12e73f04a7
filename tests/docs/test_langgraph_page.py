"""The programs of `docs/langgraph.md`, run as they are written."""

import ast
import asyncio
import inspect
import json
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx2
import pytest

from maxagent import trust

PAGE = Path(__file__).parents[2] / "docs/langgraph.md"
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
WRITE = {"name": "write_file", "args": {"path": "hello.txt", "content": "Hello.\n"}}
ANSWER = {"text": "Hello there."}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder, home = tmp_path / "project", tmp_path / "home"
    folder.mkdir()
    trust(folder, home)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("MAXAGENT_HOME", str(home))
    monkeypatch.setenv("LLC_MODE", "ask")
    return folder


def play(project: Path, monkeypatch: pytest.MonkeyPatch, *turns: Any) -> None:
    """Let the scripted model be the user's."""
    script = project.parent / "script.json"
    script.write_text(json.dumps(turns))
    monkeypatch.setenv("LLC_MODEL", f"scripted/{script}")


@pytest.mark.parametrize(
    ("number", "turns", "printed"),
    [
        (0, [{"tool_calls": [WRITE]}, ANSWER], "write_file\nHello there.\n"),
        (1, [ANSWER], "Hello there.\n"),
        (2, [ANSWER], "Dear customer, Hello there.\n"),
        (3, [ANSWER], "Hello there.\n"),
        (6, [ANSWER], "There are seven.\n"),
    ],
)
def test_program_of_the_page_prints_its_answer(
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    number: int,
    turns: Any,
    printed: str,
) -> None:
    play(project, monkeypatch, *turns)
    exec(compile(PROGRAMS[number], str(PAGE), "exec"), {"__name__": "page"})
    assert capsys.readouterr().out == printed
    assert (project / "hello.txt").exists() is (number == 0)


def test_notebook_cells_of_the_page_go_on(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    play(project, monkeypatch, ANSWER, {"text": "Bonjour."})
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = re.split(r"# %%.*\n", PROGRAMS[5])
    with asyncio.Runner() as notebook:
        for cell in cells:
            # as IPython runs a cell
            code = compile(cell, str(PAGE), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            ended = eval(code, names)
            if inspect.iscoroutine(ended):
                notebook.run(ended)
    assert len(cells) == 2 and capsys.readouterr().out == "Hello there.\nBonjour. 4\n"


@pytest.mark.skipif(find_spec("starlette") is None, reason="starlette is not installed")
async def test_service_of_the_page_answers_at_once(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(project, monkeypatch, ANSWER)
    names: dict[str, Any] = {"__name__": "page"}
    exec(compile(PROGRAMS[4], str(PAGE), "exec"), names)
    transport = httpx2.ASGITransport(app=names["app"])
    async with httpx2.AsyncClient(transport=transport, base_url="http://service") as client:
        posts = [client.post(f"/threads/{number}", content="Say hello") for number in range(5)]
        answers = [reply.text for reply in await asyncio.gather(*posts)]
    for answer in answers:
        events = [json.loads(line) for line in answer.splitlines()]
        texts = [event["text"] for event in events if event["type"] == "output"]
        assert "".join(texts).strip() == "Hello there."
