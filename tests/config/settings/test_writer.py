import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from maxagent.config.errors import UsageError
from maxagent.config.settings.loader import load_settings
from maxagent.config.settings.writer import set_value


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "home" / "config.yaml"


def written(file: Path, text: str) -> Path:
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(text.encode())
    return file


def mode_of(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


def test_new_settings_file_and_folder_are_private(file: Path) -> None:
    set_value(file, "model.max_tokens", "100", environ={})
    assert file.read_text() == "model:\n  max_tokens: 100\n"
    assert (mode_of(file), mode_of(file.parent)) == (0o600, 0o700)
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize(
    "key, text, line",
    [
        ("model.show_thinking", "false", "show_thinking: false"),
        ("model.max_tokens", "3", "max_tokens: 3"),
        ("model.default", "3", 'default: "3"'),
        ("tools.disabled", "[grep, glob]", "disabled: [grep, glob]"),
        ("tools.disabled", "[]", "disabled: []"),
        ("after_edit.*.py", '["ruff check {file}"]', '"*.py": ["ruff check {file}"]'),
        ("security.mode", "read-only", "mode: read-only"),
        ("security.mode", "null", "mode: null"),
        ("task.test_command", "make test # all", 'test_command: "make test # all"'),
        ("litellm.api_key", "${SET_LATER}", 'api_key: "${SET_LATER}"'),
        ("model.models.glm-4.6.max_tokens", "5", "  glm-4.6:\n      max_tokens: 5"),
        ("language", "zh", "language: zh"),
    ],
)
def test_what_is_set_is_what_is_loaded(file: Path, key: str, text: str, line: str) -> None:
    set_value(file, key, text, environ={})
    assert line in file.read_text()
    assert load_settings(file.parent, file.parent, environ={}).origins[key].startswith(str(file))


@pytest.mark.parametrize(
    "key, text, message",
    [
        ("model.max_token", "3", "unknown key `model.max_token`"),
        ("model", "{default: x}", "`model` is a section"),
        ("model.models", "{}", "`model.models` is a section"),
        ("model.max_tokens", "many", '`model.max_tokens` must be a valid integer, not `"many"`'),
        ("model.max_tokens", "[", r"`\[` is not YAML"),
        ("language", "fr", "`language` must be '', 'en' or 'zh'"),
        ("litellm.base_url", "${NOWHERE}", "variable `NOWHERE` is not set"),
    ],
)
def test_what_the_schema_refuses_is_not_written(
    file: Path, key: str, text: str, message: str
) -> None:
    before = written(file, "model: {default: x}\n").read_bytes()
    with pytest.raises(UsageError, match=message):
        set_value(file, key, text, environ={})
    assert (file.read_bytes(), len(os.listdir(file.parent))) == (before, 1)


def test_a_wrong_value_can_be_set_right(file: Path) -> None:
    written(file, "model:\n  max_tokens: many  # a lot\n")
    set_value(file, "model.max_tokens", "100", environ={})
    assert file.read_text() == "model:\n  max_tokens: 100  # a lot\n"


def test_file_with_other_mistake_is_refused_with_line(file: Path) -> None:
    written(file, "task: {}\nmodle: {}\n")
    with pytest.raises(UsageError, match="config.yaml:2: unknown key `modle`"):
        set_value(file, "task.repair_rounds", "1", environ={})


def test_change_spread_by_anchor_is_refused(file: Path) -> None:
    text = "agents:\n  coder: &same\n    system_prompt: x\n  tester: *same\n"
    written(file, text)
    with pytest.raises(UsageError, match="cannot be set without changing other keys"):
        set_value(file, "agents.coder.system_prompt", "y", environ={})
    assert file.read_text() == text


def test_file_mode_line_ends_and_bom_are_kept(file: Path) -> None:
    written(file, "\ufeffmodel:\r\n  default: x\r\n").chmod(0o640)
    set_value(file, "model.max_tokens", "3", environ={})
    assert file.read_bytes().decode() == "\ufeffmodel:\r\n  default: x\r\n  max_tokens: 3\r\n"
    assert mode_of(file) == 0o640


def test_a_linked_file_stays_a_link(file: Path, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles.yaml"
    target.write_text("language: en\n")
    file.parent.mkdir()
    file.symlink_to(target)
    set_value(file, "language", "zh", environ={})
    assert (file.is_symlink(), target.read_text()) == (True, "language: zh\n")


def test_a_link_to_itself_is_reported(file: Path) -> None:
    file.parent.mkdir()
    file.symlink_to(file)
    with pytest.raises(UsageError, match="config.yaml: cannot be read: .* symbolic links"):
        set_value(file, "language", "zh", environ={})
    assert file.is_symlink()


def test_a_project_file_may_be_readable_by_others(tmp_path: Path) -> None:
    set_value(tmp_path / ".llc.yaml", "language", "zh", environ={}, new_mode=0o644)
    assert mode_of(tmp_path / ".llc.yaml") == 0o644


def test_a_place_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot be written: "):
        set_value(tmp_path / "file" / "config.yaml", "language", "zh", environ={})


def test_concurrent_settings_changes_are_all_kept(file: Path) -> None:
    def one(number: int) -> None:
        set_value(file, f"model.models.m{number}.max_tokens", "5", environ={})

    with ThreadPoolExecutor(4) as terminals:
        list(terminals.map(one, range(12)))
    settings = load_settings(file.parent, file.parent, environ={}).settings
    assert set(settings.model.models) == {f"m{number}" for number in range(12)}
    assert list(file.parent.iterdir()) == [file]
