import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from maxagent.cli.commands.config import app
from maxagent.cli.i18n.catalogs import use_language
from maxagent.config.errors import UsageError
from maxagent.config.settings.keys import list_keys
from maxagent.config.trust.decision import trust
from maxagent.config.yaml.reader import parse_document

SECRET = "sk-very-secret"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty home, with an empty project as the current folder."""
    for name in [name for name in os.environ if name.startswith(("LLC_", "MAXAGENT_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("MAXAGENT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LC_ALL", "C")
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    yield tmp_path
    use_language("")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), catch_exceptions=False)


def output(*arguments: str) -> str:
    result = run(*arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def test_show_prints_every_setting_as_yaml(folder: Path) -> None:
    run("set", "model.max_tokens", "7")
    values = parse_document(Path("f"), output("show")).values
    assert values["model"]["max_tokens"] == 7
    assert set(values) == {
        "litellm", "model", "tools", "security", "permissions", "sandbox", "agents", "task",
        "environment", "threads", "context", "memory", "log", "database", "otel", "ui", "language",
        "copilot", "after_edit", "hooks", "rag", "encoding", "server", "storage",
    }  # fmt: skip


def test_show_says_where_each_value_comes_from(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLC_MODE", "ask")
    run("set", "model.max_tokens", "7", "--project")
    printed = output("show", "--show-origin")
    assert f"max_tokens: 7  # {folder}/project/.llc.yaml:2\n" in printed
    assert "mode: ask  # environment LLC_MODE\n" in printed
    assert "temperature: 0.7  # default\n" in printed


def test_show_prints_json(folder: Path) -> None:
    assert json.loads(output("show", "--json"))["model"]["temperature"] == 0.7
    with_origin = json.loads(output("show", "--json", "--show-origin"))
    assert with_origin["model.temperature"] == {"value": 0.7, "origin": "default"}


@pytest.mark.parametrize(
    "key, shown",
    [
        ("model.temperature", "0.7\n"),
        ("model.show_thinking", "true\n"),
        ("security.mode", "null\n"),
        ("model.default", "\n"),
        ("tools.disabled", "[]\n"),
        ("tools", "enabled: []\ndisabled: []\nbackup: false\n"),
        ("model.models", "{}\n"),
    ],
)
def test_get_prints_one_value(key: str, shown: str) -> None:
    assert output("get", key) == shown


def test_get_says_where_the_value_comes_from(folder: Path) -> None:
    run("set", "model.models.glm-4.6.max_tokens", "7")
    origin = f"{folder}/home/config.yaml:4"
    key = "model.models.glm-4.6.max_tokens"
    assert output("get", key, "--show-origin") == f"{origin}\t7\n"
    assert f"max_tokens: 7  # {origin}\n" in output("get", "model.models", "--show-origin")
    assert output("get", "tools.disabled", "--show-origin") == "default\t[]\n"


@pytest.mark.parametrize(
    "arguments, message, hint",
    [
        (["get", "mode"], "unknown key `mode`", "did you mean `security.mode`?"),
        (["set", "modle.default", "x"], "unknown key `modle.default`", "did you mean"),
        (["get", "model.models.x"], "`model.models.x` is not set", "`mcode config show`"),
        (["set", "model.max_tokens", "x"], "`model.max_tokens` must be a valid integer", ""),
        (
            ["set", "--project", "litellm.api_key", "${A:-sk-1}"],
            "anyone with access to the project could read `litellm.api_key`",
            "remove `--project`",
        ),
        *(
            (
                ["set", "--project", key, value],
                f"anyone with access to the project could read `{key}`",
                "remove `--project`",
            )
            for key, value in (
                ("litellm.base_url", "https://u:PASSWORD@gateway.example/v1"),
                ("litellm", "{base_url: 'https://u:PASSWORD@gateway.example/v1'}"),
                ("litellm.extra_headers", "{A: Bearer sk-ant-api03-verysecretvalue123456}"),
                ("litellm", "{api_key: sk-ant-api03-verysecretvalue123456}"),
                ("model.default", "sk-ant-api03-verysecretvalue123456"),
            )
        ),
    ],
)
def test_a_wrong_request_is_refused_with_a_hint(
    folder: Path, arguments: list[str], message: str, hint: str
) -> None:
    with pytest.raises(UsageError) as refusal:
        run(*arguments)
    assert refusal.value.exit_code == 2
    assert refusal.value.message.startswith(message)
    assert refusal.value.hint.startswith(hint)
    assert not (folder / "home").exists()


def test_broken_file_fails_show_and_set_repairs_it(folder: Path) -> None:
    file = folder / "project" / ".llc.yaml"
    file.write_text("language: fr\n")
    trust(folder / "project")
    with pytest.raises(UsageError, match="language"):
        run("show")
    run("set", "--project", "language", "zh")
    assert file.read_text() == "language: zh\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["show"],
        ["show", "--show-origin"],
        ["show", "--json"],
        ["show", "--json", "--show-origin"],
        ["get", "litellm"],
        ["get", "litellm.api_key"],
        ["get", "litellm.api_key", "--show-origin"],
        ["set", "litellm.api_key", SECRET],
    ],
)
def test_a_secret_is_never_shown(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLC_API_KEY", SECRET)
    result = run(*arguments)
    assert result.exit_code == 0
    assert SECRET not in result.output
    assert arguments[0] == "set" or "********" in result.stdout


def test_set_confirms_on_stderr_keeps_user_file_private(folder: Path) -> None:
    result = run("set", "litellm.api_key", SECRET)
    file = folder / "home" / "config.yaml"
    assert (result.stdout, result.stderr) == ("", f"Set `litellm.api_key` in {file}\n")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_set_speaks_to_the_project_when_asked(folder: Path) -> None:
    run("set", "--project", "litellm.api_key", "${MY_KEY}")
    file = folder / "project" / ".llc.yaml"
    assert file.read_text() == 'litellm:\n  api_key: "${MY_KEY}"\n'
    assert stat.S_IMODE(file.stat().st_mode) == 0o644


@pytest.mark.parametrize(
    "value",
    [
        "https://gateway.example/v1",
        "https://u@gateway.example/v1",
        "http://[::1]:8080/v1",
        "http://localhost:11434",
        "https://gateway.example/v1?team=a@b",
    ],
)
def test_an_address_without_password_can_be_shared(folder: Path, value: str) -> None:
    run("set", "--project", "litellm.base_url", value)
    assert value in (folder / "project" / ".llc.yaml").read_text()


def test_path_names_the_files(folder: Path) -> None:
    assert output("path") == f"{folder}/home/config.yaml\n"
    assert output("path", "--project") == f"{folder}/project/.llc.yaml\n"


@pytest.mark.parametrize("arguments", [["show"], ["get", "model"], ["path"], ["--help"]])
def test_nothing_heavy_is_imported(arguments: list[str]) -> None:
    program = (
        "import sys; from maxagent.cli.commands.config import app\n"
        "try: app(sys.argv[1:])\n"
        "finally: print(*sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    ended = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True)
    heavy = {"langgraph", "langchain_core", "langchain_openai", "openai", "mcp", "httpx2", "rich"}
    imported = set(ended.stderr.decode().split())
    assert (ended.returncode, imported & heavy, "typer" in imported) == (0, set(), True)


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("security.require_confirmation", "[nosuch]", "`security.require_confirmation`: `nosuch`"),
        ("permissions.deny", "[edti]", "deny rule `edti`: `edti` is not a tool"),
    ],
)
def test_set_rejects_rules_on_unknown_tools(key: str, value: str, text: str, folder: Path) -> None:
    with pytest.raises(UsageError) as error:
        run("set", key, value)
    assert text in error.value.message
    assert not (folder / "home/config.yaml").exists()


SETTING = re.compile(r"^( *)#(?=[a-z_]+:)", re.MULTILINE)


def test_init_writes_a_file_that_changes_nothing(folder: Path) -> None:
    before = output("show")
    created = run("init")
    file = folder / "home/config.yaml"
    assert (created.exit_code, created.stdout) == (0, "")
    assert str(file) in created.stderr
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert output("show") == before


def test_init_shows_every_setting_with_its_default(folder: Path) -> None:
    before = output("show")
    run("init")
    file = folder / "home/config.yaml"
    written, count = SETTING.subn(r"\1", file.read_text())
    file.write_text(written)
    assert output("show") == before
    assert count == len(list_keys())


def test_init_keeps_an_existing_file(folder: Path) -> None:
    run("set", "model.max_tokens", "7")
    with pytest.raises(UsageError, match="already exists"):
        run("init")
    assert output("get", "model.max_tokens") == "7\n"


def test_set_changes_the_created_file(folder: Path) -> None:
    run("init")
    run("set", "model.max_tokens", "7")
    assert output("get", "model.max_tokens") == "7\n"
    assert "# Isolation of commands." in (folder / "home/config.yaml").read_text()
