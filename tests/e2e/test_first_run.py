"""The first run without a key, at a real terminal."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event

import pytest
from chat_window import LOCALES, squeezed
from confinement import SURROUNDINGS
from github import CODE, PENDING, GitHub
from provider import Provider, Request
from screen import FreshScreenTerminal

from maxagent.cli.i18n.catalogs import load_catalog
from maxagent.models.auth.credentials import read_credentials

KEY = "sk-" + "0a1b" * 8
PASTE = f"\x1b[200~{KEY}\x1b[201~"
MODELS = {"data": [{"id": "deepseek-chat"}, {"id": "deepseek-reasoner"}]}
COLUMNS = (80, 40)


class FirstRun:
    """A bare `mcode` in an empty home."""

    def __init__(
        self,
        folder: Path,
        language: str,
        columns: int,
        arguments: Sequence[str] = (),
        **environ: str,
    ) -> None:
        self.home, self.project = folder / "home", folder / "project"
        self.project.mkdir()
        self._words = load_catalog("mcode", language).list_messages()
        surroundings = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(folder),
            "LANG": LOCALES[language],
            "MAXAGENT_HOME": str(self.home),
            "LLC_THREADS__TITLES": "false",
            "OLLAMA_BASE_URL": "",
            **SURROUNDINGS,
            **environ,
        }
        argv = [sys.executable, "-m", "maxagent", *arguments]
        self.terminal = FreshScreenTerminal(
            argv, self.project, surroundings, columns=columns, rows=30
        )

    def see(self, *arguments: str) -> str:
        """Wait until these words are on the screen; the screen."""
        expected = [squeezed(word) for word in arguments]
        return self.terminal.wait_for(lambda screen: all(w in squeezed(screen) for w in expected))

    def words(self, key: str, **values: object) -> str:
        """A message of the interface."""
        return self._words[key].format(**values)


@pytest.fixture
def deepseek(provider: Provider) -> Provider:
    def answer(request: Request) -> dict[str, object]:
        if request.headers.get("Authorization") != f"Bearer {KEY}":
            return {"status": 401, "body": {"error": {"message": "no such key"}}}
        if request.path.endswith("/models"):
            return {"status": 200, "body": MODELS}
        return {"text": "Hello there."}

    provider.script(answer)
    return provider


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("language", list(LOCALES))
def test_a_pasted_key_leads_to_an_answer(
    tmp_path: Path, deepseek: Provider, language: str, columns: int
) -> None:
    run = FirstRun(tmp_path, language, columns, DEEPSEEK_BASE_URL=deepseek.url)
    with run.terminal as terminal:
        run.see(run.words("auth.explain.key"), "1 DeepSeek", run.words("choice.leave.exit"))
        terminal.type(PASTE)  # no Enter
        run.see(run.words("auth.ask.provider"), run.words("choice.leave.back"))
        terminal.type("1")
        run.see("deepseek-reasoner", run.words("picker.models"), run.words("picker.keys"))
        terminal.press("enter")
        run.see(run.words("repl.placeholder.first"))
        terminal.type("hi").press("enter")
        run.see("Hello there.")
        assert KEY not in terminal.scrollback()
        assert terminal.glass.wraps == 0
    assert read_credentials(run.home)["deepseek"].secret == KEY
    assert "deepseek/deepseek-chat" in (run.home / "config.yaml").read_text()


def test_a_key_is_never_shown_whenever_pasted(tmp_path: Path, provider: Provider) -> None:
    tested, typed = Event(), Event()

    def answer(request: Request) -> dict[str, object]:
        tested.set()
        assert typed.wait(60)
        if request.headers.get("Authorization") != f"Bearer {KEY}":
            return {"status": 401, "body": {"error": {"message": "no such key"}}}
        if request.path.endswith("/models"):
            return {"status": 200, "body": MODELS}
        return {"text": "Hello there."}

    provider.script(answer)
    run = FirstRun(tmp_path, "en", 80, DEEPSEEK_BASE_URL=provider.url)
    with run.terminal as terminal:
        terminal.until(run.words("auth.heading"))
        terminal.type(f"{KEY}\r")  # while the question is prepared
        run.see(run.words("choice.hint.text")[:30])
        terminal.press("enter")
        run.see(run.words("auth.ask.provider"))
        terminal.type(PASTE)  # at a question for a provider
        run.see(run.words("choice.hint.text")[:30])
        terminal.press("ctrl-u").type("deepseek").press("enter")
        assert tested.wait(60)
        terminal.type(KEY)  # while it is tested
        typed.set()
        run.see(run.words("picker.models"), run.words("picker.keys"))
        terminal.type(PASTE)  # in the search for a model
        terminal.press("ctrl-u").press("enter")
        run.see(run.words("repl.placeholder.first"))
        assert KEY[:12] not in terminal.shown
    assert read_credentials(run.home)["deepseek"].secret == KEY


def test_a_wrong_key_is_asked_again(tmp_path: Path, deepseek: Provider) -> None:
    run = FirstRun(tmp_path, "en", 80, DEEPSEEK_BASE_URL=deepseek.url)
    with run.terminal as terminal:
        run.see(run.words("auth.paste"), run.words("choice.leave.exit"))
        terminal.type("1")
        run.see("DeepSeek", run.words("auth.ask.key"))
        terminal.press("esc")  # back to the choice
        run.see(run.words("auth.paste"), run.words("choice.leave.exit"))
        terminal.type("1")
        run.see(run.words("auth.ask.key"))
        assert "https://platform.deepseek.com/api_keys" in terminal.screen()
        terminal.type("sk-wrong").press("enter")
        run.see("no such key", run.words("auth.paste"), run.words("choice.leave.exit"))
        terminal.type("deepseek").press("enter")
        run.see(run.words("auth.ask.key"))
        terminal.type(KEY).press("enter")
        run.see("deepseek-reasoner", run.words("picker.keys"))
        terminal.type("reasoner").press("enter")
        run.see(run.words("repl.placeholder.first"))
    assert "deepseek/deepseek-reasoner" in (run.home / "config.yaml").read_text()


def test_nothing_is_asked_twice(tmp_path: Path, deepseek: Provider) -> None:
    first = FirstRun(tmp_path, "en", 80, DEEPSEEK_API_KEY=KEY, DEEPSEEK_BASE_URL=deepseek.url)
    with first.terminal as terminal:
        screen = first.see(first.words("repl.placeholder.first"), "deepseek")
        assert first.words("auth.heading") not in screen
        terminal.type("hi").press("enter")
        first.see("Hello there.")


def test_leaving_the_question_ends_it(tmp_path: Path, deepseek: Provider) -> None:
    run = FirstRun(tmp_path, "en", 80, DEEPSEEK_BASE_URL=deepseek.url)
    with run.terminal as terminal:
        run.see(run.words("auth.paste"), run.words("choice.leave.exit"))
        terminal.press("ctrl-c")
        assert terminal.end() == 130
    assert read_credentials(run.home) == {}


@pytest.fixture
def github() -> Iterator[GitHub]:
    with GitHub() as server:
        yield server


def test_a_login_leads_to_an_answer(tmp_path: Path, github: GitHub) -> None:
    github.device_answers = [github.device_answers[0], github.device_answers[-1]]
    github.write_config(tmp_path / "home")
    github.script(lambda _: {"text": "Hello there."})
    run = FirstRun(tmp_path, "en", 80)
    with run.terminal as terminal:
        run.see(run.words("auth.paste"), run.words("choice.leave.exit"))
        terminal.type("copilot").press("enter")
        run.see("octocat", "copilot/gpt-4o")  # the only model is not asked for
        run.see(run.words("repl.placeholder.first"))
        terminal.type("hi").press("enter")
        run.see("Hello there.")
    assert github.initiators.count("user") == 1


def test_login_in_a_conversation_counts_at_once(tmp_path: Path, deepseek: Provider) -> None:
    run = FirstRun(
        tmp_path, "en", 80, DEEPSEEK_BASE_URL=deepseek.url, LLC_MODEL="deepseek/deepseek-chat"
    )
    with run.terminal as terminal:
        run.see(run.words("repl.placeholder.first"))
        terminal.type("/login deepseek").press("enter")
        run.see(run.words("auth.ask.key"))
        terminal.type(PASTE)
        run.see("Stored the key of deepseek")
        # the prompt is back above its status line
        run.see(run.words("repl.placeholder.first"))
        terminal.type("hi").press("enter")
        run.see("Hello there.")
        assert KEY not in terminal.scrollback()


def test_ctrl_c_ends_the_wait_for_the_browser(tmp_path: Path, github: GitHub) -> None:
    github.routes["/login/oauth/access_token"] = lambda _: {"status": 200, "body": PENDING}
    github.routes["/login/device/code"] = lambda _: {
        "status": 200,
        "body": {**CODE, "interval": 1},
    }
    github.write_config(tmp_path / "home")
    run = FirstRun(tmp_path, "en", 80, arguments=("auth", "login", "copilot"))
    with run.terminal as terminal:
        run.see("ABCD-1234", run.words("auth.waiting"))
        terminal.press("ctrl-c")
        assert terminal.end() == 130
    assert read_credentials(run.home) == {}


@pytest.mark.parametrize("way", ["pasted", "chosen", "no key"])
def test_a_server_of_ones_own_is_connected(tmp_path: Path, deepseek: Provider, way: str) -> None:
    if way == "no key":
        deepseek.script(
            lambda request: (
                {"status": 200, "body": MODELS}
                if request.path.endswith("/models")
                else {"text": "Hello there."}
            )
        )
    run = FirstRun(tmp_path, "en", 80)
    with run.terminal as terminal:
        run.see(run.words("auth.own"), run.words("choice.leave.exit"))
        if way == "chosen":
            terminal.type("8")
            run.see(run.words("auth.ask.address"))
            terminal.type(deepseek.url).press("enter")
        else:
            terminal.type(f"\x1b[200~{deepseek.url}\x1b[201~")  # no Enter
        host = deepseek.url.removeprefix("http://").partition("/")[0]
        run.see(run.words("auth.ask.own_key"), host)
        terminal.type("" if way == "no key" else PASTE)
        if way == "no key":
            terminal.press("enter")
        run.see(run.words("picker.models"), run.words("picker.keys"))
        terminal.press("enter")
        run.see(run.words("repl.placeholder.first"))
        terminal.type("hi").press("enter")
        run.see("Hello there.")
        assert KEY not in terminal.scrollback()
    written = (run.home / "config.yaml").read_text()
    assert f'base_url: "{deepseek.url}"' in written and "litellm/deepseek-chat" in written
    assert ("litellm" in read_credentials(run.home)) == (way != "no key")


def test_escape_leads_back_to_the_choice(tmp_path: Path, deepseek: Provider) -> None:
    run = FirstRun(tmp_path, "en", 80, DEEPSEEK_BASE_URL=deepseek.url)
    with run.terminal as terminal:
        run.see(run.words("auth.more"), run.words("choice.leave.exit"))
        terminal.type(PASTE)
        run.see(run.words("auth.ask.provider"), run.words("choice.leave.back"))
        terminal.press("esc")
        run.see(run.words("auth.more"), run.words("choice.leave.exit"))
        terminal.type("7")
        run.see("MiniMax", run.words("choice.leave.back"))
        terminal.press("esc")
        run.see(run.words("auth.more"), run.words("choice.leave.exit"))
