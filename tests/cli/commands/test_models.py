"""`mcode models`: what is listed, and what a request would use."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from provider import Provider
from typer.testing import CliRunner, Result

from maxagent.cli.commands.models import app
from maxagent.cli.i18n.catalogs import use_language
from maxagent.config.errors import UsageError
from maxagent.models.auth.credentials import Credential, store_credential
from maxagent.models.providers import load_providers


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty home, with an empty project as the current folder, and no key but OpenAI's."""
    keys = [name for row in load_providers().values() for name in row.key_variables]
    for name in [name for name in os.environ if name.startswith("LLC_") or name in keys]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("MAXAGENT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    monkeypatch.setenv("LC_ALL", "C")
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    yield tmp_path
    use_language("")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), catch_exceptions=False)


def configure(folder: Path, text: str) -> None:
    (folder / "home").mkdir(exist_ok=True)
    (folder / "home/config.yaml").write_text(text)


def test_a_learnt_window_is_shown_and_forgotten(folder: Path) -> None:
    configure(folder, "model: {models: {tiny: {context_length: 20000}}}\n")
    (folder / "home/data").mkdir()
    (folder / "home/data/model-limits").write_text("8000 20000 openai/tiny api.openai.com\n")
    assert "8k, learnt from an error" in run("show", "openai/tiny").stdout
    assert "8,000" in run("forget", "openai/tiny").stderr
    assert "learnt from" not in run("show", "openai/tiny").stdout
    assert "No context window was learnt" in run("forget", "openai/tiny").stderr


def test_list_marks_the_model_in_use() -> None:
    lines = run("list").stdout.splitlines()
    assert lines[0].split() == [
        "model",
        "window",
        "$",
        "in",
        "/",
        "out",
        "images",
        "thinking",
        "key",
    ]
    assert lines[1].split()[:3] == ["*", "openai/gpt-4o", "128k"]
    assert lines[1].endswith("yes") and lines[-1].endswith("no")


def test_list_of_one_provider_by_alias() -> None:
    data = json.loads(run("list", "--provider", "zhipu", "--json").stdout)
    assert {row["provider"] for row in data} == {"glm"}
    with pytest.raises(UsageError, match="unknown provider"):
        run("list", "--provider", "nobody")


def test_remote_list_is_the_servers(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_BASE_URL", provider.url)
    provider.script([{"status": 200, "body": {"data": [{"id": "qwen3:8b"}]}}])
    data = json.loads(run("list", "--remote", "--provider", "ollama", "--json").stdout)
    assert [(row["name"], row["key"], row["thinking"]) for row in data] == [
        ("ollama/qwen3:8b", True, None)
    ]


def test_show_names_sources_and_corrections(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(
        folder,
        "model:\n  default: gpt-4.1\n  models:\n    openai/gpt-4.1:\n"
        "      context_length: 5000\n      price: {input: 1, output: 2}\n",
    )
    monkeypatch.setenv("OPENAI_BASE_URL", "http://me:hidden@relay:8443/v1")
    data = json.loads(run("show", "--json").stdout)
    assert data["model"] == "openai/gpt-4.1"
    assert data["chosen_by"] == f"{folder}/home/config.yaml:2"
    assert data["address"] == "http://relay:8443/v1 (OPENAI_BASE_URL)"
    assert data["key"] == "key from OPENAI_API_KEY"
    assert data["context_length"] == 5000
    assert data["price"] == {"input": 1, "output": 2, "cached": None}
    assert data["tool_calls"] == "auto"
    assert data["corrected"] == ["context_length", "price"]
    text = run("show").stdout
    assert "$1 / $2" in text and "context_length, price" in text
    assert not any(secret in text + str(data) for secret in ("sk-very-secret", "hidden"))


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("deepseek/deepseek-chat", "deepseek/deepseek-chat"),
        ("anthropic", "anthropic/"),
        ("glm-4.7", "glm/glm-4.7"),
        ("gemini/gemini-3-pro", "gemini/gemini-3-pro"),
        ("copilot/gpt-5", "copilot/gpt-5"),
    ],
)
def test_model_without_key_is_shown(name: str, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    stdout = run("show", name).stdout
    assert f" {model}" in stdout and "none yet: run `mcode auth login" in stdout


@pytest.mark.parametrize("name", ["nobody/model", "no-such-model"])
def test_unknown_model_without_key_fails(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(UsageError):
        run("show", name)


def test_configured_address_and_key_name_their_line(folder: Path) -> None:
    configure(folder, "litellm:\n  provider: glm\n  base_url: http://x/v4\n  api_key: glm-secret\n")
    data = json.loads(run("show", "--json").stdout)
    assert data["address"] == f"http://x/v4 ({folder}/home/config.yaml:3)"
    assert data["key"] == f"key from {folder}/home/config.yaml:4"
    assert data["chosen_by"] == f"{folder}/home/config.yaml:2"


def test_a_login_is_named_as_login(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    store_credential(folder / "home", "copilot", Credential("gho_abcdefghijklmnop"))
    assert json.loads(run("show", "copilot", "--json").stdout)["key"] == "key from login"


def test_no_heavy_import() -> None:
    code = (
        "import sys; from maxagent.cli.app import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "bad = {'langchain_core', 'langgraph', 'httpx2', 'openai'} & set(sys.modules)\n"
        "print(bad, file=sys.stderr)"
    )
    for arguments in (["list"], ["show"]):
        done = subprocess.run(
            [sys.executable, "-c", code, "models", *arguments], capture_output=True, text=True
        )
        assert done.stderr.strip().endswith("set()"), done.stderr
