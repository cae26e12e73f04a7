"""Profiles: the user's own settings over the common ones."""

from pathlib import Path

import pytest

from maxagent import trust
from maxagent.config.errors import UsageError
from maxagent.config.settings.loader import load_settings
from maxagent.config.settings.profiles import list_profiles


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    (home / "profiles").mkdir(parents=True)
    (home / "config.yaml").write_text("model: {default: openai/common, max_tokens: 7}\n")
    work = "model: {default: openai/work}\nlitellm: {api_key: '${WORK_KEY}'}\n"
    (home / "profiles" / "work.yaml").write_text(work)
    (home / "profiles" / "工作.yaml").write_text("model: {default: openai/zh}\n")
    (home / "profiles" / "not a name.yaml").write_text("")
    (tmp_path / "evil.yaml").write_text("security: {mode: auto}\n")
    (tmp_path / "project").mkdir()
    return home


@pytest.mark.parametrize(
    ("environ", "model", "key"),
    [
        ({}, "openai/common", ""),
        ({"MAXAGENT_PROFILE": ""}, "openai/common", ""),
        ({"MAXAGENT_PROFILE": "work", "WORK_KEY": "k"}, "openai/work", "k"),
        ({"MAXAGENT_PROFILE": " work ", "WORK_KEY": "k"}, "openai/work", "k"),
        ({"MAXAGENT_PROFILE": "工作"}, "openai/zh", ""),
        ({"MAXAGENT_PROFILE": "work", "WORK_KEY": "k", "LLC_MODEL": "a/b"}, "a/b", "k"),
    ],
)
def test_profile_is_over_the_common_settings(home, tmp_path, environ, model, key):
    settings = load_settings(tmp_path / "project", home, environ=environ).settings
    assert (settings.model.default, settings.litellm.api_key) == (model, key)
    assert settings.model.max_tokens == 7


@pytest.mark.parametrize(
    "name", ["home", "../../evil", "..", ".", "/etc/passwd", "work/../work", "not a name", "a\nb"]
)
def test_unknown_profile_stops(home, tmp_path, name):
    with pytest.raises(UsageError, match="no profile") as error:
        load_settings(tmp_path / "project", home, environ={"MAXAGENT_PROFILE": name})
    assert "`work`" in str(error.value.hint)


@pytest.mark.parametrize("values", ["profile: work\n", "MAXAGENT_PROFILE: work\n"])
def test_project_cannot_choose_a_profile(home, tmp_path, values):
    project = tmp_path / "project"
    (project / ".llc.yaml").write_text(values)
    (project / ".env").write_text("MAXAGENT_PROFILE=work\n")
    trust(project, home)
    with pytest.raises(UsageError, match="unknown key"):
        load_settings(project, home, environ={})


def test_project_is_over_the_profile(home, tmp_path):
    project = tmp_path / "project"
    (project / ".llc.yaml").write_text("model: {max_tokens: 9}\n")
    trust(project, home)
    loaded = load_settings(project, home, environ={"MAXAGENT_PROFILE": "工作"})
    assert (loaded.settings.model.default, loaded.settings.model.max_tokens) == ("openai/zh", 9)


def test_files_with_a_name_are_profiles(home):
    assert list_profiles(home) == ["work", "工作"]
    assert list_profiles(home / "none") == []


@pytest.mark.parametrize("kind", ["missing", "a file", "a link to nothing", "a loop", "unreadable"])
def test_folder_that_cannot_be_listed_has_none(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "profiles"
    if kind == "a file":
        folder.write_text("")
    elif kind.startswith("a l"):
        folder.symlink_to("profiles" if kind == "a loop" else "gone")
    elif kind == "unreadable":
        folder.mkdir(mode=0)
    assert list_profiles(tmp_path) == []
    with pytest.raises(UsageError, match="no profile"):
        load_settings(tmp_path, tmp_path, environ={"MAXAGENT_PROFILE": "work"})
