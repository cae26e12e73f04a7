import os
from pathlib import Path

import pytest

from maxagent.config.errors import MaxAgentError, UsageError
from maxagent.config.trust.decision import (
    check_trust,
    find_further_changes,
    follow_changes,
    grant_if_empty,
    grant_trust,
    keep_trust,
    revoke_trust,
    trust,
    with_referenced_files,
)
from maxagent.config.trust.inventory import read_instruction_digests


def is_trusted(folder: Path, home: Path) -> bool:
    return check_trust(folder, home).trusted


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "AGENTS.md").write_text("x")
    return folder


def test_nothing_is_trusted_first_and_check_writes_nothing(project: Path, home: Path) -> None:
    assert not is_trusted(project, home) and not is_trusted(project / "nowhere", home)
    assert not home.exists()


def test_trust_holds_for_folder_under_any_path(project: Path, home: Path) -> None:
    (project.parent / "link").symlink_to(project)
    trust(project.parent / "link", home)
    assert is_trusted(project, home) and is_trusted(project / "../project/.", home)


def test_trust_does_not_hold_for_neighbouring_folders(project: Path, home: Path) -> None:
    below, beside = project / "below", project.parent / "project2"
    for folder in (below, beside):
        folder.mkdir()
        (folder / "AGENTS.md").write_text("x")
    trust(project, home)
    assert not any(is_trusted(folder, home) for folder in (project.parent, below, beside))


def test_another_folder_in_its_place_is_another_content(project: Path, home: Path) -> None:
    trust(project, home)
    project.rename(project.parent / "old")
    project.mkdir()
    assert not is_trusted(project, home) and not is_trusted(project.parent / "old", home)


def test_change_revokes_trust_and_is_listed(project: Path, home: Path) -> None:
    (project / "CLAUDE.md").write_text("x")
    trust(project, home)
    (project / "AGENTS.md").write_text("y")
    (project / "CLAUDE.md").unlink()
    (project / ".mcp.json").write_text("{}")
    result = check_trust(project, home)
    message = {"`.mcp.json` appeared", "`AGENTS.md` changed", "`CLAUDE.md` is gone"}
    assert (result.trusted, set(result.changed)) == (False, message)
    (project / "AGENTS.md").write_text("x")
    (project / "CLAUDE.md").write_text("x")
    (project / ".mcp.json").unlink()
    assert is_trusted(project, home)  # it is again what was said yes to


def test_other_files_change_nothing(project: Path, home: Path) -> None:
    trust(project, home)
    (project / "main.py").write_text("x")
    (project / "sub").mkdir()
    assert is_trusted(project, home)


def test_a_yes_is_to_what_was_shown(project: Path, home: Path) -> None:
    output = check_trust(project, home)
    (project / "AGENTS.md").write_text("changed while the human read")
    grant_trust(output, home)
    assert not is_trusted(project, home)


def test_it_can_be_taken_back(project: Path, home: Path) -> None:
    assert not revoke_trust(project, home)
    trust(project, home)
    assert revoke_trust(project, home) and not is_trusted(project, home)


def test_what_is_odd_can_be_trusted_by_nobody(project: Path, home: Path) -> None:
    trust(project, home)
    (project / "CLAUDE.md").symlink_to("/etc/passwd")
    assert not is_trusted(project, home)
    with pytest.raises(UsageError, match="`CLAUDE.md`: a link to outside the folder"):
        trust(project, home)
    with pytest.raises(UsageError, match="is not a folder"):
        trust(project / "AGENTS.md", home)


def test_corrupt_trust_store_trusts_nothing_and_is_kept(project: Path, home: Path) -> None:
    trust(project, home)
    record = home / "data" / "trust.json"
    record.write_text(record.read_text()[:-3])
    damaged = record.read_bytes()
    result = check_trust(project, home)
    assert not result.trusted and str(record) in result.damaged and "mv " in result.damaged
    grant_if_empty(project, home)
    for attempt in (lambda: trust(project, home), lambda: revoke_trust(project, home)):
        with pytest.raises(MaxAgentError, match="so no folder is trusted"):
            attempt()
    assert record.read_bytes() == damaged


def test_only_empty_folder_is_trusted_automatically(project: Path, home: Path) -> None:
    empty = project / "empty"
    empty.mkdir()
    for folder in (project, empty, project / "nowhere"):
        grant_if_empty(folder, home)
    assert [is_trusted(folder, home) for folder in (project, empty)] == [False, True]
    (empty / "main.py").write_text("")
    assert is_trusted(empty, home)
    (empty / "AGENTS.md").write_text("")
    assert not is_trusted(empty, home)


@pytest.mark.parametrize("before", [True, False])
def test_user_change_keeps_trust_of_folder(project: Path, home: Path, before: bool) -> None:
    if before:
        trust(project, home)
    with keep_trust(project, home):
        (project / ".llc.yaml").write_text("language: en\n")
    assert is_trusted(project, home) == before


def test_user_change_trusts_nothing_else(project: Path, home: Path) -> None:
    trust(project, home)
    with keep_trust(project, home):
        (project / ".llc.yaml").write_text("language: en\n")
        (project / "AGENTS.md").write_text("y")
    assert check_trust(project, home).changed == ("`AGENTS.md` changed",)


def test_trust_revoked_during_user_change_stays_revoked(project: Path, home: Path) -> None:
    trust(project, home)
    with keep_trust(project, home):
        revoke_trust(project, home)
    assert not is_trusted(project, home)


def test_a_change_that_fails_trusts_nothing(project: Path, home: Path) -> None:
    os.remove(project / "AGENTS.md")
    with pytest.raises(ValueError), keep_trust(project, home):
        raise ValueError
    assert not home.exists()


@pytest.mark.parametrize("link", [".llc", ".llc/agents"])
def test_user_change_through_link_outside_folder_is_refused(
    project: Path, home: Path, link: str
) -> None:
    (project / link).parent.mkdir(exist_ok=True)
    (project / link).symlink_to("../" * link.count("/") + "../elsewhere")
    with pytest.raises(UsageError, match="to outside"), keep_trust(project, home, "agents"):
        pytest.fail("something was written")
    (project / ".llc.yaml").symlink_to("settings.yaml")
    with keep_trust(project, home):
        pass


def rewrite(project: Path, name: str, text: str | None) -> dict[str, list[str]]:
    """Change a file; the digests before and after, as a question shows them."""
    before = read_instruction_digests(project).get(name, "")
    if text is None:
        (project / name).unlink()
    else:
        (project / name).write_text(text)
    return {name: [before, read_instruction_digests(project).get(name, "")]}


@pytest.mark.parametrize(
    ("name", "text"), [("AGENTS.md", "y"), ("CLAUDE.md", "new"), ("AGENTS.md", None)]
)
def test_a_yes_follows_a_change_that_was_shown(
    project: Path, home: Path, name: str, text: str | None
) -> None:
    trust(project, home)
    output = rewrite(project, name, text)
    assert not is_trusted(project, home)
    follow_changes(project, home, output)
    assert is_trusted(project, home)


def test_it_follows_to_nothing_that_was_not_shown(project: Path, home: Path) -> None:
    follow_changes(project, home, rewrite(project, "AGENTS.md", "y"))
    assert not is_trusted(project, home) and not home.exists()  # there was no yes
    trust(project, home)
    rewrite(project, "AGENTS.md", "planted")
    follow_changes(project, home, rewrite(project, "AGENTS.md", "planted, and something shown"))
    assert not is_trusted(project, home)
    rewrite(project, "AGENTS.md", "y")
    output = rewrite(project, "AGENTS.md", "z")
    rewrite(project, "AGENTS.md", "another was quicker")
    follow_changes(project, home, output)
    rewrite(project, "AGENTS.md", "y")
    assert is_trusted(project, home)


def test_trust_does_not_follow_change_to_non_utf8(project: Path, home: Path) -> None:
    trust(project, home)
    before = read_instruction_digests(project)
    (project / "AGENTS.md").write_bytes("好".encode("utf-16"))
    assert read_instruction_digests(project) == {}
    follow_changes(project, home, {"AGENTS.md": [before["AGENTS.md"], ""]})
    assert check_trust(project, home).changed == ("`AGENTS.md` appeared",)
    trust(project, home)
    follow_changes(project, home, rewrite(project, "AGENTS.md", "y"))
    assert not is_trusted(project, home)


def test_nothing_else_is_trusted_with_it(project: Path, home: Path) -> None:
    (project / "a.md").write_text("brought in")
    trust(project, home)
    (project / ".mcp.json").write_text("{}")
    follow_changes(project, home, rewrite(project, "AGENTS.md", "@a.md"))
    assert check_trust(project, home).changed == ("`.mcp.json` appeared",)
    (project / ".mcp.json").unlink()
    assert is_trusted(project, home) and not check_trust(project, home).further


def test_nested_instruction_changes_do_not_revoke_trust(project: Path, home: Path) -> None:
    (project / "sub").mkdir()
    (project / "sub/AGENTS.md").write_text("x")
    assert list(with_referenced_files(check_trust(project, home)).further) == ["sub/AGENTS.md"]
    trust(project, home)
    further = check_trust(project, home).further
    assert list(further) == ["sub/AGENTS.md"]
    (project / "sub/AGENTS.md").write_text("y")
    assert is_trusted(project, home) and check_trust(project, home).further == further
    looked = with_referenced_files(check_trust(project, home))
    assert (looked.trusted, looked.changed) == (True, ("`sub/AGENTS.md` changed",))
    assert find_further_changes(check_trust(project, home)) == looked.changed
    (project / "new").mkdir()
    (project / "new/AGENTS.md").write_text("y")
    (project / "sub/AGENTS.md").unlink()
    looked = with_referenced_files(check_trust(project, home))
    assert looked.changed == ("`new/AGENTS.md` appeared", "`sub/AGENTS.md` is gone")
    (project / "sub/AGENTS.md").write_text("x")
    (project / "new/AGENTS.md").unlink()
    os.mkfifo(project / "sub/MAXAGENT.md")  # which cannot stand in its place
    assert with_referenced_files(check_trust(project, home)).changed == ()
    (project / "sub/AGENTS.md").unlink()
    os.mkfifo(project / "sub/AGENTS.md")
    assert with_referenced_files(check_trust(project, home)).changed == ("`sub/AGENTS.md` changed",)
    follow_changes(project, home, rewrite(project, "AGENTS.md", "y"))
    with keep_trust(project, home):
        (project / ".llc.yaml").write_text("")
    assert is_trusted(project, home) and check_trust(project, home).further == further
    (project / "AGENTS.md").write_text("z")
    assert not check_trust(project, home).further
