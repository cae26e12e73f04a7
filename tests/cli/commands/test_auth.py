"""`mcode auth`: what is stored, shown and deleted."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from github import ACCEPTED, PENDING, TOKEN, GitHub
from warm_start import LANG, run_mcode

from maxagent.models.auth.credentials import (
    Credential,
    locate_credentials,
    read_credentials,
    store_credential,
)
from maxagent.models.providers import load_providers

KEY = "sk-proj-" + "aB3_" * 12
VARIABLES = {name for each in load_providers().values() for name in each.key_variables}
Ended = subprocess.CompletedProcess[str]


class Place:
    """A home without any key."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.home = folder, folder / "home"

    def __call__(self, *arguments: str, stdin: str = "", **environ: str) -> Ended:
        texts = {name: value for name, value in os.environ.items() if name not in VARIABLES}
        texts |= {"MAXAGENT_HOME": str(self.home), "LC_ALL": LANG, **environ}
        return run_mcode(["auth", *arguments], self.folder, texts, stdin)

    def status(self, **environ: str) -> list[dict[str, object]]:
        """What `mcode auth status --json` lists."""
        return json.loads(self("status", "--json", **environ).stdout)


@pytest.fixture
def world(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def github() -> Iterator[GitHub]:
    with GitHub() as server:
        yield server


def test_a_key_from_stdin_is_stored_privately(world: Place) -> None:
    ended = world("login", "openai", "--token-stdin", stdin=f"{KEY}\n")
    assert (ended.returncode, ended.stdout) == (0, "")
    file = locate_credentials(world.home)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert read_credentials(world.home) == {"openai": Credential(KEY)}
    assert KEY not in ended.stderr and str(file) in ended.stderr


def test_a_key_shows_its_provider(world: Place) -> None:
    assert world("login", "--token-stdin", stdin=KEY).returncode == 0
    assert list(read_credentials(world.home)) == ["openai"]
    unclear = world("login", "--token-stdin", stdin="sk-" + "0a" * 16)
    assert unclear.returncode == 2 and "auth login PROVIDER" in unclear.stderr


@pytest.mark.parametrize(
    ("provider", "key", "message"),
    [
        ("opnai", KEY, "did you mean `openai`"),
        ("openai", "", "is empty"),
        ("openai", "a b", "invalid characters"),
        ("lmstudio", KEY, "needs no key"),
    ],
)
def test_what_cannot_be_a_key_is_refused(
    world: Place, provider: str, key: str, message: str
) -> None:
    ended = world("login", provider, "--token-stdin", stdin=key)
    assert ended.returncode == 2 and message in ended.stderr
    assert read_credentials(world.home) == {}


def test_a_key_of_another_provider_is_noticed(world: Place) -> None:
    ended = world("login", "deepseek", "--token-stdin", stdin=KEY)
    assert ended.returncode == 0 and "openai" in ended.stderr


def test_without_a_terminal_the_way_is_named(world: Place) -> None:
    for arguments in (["login"], ["login", "openai"]):
        ended = world(*arguments)
        assert ended.returncode == 4 and "--token-stdin" in ended.stderr
        assert "a key must be pasted at a terminal" in ended.stderr


def test_status_names_sources_and_no_secret(world: Place) -> None:
    none = world("status")
    assert (none.returncode, none.stdout) == (1, "") and "mcode auth login" in none.stderr
    assert world.status() == []
    store_credential(world.home, "openai", Credential(KEY))
    store_credential(world.home, "copilot", Credential(TOKEN, "octocat", expires_at=4e9))
    environ = {"GROQ_API_KEY": "gsk_1234567890"}
    rows = world.status(**environ)
    assert [(item["provider"], item["kind"], item["source"]) for item in rows] == [
        ("openai", "key", None),
        ("groq", "environment", "GROQ_API_KEY"),
        ("copilot", "login", None),
    ]
    assert (rows[2]["account"], rows[2]["expires_at"]) == ("octocat", "2096-10-02T07:06:40+00:00")
    output = world("status", **environ)
    assert output.returncode == 0 and "octocat" in output.stdout and "GROQ_API_KEY" in output.stdout
    for secret in (KEY, TOKEN, "gsk_1234567890"):
        assert secret not in output.stdout + output.stderr + json.dumps(rows)


def test_the_environment_wins_in_status(world: Place) -> None:
    store_credential(world.home, "openai", Credential(KEY))
    (row,) = world.status(OPENAI_API_KEY="from-environment")
    assert (row["kind"], row["source"]) == ("environment", "OPENAI_API_KEY")
    (row,) = world.status(LLC_API_KEY="from-settings")
    assert (row["kind"], row["source"]) == ("settings", "litellm.api_key")


def test_logout_deletes_and_says_what_remains(world: Place) -> None:
    assert world("logout").returncode == 1
    for name in ("openai", "groq"):
        store_credential(world.home, name, Credential(KEY))
    several = world("logout")
    assert several.returncode == 2 and "openai, groq" in several.stderr
    missing = world("logout", "openai", OPENAI_API_KEY="x-4711")
    assert missing.returncode == 0 and "OPENAI_API_KEY" in missing.stderr
    assert world("logout").returncode == 0 and read_credentials(world.home) == {}
    assert world("logout", "openai").returncode == 1


def test_copilot_without_client_id_is_explained(world: Place) -> None:
    ended = world("login", "copilot")
    assert ended.returncode == 2
    assert "copilot.client_id" in ended.stderr and "--token-stdin" in ended.stderr
    stored = world("login", "github-copilot", "--token-stdin", stdin=TOKEN)
    assert stored.returncode == 0
    assert read_credentials(world.home)["copilot"].host == "https://api.github.com"


def test_the_device_flow_logs_in(world: Place, github: GitHub) -> None:
    github.device_answers = [PENDING, ACCEPTED]
    github.write_config(world.home)
    ended = world("login", "copilot")
    assert ended.returncode == 0, ended.stderr
    assert "ABCD-1234" in ended.stderr and "https://github.com/login/device" in ended.stderr
    assert "octocat" in ended.stderr and TOKEN not in ended.stderr
    (row,) = world.status()
    assert (row["kind"], row["account"]) == ("login", "octocat") and row["expires_at"]
    assert github.exchanges == 1


@pytest.mark.parametrize(
    ("answer", "message"),
    [({"error": "access_denied"}, "denied"), ({"error": "expired_token"}, "expired")],
)
def test_a_refused_login_stores_nothing(
    world: Place, github: GitHub, answer: dict[str, str], message: str
) -> None:
    github.device_answers = [answer]
    github.write_config(world.home)
    ended = world("login", "copilot")
    assert ended.returncode == 1 and message in ended.stderr
    assert read_credentials(world.home) == {}


def test_an_account_without_copilot_is_named(world: Place, github: GitHub) -> None:
    github.device_answers, github.refusal = [ACCEPTED], 403
    github.write_config(world.home)
    ended = world("login", "copilot")
    assert ended.returncode == 1 and "the account has no GitHub Copilot" in ended.stderr
    assert read_credentials(world.home) == {}


@pytest.mark.parametrize("arguments", [["status"], ["logout"], ["--help"]])
def test_nothing_heavy_is_imported(world: Place, arguments: list[str]) -> None:
    program = (
        "import sys; from maxagent.cli.commands.auth import app\n"
        "try: app(sys.argv[1:])\n"
        "finally: print(*sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    store_credential(world.home, "groq", Credential(KEY))
    ended = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, "MAXAGENT_HOME": str(world.home)},
        capture_output=True,
        text=True,
    )
    loaded = set(ended.stderr.split())
    assert "maxagent" in loaded, ended.stderr
    assert loaded & {"langchain_core", "langgraph", "openai", "httpx2", "prompt_toolkit"} == set()
