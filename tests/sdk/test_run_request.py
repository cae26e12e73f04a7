"""What a human sends is usable, and brings no secret along."""

from pathlib import Path

import pytest

from maxagent import trust
from maxagent.config.errors import UsageError
from maxagent.sdk.run_request import build_chat_options, resolve_edit_files, validate_request

KEY = "sk-ant-api03-" + "a1B2" * 12


@pytest.mark.parametrize(
    ("request_", "folder", "reason"),
    [
        ("", "/p", "the request is empty"),
        (" \n\t", "/p", "the request is empty"),
        ("\ud800", "/p", "the request is not valid UTF-8"),
        ("Repair it", "/\udcff", "the folder's name is not valid UTF-8"),
    ],
)
def test_what_nothing_can_be_done_with_is_refused(request_: str, folder: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        validate_request(request_, Path(folder))


def test_a_request_in_any_script_passes() -> None:
    validate_request("修好测试 🙂", Path("/项目"))


def test_what_is_asked_aside_holds_no_secret() -> None:
    options = build_chat_options({"agent": "build", "aside": [f"key {KEY}"]}, "")
    assert options["agent"] == "build" and KEY not in str(options["aside"])


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "sub").mkdir(parents=True)
    (root / "a.py").touch()
    (root / "link.py").symlink_to("a.py")
    return root


def test_edit_files_are_relative_and_unique(project: Path, tmp_path: Path) -> None:
    names = ["a.py", "./sub/../a.py", "link.py", f"{project}/a.py", "sub/new.py"]
    assert resolve_edit_files(names, project, tmp_path / "home") == ["a.py", "sub/new.py"]


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("../a.py", "outside the project"),
        ("sub", "`sub` is a folder"),
        ("new/", "`new/` is a folder"),
        ("key.pem", "ignore patterns"),
        ("", "the path is empty"),
    ],
)
def test_what_cannot_be_edited_is_reported_at_once(
    project: Path, tmp_path: Path, file: str, text: str
) -> None:
    with pytest.raises(UsageError, match=text):
        resolve_edit_files([file], project, tmp_path / "home")


def test_the_projects_own_ignore_patterns_hold(project: Path, tmp_path: Path) -> None:
    (project / ".llc.yaml").write_text("security: {ignore_patterns: ['*.py']}\n")
    trust(project, tmp_path / "home")
    with pytest.raises(UsageError, match="ignore patterns"):
        resolve_edit_files(["a.py"], project, tmp_path / "home")
