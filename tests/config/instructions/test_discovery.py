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
def load(tmp_path: Path, project: Path) -> Callable[..., tuple[Instruction, ...]]:
    home = tmp_path / "home"
    return lambda *more: load_instructions(
        project, home, check_trust(project, home), (*IGNORE_PATTERNS, *more)
    )


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def yes(folder: Path) -> None:
    trust(folder, folder.parent / "home" if folder.name == "p" else folder / "home")


def texts(result) -> list[str]:
    return [item.text for item in result if not item.left_out]


def left_out(result) -> dict[str, str]:
    return {Path(item.name).name: item.left_out for item in result if item.left_out}


def test_first_instruction_file_in_folder_wins(project, load):
    for name in reversed(NAMES):
        write(project / name, f"I am {name}")
    for name in NAMES:
        yes(project)
        assert load() == (Instruction(name, f"I am {name}"),)
        (project / name).unlink()
    (project / ".maxagent").mkdir()
    write(project / ".maxagent/notes.md", "of the folder")
    yes(project)
    assert load() == ()


def test_empty_instruction_file_is_skipped_for_next(tmp_path, project, load):
    for folder in (tmp_path / "home", project):
        write(folder / "MAXAGENT.md", "\n \n")
        write(folder / "AGENTS.md", "I am here")
    yes(project)
    assert [Path(item.name).name for item in load()] == ["AGENTS.md"] * 2


def test_project_instructions_need_trust_and_no_change(tmp_path, project, load):
    write(project / "AGENTS.md", "@docs/a.md")
    write(project / "docs/a.md", "imported")
    write(tmp_path / "home/AGENTS.md", "mine")
    assert texts(load()) == ["mine"]
    yes(project)
    assert texts(load()) == ["mine", "imported", "@docs/a.md"]
    write(project / "docs/a.md", "other")
    assert texts(load()) == ["mine", "@docs/a.md"]
    assert left_out(load()) == {"a.md": NOT_AGREED} and load()[1].folder_to_trust == str(project)
    write(project / "AGENTS.md", "@docs/a.md!")
    assert texts(load()) == ["mine"]


def test_instructions_changed_after_trust_check_are_not_read(tmp_path, project):
    write(project / "AGENTS.md", "@a.md")
    write(project / "a.md", "imported")
    yes(project)
    looked = check_trust(project, tmp_path / "home")
    write(project / "a.md", "swapped")
    instructions = load_instructions(project, tmp_path / "home", looked, ())
    assert [(item.name, item.text) for item in instructions] == [
        ("a.md", ""),
        ("AGENTS.md", "@a.md"),
    ]
    (project / "AGENTS.md").unlink()
    os.mkfifo(project / "AGENTS.md")
    assert load_instructions(project, tmp_path / "home", looked, ()) == ()


def test_untrusted_project_hears_of_no_parent(tmp_path, project, load):
    (tmp_path / ".git").mkdir()
    write(tmp_path / "AGENTS.md", "of the repository")
    assert load() == ()


def test_what_counts_most_comes_last(tmp_path, project, load):
    (tmp_path / ".git").mkdir()
    write(tmp_path / "AGENTS.md", "of the repository")
    write(project / "CLAUDE.md", "of the project")
    write(tmp_path / "home/MAXAGENT.md", "the user's")
    write(tmp_path / "home/notes.md", "- noted\n")
    yes(project)
    assert texts(load()) == ["the user's", "- noted", "of the project"]
    assert left_out(load()) == {"AGENTS.md": FOLDER_UNTRUSTED}
    assert load()[2].folder_to_trust == str(tmp_path)
    yes(tmp_path)
    assert texts(load()) == ["the user's", "- noted", "of the repository", "of the project"]
    assert load()[2].name == str(tmp_path / "AGENTS.md")
    write(tmp_path / "AGENTS.md", "changed")
    assert texts(load()) == ["the user's", "- noted", "of the project"]
    assert left_out(load()) == {"AGENTS.md": FOLDER_CHANGED} and load()[2].folder_to_trust == str(
        tmp_path
    )


@pytest.mark.parametrize("repository", ["p/.git", "nowhere"])
def test_folders_beyond_the_repository_do_not_count(tmp_path, project, load, repository):
    (tmp_path / repository).mkdir()
    write(tmp_path / "AGENTS.md", "above")
    yes(tmp_path)
    yes(project)
    assert load() == ()


def test_imports_precede_importing_file_once_each(project, load):
    write(project / "CLAUDE.md", "@docs/a.md @AGENTS.md.txt @docs/b.md")
    write(project / "docs/a.md", "a @b.md @../CLAUDE.md")
    write(project / "docs/b.md", "b @a.md")
    yes(project)
    assert [item.name for item in load()] == ["docs/b.md", "docs/a.md", "CLAUDE.md"]


def test_imports_end_five_files_deep(tmp_path, project, load):
    for number in range(9):
        write(project / (f"{number}.md" if number else "AGENTS.md"), f"@{number + 1}.md")
    yes(project)
    assert [item.name for item in load()] == [*(f"{n}.md" for n in range(5, 0, -1)), "AGENTS.md"]
    for location in (project, tmp_path / "home"):
        write(location / "AGENTS.md", "@1.md @5.md @9.md")  # a short way counts, too
        for number in range(1, 14):
            write(location / f"{number}.md", f"@{number + 1}.md")
    yes(project)
    expected = [*(f"{n}.md" for n in range(13, 0, -1)), "AGENTS.md"]
    assert [Path(item.name).name for item in load()] == expected * 2


@pytest.mark.parametrize(
    "name", [".env", "secrets/a.md", "link.md", ".git/a", "out.md", "pipe", "sub", "nowhere"]
)
def test_a_secret_or_odd_import_stays_a_word(tmp_path, project, load, name):
    write(project / "AGENTS.md", f"@{name}")
    for secret in (".env", "secrets/a.md", ".git/a"):
        write(project / secret, "hidden")
    (project / "link.md").symlink_to(".env")
    write(tmp_path / "outside.md", "hidden")
    (project / "out.md").symlink_to("../outside.md")
    os.mkfifo(project / "pipe")
    (project / "sub").mkdir()
    yes(project)
    assert texts(load()) == [f"@{name}"]
    reason = "not a readable file or folder" if name == "pipe" else HIDDEN
    text = {} if name in ("sub", "nowhere") else {Path(name).name: reason}
    assert left_out(load()) == text and not any(item.folder_to_trust for item in load())
    assert not check_trust(project, tmp_path / "home").further


def test_ignored_instructions_are_not_read_through_link(project, load):
    write(project / "private/a.md", "hidden")
    write(project / "CLAUDE.md", "@private/a.md")
    (project / "AGENTS.md").symlink_to("private/a.md")
    yes(project)
    assert texts(load()) == ["hidden"]
    assert left_out(load("/private/")) == {"AGENTS.md": HIDDEN} and len(load("/private/")) == 1
    (project / "AGENTS.md").unlink()
    yes(project)
    assert texts(load("/private/")) == ["@private/a.md"]


def test_linked_user_instructions_import_only_from_home(tmp_path, load):
    write(tmp_path / "dotfiles/agents.md", "@rules/a.md @../p/x.md @rules/out.md")
    write(tmp_path / "p/x.md", "of a project")
    write(tmp_path / "home/rules/a.md", "mine")
    (tmp_path / "home/AGENTS.md").symlink_to(tmp_path / "dotfiles/agents.md")
    (tmp_path / "home/rules/out.md").symlink_to(tmp_path / "p/x.md")
    assert [Path(item.name).name for item in load()] == ["a.md", "out.md", "AGENTS.md"]
    assert left_out(load()) == {"out.md": HIDDEN}


def test_home_as_project_loads_instructions_once(tmp_path):
    home = tmp_path / "home"
    write(home / "AGENTS.md", "mine")
    trust(home, home)
    assert texts(load_instructions(home, home, check_trust(home, home), ())) == ["mine"]


def test_what_is_too_much_is_cut_farthest_first(tmp_path, project, load, monkeypatch):
    monkeypatch.setattr(module, "MAX_BYTES", 10)
    write(tmp_path / "home/AGENTS.md", "mine")
    write(tmp_path / "home/notes.md", "one\ntwo\nsix")
    write(project / "AGENTS.md", "hüt")
    yes(project)
    message = [(item.text, item.cut) for item in load()]
    assert message == [("", 4), ("six", 8), ("hüt", 0)]  # of notes the newest are kept


def test_imported_instructions_are_limited_to_100_kb(tmp_path, project, load):
    for folder in (tmp_path / "home", project):
        write(folder / "AGENTS.md", "@much.md @more.md")
        write(folder / "much.md", "x" * MAX_IMPORT_BYTES)
        write(folder / "more.md", "x" * (MAX_IMPORT_BYTES + 1))
    yes(project)
    names = [Path(item.name).name for item in load() if not item.left_out]
    assert names == ["much.md", "AGENTS.md"] * 2 and left_out(load()) == {"more.md": TOO_LARGE}


def test_secrets_are_marked(project, load):
    (project / "AGENTS.md").write_bytes(
        b"\xef\xbb\xbfghp_" + b"kT9wQ2mX7vB4nR8sL1zD6fH3jP5cY0gE2uWx" + b"\n"
    )
    yes(project)
    assert texts(load()) == ["[secret: GitHub token]"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "gb18030", "latin-1"])
def test_what_people_would_misread_is_not_shown(tmp_path, project, load, encoding):
    text = "é" if encoding == "latin-1" else "好"
    for location in (tmp_path / "home/AGENTS.md", project / "CLAUDE.md", project / "a.md"):
        write(location, "")
        location.write_bytes(f"{text} @b.md\n".encode(encoding))
    write(tmp_path / "home/notes.md", "@a.md")
    (tmp_path / "home/a.md").write_bytes(f"{text} @b.md\n".encode(encoding))
    yes(project)
    assert texts(load()) == ["@a.md"] and {*left_out(load()).values()} == {NOT_TEXT}
    assert [*left_out(load())] == ["AGENTS.md", "a.md", "CLAUDE.md"]
    write(project / "AGENTS.md", "@a.md")
    yes(project)
    assert texts(load()) == ["@a.md", "@a.md"]
