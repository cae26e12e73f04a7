"""`mcode --remote URL` against `mcode web`: as here, also over a line that is cut."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from page_server import PageServer
from program import Ended, Program
from provider import Provider
from remote_line import TLS, RemoteLine

WORDS = [f"word{number} " for number in range(400)]


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as opened:
        yield opened


@pytest.fixture
def program(tmp_path: Path, provider: Provider) -> Program:
    environ = {
        "OPENAI_BASE_URL": f"{provider.url}",
        "LLC_MODEL__DEFAULT": "openai/served",
        "LLC_SECURITY__MODE": "ask",
    }
    return Program(tmp_path / "server", provider.url, environ)


@pytest.fixture
def client(tmp_path: Path) -> Program:
    """A terminal elsewhere: it has neither key, model nor threads."""
    return Program(tmp_path / "client", "", {"OPENAI_API_KEY": ""})


def run(command: str) -> dict[str, Any]:
    return {"tool_calls": [{"name": "run_command", "args": {"command": command}}]}


def ask(client: Program, server: PageServer, *arguments: str, **environ: str) -> Ended:
    url = environ.pop("url", f"http://127.0.0.1:{server.port}")
    return client.run("--remote", url, *arguments, MAXAGENT_REMOTE_TOKEN=server.token, **environ)


def list_kinds(ended: Ended) -> list[str]:
    return [event["type"] for event in ended.events if event["type"] != "notice"]


def test_the_events_are_those_of_here(
    program: Program, client: Program, provider: Provider
) -> None:
    made = {"text": "Made."}
    provider.script([run("touch made"), made, run("touch again"), made])
    local = [program.run("chat", "Make it.", "--output", "stream-json")]
    local += [program.resume(local[0].last["thread_id"], "--approve")]
    with PageServer(program) as server:
        there = [ask(client, server, "chat", "Make it.", "--output", "stream-json")]
        thread = there[0].last["thread_id"]
        more = ["resume", thread[:8], "--approve", "--output", "stream-json"]
        there += [ask(client, server, *more, "--question", there[0].last["id"])]
    assert [list_kinds(each) for each in there] == [list_kinds(each) for each in local]
    assert [each.code for each in there] == [4, 0]
    assert there[1].last["summary"] == "Made."


def test_a_cut_line_loses_and_repeats_nothing(
    program: Program, client: Program, provider: Provider
) -> None:
    answers = [*({"text": f"{word}", **run(f"echo {word}")} for word in WORDS[:8])]
    provider.script([*answers, {"text": "".join(WORDS)}])
    with RemoteLine(cut_after=3_000) as line:
        url = f"http://127.0.0.1:{line.port}"
        with PageServer(program, "--public", url) as server:
            line.target = server.port
            names = ["chat", "Count.", "--mode", "auto", "--output", "stream-json"]
            ended = ask(client, server, *names, url=url)
    answer = "".join(event["text"] for event in ended.told("output"))
    calls = [event["id"] for event in ended.told("tool_call")]
    assert answer == "".join([*WORDS[:8], *WORDS])
    assert len(calls) == len(set(calls)) == 8
    assert [event["id"] for event in ended.told("tool_result")] == calls
    assert (ended.code, line.cuts > 2) == (0, True), ended.stderr


def test_a_killed_server_goes_on_and_so_does_the_client(
    program: Program, client: Program, provider: Provider
) -> None:
    wait = "while [ ! -e go ]; do sleep 0.05; done"
    provider.script([run("echo x >> log"), run(wait), {"text": "The end."}])
    with PageServer(program) as server:
        token, port = server.token, server.port
        url = f"http://127.0.0.1:{port}"
        process = client._popen(  # noqa: SLF001
            ["--remote", url, "chat", "Count.", "--mode", "auto", "--output", "stream-json"],
            {"MAXAGENT_REMOTE_TOKEN": token},
        )
        assert process.stdout
        for line in process.stdout:
            if json.loads(line)["type"] == "tool_call" and wait in line:
                break
        server.end(signal.SIGKILL)
    (program.project / "go").write_text("")
    with PageServer(program, port=port), process:
        output, errors = process.communicate(timeout=90)
    last = json.loads(output.splitlines()[-1])
    assert (last["type"], last["summary"]) == ("completion", "The end."), errors
    assert program.lines("log") == ["x"]


def test_an_interrupt_stops_the_run_there(
    program: Program, client: Program, provider: Provider
) -> None:
    provider.script([run("sleep 60"), {"text": "Slept."}])
    with PageServer(program) as server:
        url = f"http://127.0.0.1:{server.port}"
        process = client._popen(  # noqa: SLF001
            ["--remote", url, "chat", "Sleep.", "--mode", "auto", "--output", "stream-json"],
            {"MAXAGENT_REMOTE_TOKEN": server.token},
        )
        assert process.stdout
        next(line for line in process.stdout if "tool_call" in line)
        process.send_signal(signal.SIGINT)
        with process:
            output, _ = process.communicate(timeout=90)
        [row] = server.get("/api/threads")["threads"]
    assert json.loads(output.splitlines()[-1])["type"] == "interrupted"
    assert (process.returncode, row["status"]) == (130, "interrupted")


def test_files_go_back_and_forth_there(
    program: Program, client: Program, provider: Provider
) -> None:
    provider.script([run("echo 1 > made"), {"text": "Made."}])
    with PageServer(program) as server:
        first = ask(client, server, "chat", "Make.", "--mode", "auto", "--output", "json")
        thread, made = first.last["thread_id"], program.project / "made"
        assert "+1" in ask(client, server, "diff", thread[:8]).stdout
        assert ask(client, server, "undo", thread[:8]).code == 4
        states = list[bool]()
        for command in (["undo"], ["redo"], ["rewind", "--to", "0"]):
            assert ask(client, server, *command, "--yes").code == 0
            states.append(made.exists())
        assert states == [False, True, False]
        transcript = ask(client, server, "threads", "show", thread[:8]).stdout
        forked = ask(client, server, "threads", "fork", thread[:8], "--at", "0").stdout.strip()
        ids = {row["thread_id"] for row in json.loads(ask_list(client, server))}
    assert "Make." in transcript
    assert ids == {thread, forked}


def ask_list(client: Program, server: PageServer) -> str:
    return ask(client, server, "threads", "list", "--json").stdout


def test_a_running_thread_is_watched(program: Program, client: Program, provider: Provider) -> None:
    provider.script([run("while [ ! -e go ]; do sleep 0.05; done"), {"text": "Done."}])
    with PageServer(program) as server:
        thread = server.begin("Wait.", mode="auto")
        server.read_to(thread, ["tool_call"])
        process = client._popen(  # noqa: SLF001
            ["--remote", f"http://127.0.0.1:{server.port}", "resume", "--output", "stream-json"],
            {"MAXAGENT_REMOTE_TOKEN": server.token},
        )
        assert process.stdout
        first = [json.loads(process.stdout.readline())["type"]]
        (program.project / "go").write_text("")
        with process:
            output, _ = process.communicate(timeout=90)
    kinds = [*first, *(json.loads(line)["type"] for line in output.splitlines())]
    assert (kinds[0], kinds[-1]) == ("run_started", "completion")
    assert kinds.count("tool_call") == 1


@pytest.mark.parametrize("through", ["certificate", "proxy"])
def test_a_certificate_and_a_proxy_are_used(
    program: Program, client: Program, provider: Provider, through: str
) -> None:
    provider.script([{"text": "Safe."}])
    host = {"certificate": "localhost", "proxy": "gateway.example"}[through]
    with RemoteLine(is_safe=True) as line, RemoteLine(target=line.port) as proxy:
        url = f"https://{host}:{line.port}"
        environ = {"SSL_CERT_FILE": str(TLS / "authority.pem")}
        if through == "proxy":
            environ["HTTPS_PROXY"] = f"http://127.0.0.1:{proxy.port}"
        with PageServer(program, "--public", url) as server:
            line.target = server.port
            ended = ask(client, server, "chat", "Hello.", "--output", "json", url=url, **environ)
            distrusted = ask(
                client, server, "threads", "list", url=f"https://localhost:{line.port}"
            )
    assert ended.last["summary"] == "Safe."
    assert bool(proxy.tunnels) == (through == "proxy")
    assert "unknown issuer" in distrusted.stderr


@pytest.mark.parametrize(
    ("arguments", "environ", "message"),
    [
        (["doctor"], {}, "`mcode doctor` is for this machine, not for a server"),
        (["edit", "a.py", "Shorten it."], {}, "is for this machine, not for a server"),
        (["models", "list"], {}, "is for this machine, not for a server"),
        ([], {}, "a conversation at the prompt is for threads of this machine"),
        (["chat"], {}, "no message given"),
        (["task", ""], {}, "the request is empty"),
        (["task", " "], {}, "the request is empty"),
        (["task", "x", "--base-url", "http://x"], {}, "--base-url"),
        (["threads", "show", "nothing"], {}, "the server has no thread `nothing`"),
        (["threads", "list"], {"MAXAGENT_REMOTE_TOKEN": ""}, "the server's token is not known"),
        (["threads", "list"], {"MAXAGENT_REMOTE_TOKEN": "wrong"}, "the token is missing or wrong"),
        (["chat", "Hi", "--folder", "here"], {}, "`folder` must be an absolute path"),
        (["chat", "Hi", "--max-turns", "0"], {}, "--max-turns"),
    ],
)
def test_what_cannot_be_done_says_so(
    program: Program, client: Program, arguments: list[str], environ: dict[str, str], message: str
) -> None:
    with PageServer(program) as server:
        variables = {"MAXAGENT_REMOTE_TOKEN": server.token, **environ}
        url = f"http://127.0.0.1:{server.port}"
        ended = client.run("--remote", url, *arguments, **variables)
    assert (ended.code, message in ended.stderr) == (2, True), ended.stderr


def test_a_server_that_is_not_there_is_named(client: Program) -> None:
    environ = {"MAXAGENT_REMOTE_TOKEN": "x"}
    ended = client.run("--remote", "http://127.0.0.1:1", "threads", "list", **environ)
    assert (ended.code, "could not be reached" in ended.stderr) == (1, True)
