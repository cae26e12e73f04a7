from pathlib import Path

import pytest

from maxagent.config.settings.permission_rules import RawRule
from maxagent.tools.builtin.code.module_docs import (
    list_doc_paths,
    module_doc_read,
    module_doc_write,
)
from maxagent.tools.permissions.evaluate_tool import evaluate_tool_call
from maxagent.tools.permissions.policy import Policy, read_rules
from maxagent.tools.runtime.edit_preview import PreviewCall, preview_calls
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace

DOC = "# Payments\n\nCharges cards.\n"


@pytest.fixture
def run(tmp_path: Path) -> ToolRun:
    (tmp_path / "pay").mkdir()
    return ToolRun(Workspace(tmp_path), "call/1", tmp_path / "outputs")


@pytest.mark.parametrize(
    ("path", "file"),
    [
        ("pay", "pay/.ac.mod.md"),
        ("pay/", "pay/.ac.mod.md"),
        ("pay/.ac.mod.md", "pay/.ac.mod.md"),
        ("", "./.ac.mod.md"),
        ("/", "//.ac.mod.md"),
    ],
)
def test_the_path_is_the_folder_or_its_file(path: str, file: str) -> None:
    assert list_doc_paths({"path": path}) == [file]


async def test_what_is_written_is_read_back(run: ToolRun) -> None:
    missing = await invoke(module_doc_read, {"path": "pay"}, run)
    assert missing.ok and "There is no `pay/.ac.mod.md`" in missing.output
    written = await invoke(module_doc_write, {"path": "pay", "content": DOC}, run)
    assert (
        written.metadata["paths"] == ["pay/.ac.mod.md"]
        and "+# Payments" in written.metadata["diff"]
    )
    assert (run.workspace.root / "pay/.ac.mod.md").read_text() == DOC
    read = await invoke(module_doc_read, {"path": "pay/.ac.mod.md"}, run)
    assert "Charges cards." in read.output and [*read.seen] == ["pay/.ac.mod.md"]


async def test_notes_that_were_not_read_are_not_replaced(run: ToolRun) -> None:
    (run.workspace.root / "pay/.ac.mod.md").write_text(DOC)
    refused = await invoke(module_doc_write, {"path": "pay", "content": "x"}, run)
    assert "was not read yet" in refused.error
    assert "does not exist" in (await invoke(module_doc_read, {"path": "no"}, run)).error


async def test_the_question_shows_the_diff(run: ToolRun) -> None:
    call = PreviewCall(module_doc_write, {"path": "pay", "content": DOC})
    (output,) = await preview_calls([call], run.workspace)
    assert "+Charges cards." in output.metadata["diff"]
    assert not (run.workspace.root / "pay/.ac.mod.md").exists()


@pytest.mark.parametrize(
    ("policy", "verdict"),
    [
        (Policy("ask"), "ask"),
        (Policy("edits"), "allow"),
        (Policy("read-only"), "deny"),
        (Policy("edits").with_plan(".llc/plans/x.md"), "deny"),
        (Policy("edits", scope=("src/a.py",)), "deny"),
        (Policy("edits", scope=("pay/.ac.mod.md",)), "allow"),
    ],
)
def test_writing_is_an_edit_to_permissions(run: ToolRun, policy: Policy, verdict: str) -> None:
    args = {"path": "pay", "content": DOC}
    assert evaluate_tool_call(module_doc_write, args, run.workspace, policy).verdict == verdict


@pytest.mark.parametrize(
    ("kind", "rule", "tool", "verdict"),
    [
        ("deny", "edit(pay/**)", module_doc_write, "deny"),
        ("allow", "edit(pay/**)", module_doc_write, "allow"),
        ("allow", "ac_mod_write", module_doc_write, "allow"),
        ("deny", "read_file(pay/**)", module_doc_read, "deny"),
        ("deny", "module_doc_read(src/**)", module_doc_read, "allow"),
    ],
)
def test_rules_on_files_hold(run: ToolRun, kind: str, rule: str, tool, verdict: str) -> None:
    rules = read_rules([RawRule(kind, rule, "x:1")], run.workspace)  # type: ignore[arg-type]
    args = {"path": "pay", "content": DOC}
    assert evaluate_tool_call(tool, args, run.workspace, Policy("ask", rules)).verdict == verdict
