import json
from pathlib import Path

import pytest
from confinement import needs_bubblewrap

from maxagent.config.settings.hooks import ConfiguredHook
from maxagent.config.settings.schema import SandboxSection
from maxagent.tools.hooks.execution import run_hook
from maxagent.tools.sandbox.detect import open_sandbox
from maxagent.tools.sandbox.sandbox import Sandbox
from maxagent.tools.workspace import Workspace


@pytest.fixture
def place(tmp_path: Path) -> Sandbox:
    project, home = tmp_path / "project", tmp_path / "home"
    project.mkdir()
    home.mkdir()
    (home / "secret").write_text("mine")
    return open_sandbox(SandboxSection(), Workspace(project, (), home), home)


def hook(command: str, *, from_project: bool = False) -> ConfiguredHook:
    return ConfiguredHook("after_tool", command, from_project=from_project, timeout=30)


@pytest.mark.parametrize("from_project", [False, True])
async def test_input_and_output_in_both_places(place: Sandbox, from_project: bool) -> None:
    payload = {"text": "ü" * 300_000}
    answer = await run_hook(hook("cat | wc -c", from_project=from_project), payload, place)
    assert answer.note == str(len(json.dumps(payload)))
    assert list((place.home / "data" / "hooks").iterdir()) == []


@pytest.mark.parametrize("from_project", [False, True])
async def test_reason_is_what_it_says_on_stderr(place: Sandbox, from_project: bool) -> None:
    answer = await run_hook(
        hook("echo a; echo b >&2; exit 2", from_project=from_project), {}, place
    )
    assert (answer.verdict, answer.reason) == ("deny", "b")


@needs_bubblewrap
async def test_a_hook_of_a_project_is_confined(place: Sandbox) -> None:
    reads = f"cat {place.home}/secret; ls {place.home}/data/hooks | wc -l"
    ours = await run_hook(hook(reads), {}, place)
    theirs = await run_hook(hook(reads, from_project=True), {}, place)
    assert ours.note.startswith("mine") and "mine" not in theirs.note


async def test_a_hook_without_reading_its_input_ends(place: Sandbox) -> None:
    assert (await run_hook(hook("true"), {"text": "x" * 200_000}, place)).verdict == "pass"


async def test_a_secret_is_not_passed_on(place: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", "sk-ant-api03-" + "a" * 90)
    answer = await run_hook(hook("env; echo sk-ant-api03-" + "b" * 90), {}, place)
    assert "MY_API_KEY" not in answer.note and "b" * 90 not in answer.note
