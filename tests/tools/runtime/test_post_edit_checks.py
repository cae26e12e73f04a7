import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from maxagent.tools.builtin.files.edit import edit
from maxagent.tools.builtin.files.write_file import write_file
from maxagent.tools.filesystem.file_access import hash_content
from maxagent.tools.permissions.policy import Policy
from maxagent.tools.result import CallResult
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.runtime.post_edit_checks import MAX_SHOWN_CHARACTERS
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace


@pytest.fixture
def run(tmp_path: Path) -> ToolRun:
    project = tmp_path / "project"
    project.mkdir()
    (project / "a.txt").write_text("one\ntwo\n")
    seen = {"a.txt": hash_content(b"one\ntwo\n")}
    return ToolRun(Workspace(project), "c1", tmp_path / "outputs", seen=seen)


async def edited(run: ToolRun, *commands: str, new: str = "TWO") -> CallResult:
    policy = Policy("auto", after_edit={"*.txt": list(commands)})
    args = {"file_path": "a.txt", "old_string": "two", "new_string": new}
    return await invoke(edit, args, replace(run, policy=policy))


def text(run: ToolRun) -> str:
    return (run.workspace.root / "a.txt").read_text()


async def test_diff_and_hash_include_changes_by_checks(run) -> None:
    result = await edited(run, "sed -i s/TWO/Zwei/ {file}")
    assert text(run) == "one\nZwei\n"
    assert "-two\n+Zwei\n" in result.metadata["diff"] and "TWO" not in result.metadata["diff"]
    assert (result.metadata["added"], result.metadata["removed"]) == (1, 1)
    assert result.seen == {"a.txt": hash_content(b"one\nZwei\n")}
    assert "the checks changed `a.txt`" in result.output and "-TWO\n+Zwei" in result.output


async def test_the_diff_applies_to_what_was_there_before(run: ToolRun, tmp_path: Path) -> None:
    result = await edited(run, "printf 'three' >> {file}")
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    apply = ["git", "apply", "-"]
    subprocess.run(apply, cwd=tmp_path, input=result.metadata["diff"], text=True, check=True)
    assert (tmp_path / "a.txt").read_text() == text(run) == "one\nTWO\nthree"


async def test_a_quiet_check_that_succeeds_adds_nothing(run: ToolRun) -> None:
    plain = await edited(run)
    (run.workspace.root / "a.txt").write_text("one\ntwo\n")
    quiet = await edited(run, "true")
    assert (quiet.output, quiet.seen) == (plain.output, plain.seen)
    assert quiet.metadata == {
        **plain.metadata,
        "checks": [{"command": "true", "exit_code": 0}],
    }


async def test_failed_check_is_reported_and_edit_stands(run) -> None:
    result = await edited(run, "echo fine", "echo {file}:2: bad; exit 3", "exit 1")
    assert result.ok and text(run) == "one\nTWO\n"
    assert "After the edit `echo fine` said:\nfine" in result.output
    failed = "After the edit `echo a.txt:2: bad; exit 3` failed, exit code 3:\na.txt:2: bad"
    assert failed in result.output and result.output.endswith("`exit 1` failed, exit code 1")
    assert [check["exit_code"] for check in result.metadata["checks"]] == [0, 3, 1]


async def test_denied_check_is_skipped_and_reported_to_model(run: ToolRun) -> None:
    (run.workspace.root / ".env").write_text("KEY=secret-words")
    result = await edited(run, "cat .env", "echo next")
    assert "secret-words" not in result.output and "`echo next` said" in result.output
    assert "`cat .env` was not run: it names `.env`" in result.output
    assert [check["exit_code"] for check in result.metadata["checks"]] == [None, 0]


async def test_a_check_that_takes_too_long_is_stopped(run: ToolRun) -> None:
    result = await edited(replace(run, command_timeout=0.2), "sleep 60")
    assert result.ok and "`sleep 60` failed, stopped after 0.2 seconds" in result.output


async def test_a_long_output_is_cut_and_kept(run: ToolRun) -> None:
    result = await edited(run, "seq 100000")
    assert len(result.output) < 30_000 and "command_output" in result.output
    retained = run.outputs / "c1-check-1.txt"
    assert retained.read_text().endswith("100000\n")


async def test_after_a_refused_edit_nothing_is_run(run: ToolRun) -> None:
    result = await edited(replace(run, seen={}), "touch ran")
    assert not result.ok and not (run.workspace.root / "ran").exists()


async def test_file_changed_too_much_becomes_unknown(run: ToolRun) -> None:
    result = await edited(run, f"seq {MAX_SHOWN_CHARACTERS} >> {{file}}")
    assert "a lot: read again" in result.output and len(result.output) < 1_000
    assert result.seen == {} and "+9999\n" in result.metadata["diff"]


async def test_a_check_may_remove_the_file(run: ToolRun) -> None:
    result = await edited(run, "rm {file}")
    assert result.ok and result.metadata["diff"].startswith("--- a/a.txt\n+++ /dev/null\n")


async def test_check_may_turn_file_into_binary(run: ToolRun) -> None:
    result = await edited(run, "printf 'a\\0b\\n' > {file}")
    assert result.ok and "-two\n" in result.metadata["diff"]


async def test_a_check_that_cannot_start_is_reported(run: ToolRun) -> None:
    result = await edited(run, "", "x" * 200_000)
    assert result.ok and result.output.count("was not run: ") == 2


async def test_a_new_file_is_checked_too(run: ToolRun) -> None:
    policy = Policy("auto", after_edit={"*.md": ["echo checked > {file}"]})
    args = {"path": "new.md", "content": "x\n"}
    result = await invoke(write_file, args, replace(run, policy=policy))
    assert (run.workspace.root / "new.md").read_text() == "checked\n"
    assert "+++ b/new.md" in result.metadata["diff"] and "+checked" in result.metadata["diff"]
    assert result.seen == {"new.md": hash_content(b"checked\n")}


async def test_what_runs_is_shown_as_it_runs(run: ToolRun) -> None:
    names: list[str] = []
    await edited(replace(run, emit=names.append), "echo hello")
    assert "".join(names) == "$ echo hello\nhello\n"
