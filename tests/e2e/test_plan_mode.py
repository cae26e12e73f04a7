"""Plan mode changes nothing: every way that a model could try leaves the files as they were."""

import os
import subprocess
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from talk import Talk

from maxagent import Runner
from maxagent.memory.snapshots.store import Snapshots
from maxagent.sdk.events import Completion, ToolResult

PATCH = "--- a/thread_history.py\n+++ b/thread_history.py\n@@ -1 +1 @@\n-kept = 1\n+kept = 2\n"
REMOVAL = "*** Begin Patch\n*** Delete File: thread_history.py\n*** End Patch"
MOVE = (
    "*** Begin Patch\n*** Update File: thread_history.py\n*** Move to: moved.py\n"
    "@@\n-kept = 1\n+kept = 2\n*** End Patch"
)
BLOCK = "<<<<<<< SEARCH\nkept = 1\n=======\nkept = 2\n>>>>>>> REPLACE"
TOOLS: list[tuple[str, dict[str, Any]]] = [
    ("write_file", {"path": "new.py", "content": "x"}),
    ("write_file", {"path": "thread_history.py", "content": "x"}),
    ("write_to_file", {"path": "new.py", "content": "x"}),
    ("write_file", {"path": ".llc/plans/../../new.py", "content": "x"}),
    ("write_file", {"path": ".llc/plans/another.md", "content": "x"}),
    ("write_file", {"path": ".llc/plans/linked.md", "content": "x"}),
    ("write_file", {"path": ".llc/agents/mine.md", "content": "x"}),
    ("write_file", {"path": "AGENTS.md", "content": "x"}),
    ("edit", {"file_path": "thread_history.py", "old_string": "1", "new_string": "2"}),
    ("edit", {"file_path": ".llc/plans/linked.md", "old_string": "1", "new_string": "2"}),
    ("replace_in_file", {"path": "thread_history.py", "diff": BLOCK}),
    ("apply_patch", {"patch": PATCH}),
    ("apply_patch", {"patch": REMOVAL}),
    ("apply_patch", {"patch": MOVE}),
    ("subagent", {"agent_type": "coder", "task": "change thread_history.py"}),
    ("use_mcp_tool", {"server_name": "files", "tool_name": "write", "arguments": {}}),
    ("run_command", {"command": "touch new.py", "outside_sandbox": True}),
    ("run_command", {"command": "ls", "cwd": "..", "outside_sandbox": True}),
    ("bash", {"command": "touch new.py"}),
]
COMMANDS = """
touch new.py
echo x > new.py
echo x >> thread_history.py
: > thread_history.py
cat thread_history.py > new.py
ls | tee new.py
sed -i s/1/2/ thread_history.py
perl -pi -e s/1/2/ thread_history.py
cp thread_history.py new.py
mv thread_history.py new.py
rm thread_history.py
ln -s thread_history.py new.py
mkdir new
truncate -s 0 thread_history.py
chmod 777 thread_history.py
sort -o thread_history.py thread_history.py
find . -name thread_history.py -delete
find . -name thread_history.py -exec rm {} ;
ls thread_history.py | xargs rm
python3 -c "open('new.py', 'w')"
sh -c 'touch new.py'
env touch new.py
ls; touch new.py
ls && touch new.py
ls & touch new.py
ls $(touch new.py)
ls `touch new.py`
cat <(touch new.py)
cat <<< "$(touch new.py)"
git checkout -b other
git commit -q --allow-empty -m x
git stash
git rm -q thread_history.py
git config user.name x
git apply change.patch
git diff --output=new.py
git log --output=new.py
git -c core.pager='touch new.py' log
git grep --open-files-in-pager='touch new.py' kept
git worktree add new
rg --pre 'touch new.py' kept
tree -o new.py
awk '{ print > "new.py" }' thread_history.py
sed 'w new.py' thread_history.py
touch .llc/plans/another.md
tar cf new.py thread_history.py
""".strip().splitlines()
WHICH = {"text": "Which way?"}
TRIES = [*TOOLS, *(("run_command", {"command": line}) for line in COMMANDS)]
Talks = Callable[..., Talk]


@pytest.fixture
async def talks(tmp_path: Path) -> AsyncIterator[Talks]:
    async with Runner(home=tmp_path / "home") as runner:

        def talk(*turns: Any) -> Talk:
            process = Talk(tmp_path, runner, *turns)
            _fill(process.folder)
            return process

        yield talk


def _fill(folder: Path) -> None:
    (folder / "thread_history.py").write_text("kept = 1\n")
    (folder / "change.patch").write_text(PATCH)
    plans = folder / ".llc" / "plans"
    plans.mkdir(parents=True)
    (plans / "linked.md").symlink_to("../../thread_history.py")
    for line in ("init -q", "add thread_history.py", "commit -q -m first"):
        identity = ("-c", "user.name=n", "-c", "user.email=e")
        subprocess.run(["git", *identity, *line.split()], cwd=folder, check=True)


def _everything(folder: Path) -> dict[str, object]:
    """Each file with its bytes and mode; of git's own all but the index, which reading renews."""
    result: dict[str, object] = {}
    for location, _, names in os.walk(folder):
        for name in names:
            path = Path(location, name)
            seen = os.readlink(path) if path.is_symlink() else path.read_bytes()
            result[str(path.relative_to(folder))] = (seen, path.lstat().st_mode)
    result.pop(".git/index")
    return result


async def _tree(talk: Talk) -> str:
    home = talk.runner.home
    return await Snapshots(talk.folder, home / "data" / "snapshots", ("/.llc/plans/",)).take()


def _calls(tries: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "args": args} for name, args in tries]}


@pytest.mark.parametrize("agent", ["build", "coder"])
@pytest.mark.parametrize("mode", ["ask", "auto"])
async def test_plan_mode_refuses_every_file_change(talks: Talks, mode: str, agent: str) -> None:
    read = ("read_file", {"path": "thread_history.py"})
    talk = talks(_calls([read]), _calls(TRIES), {"text": "I could not."})
    before, tree = _everything(talk.folder), await _tree(talk)
    end = await talk.say("plan", plan=True, mode=mode, agent=agent)
    assert isinstance(end, Completion), "nothing was asked"
    results = talk.heard(ToolResult)
    # the sub-agent has the same model, so it tries the same
    assert [result.tool for result in results if result.ok and result.agent] == ["read_file"]
    own = [result for result in results if not result.agent]
    assert [item.tool for item in own if item.ok] == ["read_file", "subagent"]
    assert len(results) - len(own) == len(own) == 1 + len(TRIES)
    assert _everything(talk.folder) == before
    assert await _tree(talk) == tree


async def test_plan_is_written_unasked_outside_project_changes(talks: Talks) -> None:
    talk = talks(WHICH)
    tree = await _tree(talk)
    await talk.say("plan", plan=True)
    end = await talk.say("the short way", model=_writes_plan(talk))
    assert isinstance(end, Completion) and end.files == []
    assert (talk.folder / talk.plan).read_text() == "1. all\n"
    assert await _tree(talk) == tree


async def test_plan_folder_linked_elsewhere_is_not_written(talks: Talks) -> None:
    talk = talks(WHICH)
    plans = talk.folder / ".llc" / "plans"
    (plans / "linked.md").unlink()
    plans.rmdir()
    plans.symlink_to("..")
    before = _everything(talk.folder)
    await talk.say("plan", plan=True)
    await talk.say("the short way", model=_writes_plan(talk))
    [refused] = talk.heard(ToolResult)
    assert not refused.ok and _everything(talk.folder) == before


def _writes_plan(talk: Talk) -> str:
    write = ("write_file", {"path": talk.plan, "content": "1. all\n"})
    return talk.script(WHICH, _calls([write]), {"text": "Done."})
