from pathlib import Path

import pytest

from maxagent.config.settings.early_settings import find_database_url, read_language
from maxagent.config.trust.decision import trust


def project_and_home(tmp_path: Path) -> tuple[Path, Path]:
    project, home = tmp_path / "project", tmp_path / "home"
    project.mkdir()
    home.mkdir()
    return project, home


@pytest.mark.parametrize(
    "text, language",
    [
        ("", ""),
        ("language: zh\n", "zh"),
        ("model:\n  default: x\nlanguage: 'en'  # mine\n", "en"),
        ('language : "zh"\r\nmodel: {}\r\n', "zh"),
        ("\ufefflanguage: zh", "zh"),
        ("language: fr\n", ""),
        ("language: zhe\n", ""),
        ("language:zh\n", ""),
        ("# language: zh\n", ""),
        ("other_language: zh\n", ""),
        ("model:\n  language: zh\n", ""),
        ("note: |\n  x\n  language: zh\n", ""),
        ("language: ''\n", ""),
    ],
)
def test_only_a_key_of_the_top_level_counts(tmp_path: Path, text: str, language: str) -> None:
    project, home = project_and_home(tmp_path)
    (home / "config.yaml").write_bytes(text.encode())
    assert read_language(project, home) == language


def test_project_language_counts_only_in_trusted_folder(tmp_path: Path) -> None:
    project, home = project_and_home(tmp_path)
    (home / "config.yaml").write_text("language: en\n")
    (project / ".llc.yaml").write_text("language: zh\n")
    assert read_language(project, home) == "en"
    trust(project, home)
    assert read_language(project, home) == "zh"
    (project / ".llc.yaml").write_text("language: zh\ntask: {test_command: evil}\n")
    assert read_language(project, home) == "en"


def test_what_is_no_file_says_nothing(tmp_path: Path) -> None:
    project, home = project_and_home(tmp_path)
    (home / "config.yaml").mkdir()
    (project / ".llc.yaml").symlink_to("nowhere")
    assert read_language(project, home) == ""


URL = "postgres://user:secret@host/threads"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("nowhere", ""),
        ("home/config.yaml", URL),
        ("home/profiles/work.yaml", URL),
        ("home/profiles/other.yaml", ""),
        ("project/.llc.yaml", ""),
        ("variable", URL),
        ("reference", URL),
    ],
)
def test_database_is_the_users_own(
    source: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LLC_DATABASE", "MAXAGENT_DATABASE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MAXAGENT_PROFILE", "work")
    (tmp_path / "home/profiles").mkdir(parents=True)
    (tmp_path / "home/profiles/work.yaml").write_text("")
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("DB_SECRET", "secret")
    if source == "variable":
        monkeypatch.setenv("MAXAGENT_DATABASE", URL)
    elif source == "reference":
        written = URL.replace("secret", "${DB_SECRET}")
        (tmp_path / "home/config.yaml").write_text(f"database: {written}\n")
    elif source != "nowhere":
        (tmp_path / source).write_text(f"database: {URL}\n")
    assert find_database_url(tmp_path / "home") == expected
