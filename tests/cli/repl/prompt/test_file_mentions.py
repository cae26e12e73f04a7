from pathlib import Path

import pytest

from maxagent.cli.repl.prompt.file_mentions import (
    MentionableFiles,
    find_mention_at_end,
    format_mention,
    rank_names,
)

NAMES = [
    "README.md",
    "cli/",
    "cli/render.py",
    "cli/text_renderer.py",
    "docs/rendering.md",
    "src/app.py",
    "tests/cli/test_text_renderer.py",
    "文档/说明.md",
]


@pytest.mark.parametrize(
    "line, mention",
    [
        ("@", "@"),
        ("look at @src/a", "@src/a"),
        ("line\n@b", "@b"),
        ('@"my fi', '@"my fi'),
        ('@"my file"', '@"my file"'),
        ("me@home", None),
        ("@a.py ", None),
        ("", None),
    ],
)
def test_the_mention_that_is_being_typed(line: str, mention: str | None) -> None:
    assert find_mention_at_end(line) == mention


@pytest.mark.parametrize(
    "typed, first",
    [
        ("render", "cli/render.py"),
        ("text_render", "cli/text_renderer.py"),
        ("tests/ttr", "tests/cli/test_text_renderer.py"),
        ("srcapp", "src/app.py"),
        ("readme", "README.md"),
        ("cli", "cli/"),
        ("说明", "文档/说明.md"),
        ("rednering", "docs/rendering.md"),
    ],
)
def test_the_likest_name_comes_first(typed: str, first: str) -> None:
    assert rank_names(typed, NAMES)[0] == first


def test_empty_mention_offers_all_and_mismatch_none() -> None:
    assert rank_names("", NAMES) == NAMES
    assert rank_names("zzzzqqqq", NAMES) == []


def test_a_name_with_blanks_is_quoted() -> None:
    assert (format_mention("a.py"), format_mention("my file")) == ("@a.py", '@"my file"')


def test_only_what_tools_list_is_offered(tmp_path: Path) -> None:
    project = tmp_path / "project"
    for name in ("a.py", "deep/er/b.py", ".env", "build/x.o", "secrets/key", ".git/config"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("x")
    (project / ".gitignore").write_text("build/\n")
    (tmp_path / "outside").write_text("x")
    (project / "leads-out").symlink_to(tmp_path / "outside")
    names = MentionableFiles(project, tmp_path / "home").list_files().names
    assert names == [".gitignore", "a.py", "deep/", "deep/er/", "deep/er/b.py"]
