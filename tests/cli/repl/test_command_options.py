"""Which conversation is gone on with, and which copy is made of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from maxagent import Runner
from maxagent.cli.repl.command_options import add_plan, read_schema, select_thread
from maxagent.config.errors import UsageError
from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.threads.record import ThreadRow


@pytest.fixture
async def talked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two conversations of this folder, the older one first, and a task after them."""
    monkeypatch.setenv("MAXAGENT_HOME", str(tmp_path / "home"))
    (tmp_path / "script.json").write_text(json.dumps([{"text": "Hello."}, {"text": "SMALL"}]))
    options: Any = {"model": f"scripted/{tmp_path / 'script.json'}"}
    (tmp_path / "project").mkdir()
    async with Runner() as runner:
        for text in ("one", "two"):
            async for _ in runner.chat(text, folder=tmp_path / "project", options=options):
                pass
    index = ThreadIndex()
    task = {"title": "x", "folder": str(tmp_path / "project"), "graph": "task", "request": "x"}
    index.record_thread(thread_id="f" * 36, options={}, **task)
    index.set_status("f" * 36, "done")
    return [row.thread_id for row in reversed(index.list()) if row.graph == "chat"]


def chosen(folder: Path, **value: Any) -> ThreadRow | None:
    expected: dict[str, Any] = {"latest": False, "named": None, "fork": False, "name": "", **value}
    return select_thread(folder / "project", **expected)


async def test_selection_is_none_latest_or_named_thread(talked: list[str], tmp_path: Path) -> None:
    first, second = talked
    assert chosen(tmp_path) is None
    latest, names = chosen(tmp_path, latest=True), chosen(tmp_path, named=first[:8])
    assert latest and names and (latest.thread_id, names.thread_id) == (second, first)


async def test_copy_is_a_separate_thread_with_own_name(talked: list[str], tmp_path: Path) -> None:
    copy = chosen(tmp_path, latest=True, fork=True, name="idea")
    assert copy and copy.thread_id not in talked and copy.parent == talked[1]
    assert ThreadIndex().find("idea").thread_id == copy.thread_id
    assert chosen(tmp_path, named="idea", name="better")
    assert ThreadIndex().find("better").thread_id == copy.thread_id
    saved = [row.thread_id for row in ThreadIndex().list()]
    for name in ("better", "two\nlines"):
        with pytest.raises(UsageError):
            chosen(tmp_path, latest=True, fork=True, name=name)
    assert [row.thread_id for row in ThreadIndex().list()] == saved


async def test_what_cannot_be_copied_is_reported(talked: list[str], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has not started yet"):
        chosen(tmp_path, named="f" * 36, fork=True)
    with pytest.raises(UsageError, match="no conversation to fork given"):
        chosen(tmp_path, fork=True)


def test_a_schema_is_read(tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    file.write_text('\ufeff{"type": "object"}', encoding="utf-8")
    assert read_schema(file) == {"type": "object"}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, "cannot be read: No such file"),
        (b"", "line 1, column 1"),
        (b'{"type": "object",\n}', "line 2, column 1"),
        (b"\xff\xfe\x00", "is not valid JSON"),
        (b"[" * 100_000, "is not valid JSON"),
        (b"[]", "is not a JSON schema"),
        (b'{"type": "objet"}', "is not a JSON schema: `$.type`"),
        (b'{"$ref": "other.json"}', "refers to `other.json`"),
    ],
)
def test_what_cannot_be_used_is_reported(content: bytes | None, text: str, tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        read_schema(file)
    assert str(file) in caught.value.message and text in caught.value.message
    assert caught.value.hint


def test_a_folder_is_no_schema(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: Is a directory"):
        read_schema(tmp_path)


def test_a_plan_is_the_message_and_mentions_nothing(tmp_path: Path) -> None:
    (tmp_path / "p.md").write_text("# Cut\n\nRead @secret.\n")
    message, options = add_plan(tmp_path, "p.md", "Not step 3.", {})
    assert message == "Carry out the plan in `p.md`:\n\n# Cut\n\nRead @secret.\n\nNot step 3."
    assert options == {"mentioning": "Not step 3."}


@pytest.mark.parametrize("name", ["other", "project/below", "umlaut ä", ".", "deep/er"])
async def test_thread_of_another_folder_names_move(
    talked: list[str], tmp_path: Path, name: str
) -> None:
    elsewhere = tmp_path / name
    elsewhere.mkdir(parents=True, exist_ok=True)
    with pytest.raises(UsageError) as caught:
        select_thread(elsewhere, latest=False, named=talked[0][:8], fork=False, name="")
    assert f"`mcode threads move {talked[0][:8]} FOLDER`" in str(caught.value.hint)
    assert ThreadIndex().get(talked[0]).folder == str(tmp_path / "project")


async def test_thread_is_found_without_folder_option(talked: list[str]) -> None:
    row = select_thread(Path("."), latest=False, named=talked[0][:8], fork=False, name="")
    assert row and row.thread_id == talked[0]
