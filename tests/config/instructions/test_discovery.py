import os
from collections.abc import Callable
from pathlib import Path

import pytest

from maxagent.config.instructions import discovery as module
from maxagent.config.instructions.discovery import (
    FOLDER_CHANGED,
    FOLDER_UNTRUSTED,
    HIDDEN,
    NAMES,
    NOT_AGREED,
    Instruction,
    load_instructions,
)
from maxagent.config.security.ignore_patterns import IGNORE_PATTERNS
from maxagent.config.trust.decision import check_trust, trust
from maxagent.config.trust.resolved_imports import MAX_IMPORT_BYTES, NOT_TEXT, TOO_LARGE

Told = Callable[[], dict[str, str]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "p"
    folder.mkdir()
    return folder


@pytest.fixture
def found(tmp_path: Path, project: Path) -> Callable[..., tuple[Instruction, ...]]:
    home = tmp_path / "home"
    return lambda *more: load_instructions(
        project, home, check_trust(project, home), (*IGNORE_PATTERNS, *more)
    )


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def yes(folder: Path) -> None:
    trust(folder, folder.parent / "home" if folder.name == "p" else folder / "home")


def texts(found) -> list[str]:
    return [one.text for one in found if not one.left_out]


def left_out(found) -> dict[str, str]:
    return {Path(one.name).name: one.left_out for one in found if one.left_out}


def test_first_instruction_file_in_folder_wins(project, found):
    for name in reversed(NAMES):
        write(project / name, f"I am {name}")
    for name in NAMES:
        yes(project)
        assert found() == (Instruction(name, f"I am {name}"),)
        (project / name).unlink()
    (project / ".maxagent").mkdir()
    write(project / ".maxagent/notes.md", "of the folder")
    yes(project)
    assert found() == ()


def test_empty_instruction_file_is_skipped_for_next(tmp_path, project, found):
    for folder in (tmp_path / "home", project):
        write(folder / "MAXAGENT.md", "\n \n")
        write(folder / "AGENTS.md", "I am here")
    yes(project)
    assert [Path(one.name).name for one in found()] == ["AGENTS.md"] * 2


def test_project_instructions_need_trust_and_no_change(tmp_path, project, found):
    write(project / "AGENTS.md", "@docs/a.md")
    write(project / "docs/a.md", "imported")
    write(tmp_path / "home/AGENTS.md", "mine")
    assert texts(found()) == ["mine"]
    yes(project)
    assert texts(found()) == ["mine", "imported", "@docs/a.md"]
    write(project / "docs/a.md", "other")
    assert texts(found()) == ["mine", "@docs/a.md"]
    assert left_out(found()) == {"a.md": NOT_AGREED} and found()[1].folder_to_trust == str(project)
    write(project / "AGENTS.md", "@docs/a.md!")
    assert texts(found()) == ["mine"]


def test_instructions_changed_after_trust_check_are_not_read(tmp_path, project):
    write(project / "AGENTS.md", "@a.md")
    write(project / "a.md", "imported")
    yes(project)
    looked = check_trust(project, tmp_path / "home")
    write(project / "a.md", "swapped")
    told = load_instructions(project, tmp_path / "home", looked, ())
    assert [(one.name, one.text) for one in told] == [("a.md", ""), ("AGENTS.md", "@a.md")]
    (project / "AGENTS.md").unlink()
    os.mkfifo(project / "AGENTS.md")
    assert load_instructions(project, tmp_path / "home", looked, ()) == ()


def test_untrusted_project_hears_of_no_parent(tmp_path, project, found):
    (tmp_path / ".git").mkdir()
    write(tmp_path / "AGENTS.md", "of the repository")
    assert found() == ()


def test_what_counts_most_comes_last(tmp_path, project, found):
    (tmp_path / ".git").mkdir()
    write(tmp_path / "AGENTS.md", "of the repository")
    write(project / "CLAUDE.md", "of the project")
    write(tmp_path / "home/MAXAGENT.md", "the user's")
    write(tmp_path / "home/notes.md", "- noted\n")
    yes(project)
    assert texts(found()) == ["the user's", "- noted", "of the project"]
    assert left_out(found()) == {"AGENTS.md": FOLDER_UNTRUSTED}
    assert found()[2].folder_to_trust == str(tmp_path)
    yes(tmp_path)
    assert texts(found()) == ["the user's", "- noted", "of the repository", "of the project"]
    assert found()[2].name == str(tmp_path / "AGENTS.md")
    write(tmp_path / "AGENTS.md", "changed")
    assert texts(found()) == ["the user's", "- noted", "of the project"]
    assert left_out(found()) == {"AGENTS.md": FOLDER_CHANGED} and found()[2].folder_to_trust == str(
        tmp_path
    )


@pytest.mark.parametrize("repository", ["p/.git", "nowhere"])
def test_folders_beyond_the_repository_do_not_count(tmp_path, project, found, repository):
    (tmp_path / repository).mkdir()
    write(tmp_path / "AGENTS.md", "above")
    yes(tmp_path)
    yes(project)
    assert found() == ()


def test_imports_precede_importing_file_once_each(project, found):
    write(project / "CLAUDE.md", "@docs/a.md @AGENTS.md.txt @docs/b.md")
    write(project / "docs/a.md", "a @b.md @../CLAUDE.md")
    write(project / "docs/b.md", "b @a.md")
    yes(project)
    assert [one.name for one in found()] == ["docs/b.md", "docs/a.md", "CLAUDE.md"]


def test_imports_end_five_files_deep(tmp_path, project, found):
    for number in range(9):
        write(project / (f"{number}.md" if number else "AGENTS.md"), f"@{number + 1}.md")
    yes(project)
    assert [one.name for one in found()] == [*(f"{n}.md" for n in range(5, 0, -1)), "AGENTS.md"]
    for place in (project, tmp_path / "home"):
        write(place / "AGENTS.md", "@1.md @5.md @9.md")  # a short way counts, too
        for number in range(1, 14):
            write(place / f"{number}.md", f"@{number + 1}.md")
    yes(project)
    expected = [*(f"{n}.md" for n in range(13, 0, -1)), "AGENTS.md"]
    assert [Path(one.name).name for one in found()] == expected * 2


@pytest.mark.parametrize(
    "name", [".env", "secrets/a.md", "link.md", ".git/a", "out.md", "pipe", "sub", "nowhere"]
)
def test_a_secret_or_odd_import_stays_a_word(tmp_path, project, found, name):
    write(project / "AGENTS.md", f"@{name}")
    for secret in (".env", "secrets/a.md", ".git/a"):
        write(project / secret, "hidden")
    (project / "link.md").symlink_to(".env")
    write(tmp_path / "outside.md", "hidden")
    (project / "out.md").symlink_to("../outside.md")
    os.mkfifo(project / "pipe")
    (project / "sub").mkdir()
    yes(project)
    assert texts(found()) == [f"@{name}"]
    why = "not a readable file or folder" if name == "pipe" else HIDDEN
    words = {} if name in ("sub", "nowhere") else {Path(name).name: why}
    assert left_out(found()) == words and not any(one.folder_to_trust for one in found())
    assert not check_trust(project, tmp_path / "home").further


def test_ignored_instructions_are_not_read_through_link(project, found):
    write(project / "private/a.md", "hidden")
    write(project / "CLAUDE.md", "@private/a.md")
    (project / "AGENTS.md").symlink_to("private/a.md")
    yes(project)
    assert texts(found()) == ["hidden"]
    assert left_out(found("/private/")) == {"AGENTS.md": HIDDEN} and len(found("/private/")) == 1
    (project / "AGENTS.md").unlink()
    yes(project)
    assert texts(found("/private/")) == ["@private/a.md"]


def test_linked_user_instructions_import_only_from_home(tmp_path, found):
    write(tmp_path / "dotfiles/agents.md", "@rules/a.md @../p/x.md @rules/out.md")
    write(tmp_path / "p/x.md", "of a project")
    write(tmp_path / "home/rules/a.md", "mine")
    (tmp_path / "home/AGENTS.md").symlink_to(tmp_path / "dotfiles/agents.md")
    (tmp_path / "home/rules/out.md").symlink_to(tmp_path / "p/x.md")
    assert [Path(one.name).name for one in found()] == ["a.md", "out.md", "AGENTS.md"]
    assert left_out(found()) == {"out.md": HIDDEN}


def test_home_as_project_loads_instructions_once(tmp_path):
    home = tmp_path / "home"
    write(home / "AGENTS.md", "mine")
    trust(home, home)
    assert texts(load_instructions(home, home, check_trust(home, home), ())) == ["mine"]


def test_what_is_too_much_is_cut_farthest_first(tmp_path, project, found, monkeypatch):
    monkeypatch.setattr(module, "MAX_BYTES", 10)
    write(tmp_path / "home/AGENTS.md", "mine")
    write(tmp_path / "home/notes.md", "one\ntwo\nsix")
    write(project / "AGENTS.md", "hüt")
    yes(project)
    told = [(one.text, one.cut) for one in found()]
    assert told == [("", 4), ("six", 8), ("hüt", 0)]  # of notes the newest are kept


def test_imported_instructions_are_limited_to_100_kb(tmp_path, project, found):
    for folder in (tmp_path / "home", project):
        write(folder / "AGENTS.md", "@much.md @more.md")
        write(folder / "much.md", "x" * MAX_IMPORT_BYTES)
        write(folder / "more.md", "x" * (MAX_IMPORT_BYTES + 1))
    yes(project)
    told = [Path(one.name).name for one in found() if not one.left_out]
    assert told == ["much.md", "AGENTS.md"] * 2 and left_out(found()) == {"more.md": TOO_LARGE}


def test_secrets_are_marked(project, found):
    (project / "AGENTS.md").write_bytes(
        b"\xef\xbb\xbfghp_" + b"kT9wQ2mX7vB4nR8sL1zD6fH3jP5cY0gE2uWx" + b"\n"
    )
    yes(project)
    assert texts(found()) == ["[secret: GitHub token]"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "gb18030", "latin-1"])
def test_what_people_would_read_otherwise_is_not_told(tmp_path, project, found, encoding):
    words = "é" if encoding == "latin-1" else "好"
    for place in (tmp_path / "home/AGENTS.md", project / "CLAUDE.md", project / "a.md"):
        write(place, "")
        place.write_bytes(f"{words} @b.md\n".encode(encoding))
    write(tmp_path / "home/notes.md", "@a.md")
    (tmp_path / "home/a.md").write_bytes(f"{words} @b.md\n".encode(encoding))
    yes(project)
    assert texts(found()) == ["@a.md"] and {*left_out(found()).values()} == {NOT_TEXT}
    assert [*left_out(found())] == ["AGENTS.md", "a.md", "CLAUDE.md"]
    write(project / "AGENTS.md", "@a.md")
    yes(project)
    assert texts(found()) == ["@a.md", "@a.md"]
