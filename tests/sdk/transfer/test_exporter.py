import json
from pathlib import Path

import pytest

from maxagent import Runner, trust
from maxagent.config import paths
from maxagent.memory.threads.archive import MAX_BYTES, MAX_OUTPUTS, read_archive
from maxagent.memory.threads.index import ThreadIndex
from maxagent.sdk.transfer.exporter import export_thread

LATER = "Zq8-became-a-secret-later"
SHOW = {"name": "run_command", "args": {"command": f"echo {LATER}; seq 9000; echo {LATER}"}}


@pytest.fixture
async def home(tmp_path: Path):
    folder, home = tmp_path / "project", tmp_path / "home"
    folder.mkdir()
    trust(folder, home)
    turns = [{"text": f"I echo {LATER}", "tool_calls": [SHOW]}, {"text": "Done."}]
    (tmp_path / "scenario.json").write_text(json.dumps({"build": turns}))
    async with Runner(home=home) as runner:
        options = {"model": f"scripted/{tmp_path}/scenario.json", "mode": "auto"}
        async for _ in runner.chat(f"Say {LATER}", folder=folder, options=options):
            pass
    return home


def test_new_secrets_are_in_no_exported_file(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (row,) = ThreadIndex(home).list()
    path = tmp_path / "thread.zip"
    path.write_bytes(export_thread(row, home).content)
    before = read_archive(path)
    assert LATER in str(before)
    monkeypatch.setenv("MY_API_KEY", LATER)
    path.write_bytes(export_thread(row, home).content)
    after = read_archive(path)
    assert LATER not in str(after)
    assert "[secret: MY_API_KEY]" in after.manifest.thread.request
    assert [len(table) for table in after.rows] == [len(table) for table in before.rows]
    (output,) = after.outputs.values()
    assert output.startswith(b"[secret: MY_API_KEY]\n1\n") and len(after.outputs) == 1


def test_files_of_others_among_the_outputs_stay(home: Path, tmp_path: Path) -> None:
    (row,) = ThreadIndex(home).list()
    folder = paths.locate_outputs(home, row.thread_id)
    (folder / "notes.so").write_text("x")
    (tmp_path / "other.txt").write_text("x")
    (folder / "link.txt").symlink_to(tmp_path / "other.txt")
    (folder / "page.html").write_text("a page that is just being read")
    (tmp_path / "thread.zip").write_bytes(export_thread(row, home).content)
    (name,) = read_archive(tmp_path / "thread.zip").outputs
    assert name.endswith(".txt") and name != "link.txt"


def test_outputs_beyond_import_limits_are_omitted_and_named(home: Path, tmp_path: Path) -> None:
    (row,) = ThreadIndex(home).list()
    folder = paths.locate_outputs(home, row.thread_id)
    (own,) = [file.name for file in folder.iterdir()]
    with (folder / "huge.txt").open("wb") as file:
        file.truncate(MAX_BYTES)
    for number in range(MAX_OUTPUTS):
        (folder / f"{number}.txt").touch()
    export = export_thread(row, home)
    assert export.too_large == [own, "huge.txt"]
    (tmp_path / "thread.zip").write_bytes(export.content)
    archive = read_archive(tmp_path / "thread.zip")
    assert len(archive.outputs) == MAX_OUTPUTS
    assert [line.split()[3] for line in archive.manifest.left_out[-2:]] == [f"{own}:", "huge.txt:"]
