"""More lines, judged whole and run: tests/corpora/read_only.yaml."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maxagent.tools.shell.parsing.flags import split_names
from maxagent.tools.shell.readonly.classifier import explain_not_read_only
from maxagent.tools.shell.readonly.path_scope import PathScope
from maxagent.tools.workspace import Workspace


def why(root: Path, *arguments: str) -> str:
    return explain_not_read_only(arguments, PathScope(root, Workspace(root)))


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["find", ".", "-delete"], "`find -delete` can change files or run programs"),
        (["sort", "-o", "x"], "`sort -o` may change files"),
        (["cat", "/etc/passwd"], "`/etc/passwd` is outside the project"),
        (["uniq", "a", "b"], "`uniq` may write to `b`"),
        (["git", "branch", "new"], "`git branch new` would create `new`"),
        (["make"], "`make` can change files"),
        (["/tmp/ls"], "`/tmp/ls` can change files"),
        ([], "no program"),
        (["ls", "a\x1b[31m"], "it contains control characters"),
    ],
)
def test_the_reason_says_what_is_wrong(arguments: list[str], reason: str, tmp_path: Path) -> None:
    assert why(tmp_path, *arguments) == reason


@pytest.mark.parametrize(
    "arguments", [["/bin/ls"], ["/usr/bin/head", "-5", "x"], ["ls", "/dev/null"]]
)
def test_system_programs_may_be_called_by_path(arguments: list[str], tmp_path: Path) -> None:
    assert why(tmp_path, *arguments) == ""


@pytest.mark.parametrize("folder", ["bin", "."])
def test_program_inside_project_is_no_system_program(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / folder / "ls"
    program.parent.mkdir(exist_ok=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    assert "the project's own program" in why(tmp_path, "ls")
    assert why(tmp_path, "cat", "x") == ""


def test_listing_outside_the_project_is_not_allowed(tmp_path: Path) -> None:
    inside = tmp_path / "project"
    inside.mkdir()
    assert "outside" in explain_not_read_only(["ls"], PathScope(tmp_path, Workspace(inside)))


PROGRAMS = """
    ls cat sort uniq find sed test [ printf date jq xxd grep rg fd diff tree git tail column stat
"""
PIECES = "status diff log show branch stash -- -C list HEAD:x .env ../x -exec -p --output"
WORDS = st.one_of(
    st.text(max_size=8),
    st.text("-=oOnrRfFexw ./:%{}", max_size=6),
    st.sampled_from(sorted(split_names(PIECES))),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(sorted(split_names(PROGRAMS))), st.lists(WORDS, max_size=5))
def test_whatever_the_words_there_is_an_answer(
    tmp_path: Path, program: str, words: list[str]
) -> None:
    assert isinstance(why(tmp_path, program, *words), str)
