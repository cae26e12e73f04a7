"""`mcode --remote URL` against LangGraph's own server, which serves our graphs."""

import json
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from program import Ended
from remote_line import RemoteLine
from studio import MCODE, House
from warm_start import run_mcode, start_python

pytest.importorskip("langgraph_api")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    return House(tmp_path_factory.mktemp("agent"))


@pytest.fixture(scope="module")
def address(house: House) -> Iterator[str]:
    with house.serve(*MCODE, "studio", "--mode", "auto") as (printed, _):
        yield printed


class Terminal:
    """A terminal elsewhere: it has neither model nor threads."""

    def __init__(self, house: House, address: str, port: int = 0) -> None:
        server, self._token = address.rsplit("/", 1)
        self.url = f"http://127.0.0.1:{port}" if port else server
        self._house = house

    @property
    def environ(self) -> dict[str, str]:
        home = {"MAXAGENT_HOME": str(self._house.folder / "elsewhere")}
        return {**self._house.environ, **home, "MAXAGENT_REMOTE_TOKEN": self._token}

    def run(self, *arguments: str) -> Ended:
        names = ["--remote", self.url, *arguments]
        ended = run_mcode(names, self._house.folder, self.environ)
        return Ended(ended.returncode, ended.stdout, ended.stderr)

    def start(self, *arguments: str) -> Any:
        names = ["-m", "maxagent", "--remote", self.url, *arguments]
        return start_python(names, self._house.folder, self.environ)


def write_script(house: House, name: str, *answers: Any) -> list[str]:
    """Return the options of a conversation with these answers, in a folder of its own."""
    folder, script = house.folder / name, house.folder / f"{name}.json"
    folder.mkdir()
    script.write_text(json.dumps(answers))
    return ["--folder", str(folder), "--model", f"scripted/{script}", "--output", "stream-json"]


def run(command: str, text: str = "") -> dict[str, Any]:
    return {"text": text, "tool_calls": [{"name": "run_command", "args": {"command": command}}]}


def test_a_question_is_answered_from_elsewhere(house: House, address: str) -> None:
    terminal = Terminal(house, address)
    options = write_script(house, "asked", run("touch made"), {"text": "Made."}, {"text": "More."})
    asked = terminal.run("chat", "Make it.", "--mode", "ask", *options)
    thread = asked.last["thread_id"]
    rows = json.loads(terminal.run("threads", "list", "--json").stdout)
    [row] = [row for row in rows if row["thread_id"] == thread]
    answer = ["--question", asked.last["id"], "--approve", "--output", "stream-json"]
    done = terminal.run("resume", thread[:8], *answer)
    more = terminal.run("chat", "And?", "--resume", thread, "--output", "json")
    entries = json.loads(terminal.run("threads", "show", thread, "--json").stdout)["transcript"]
    assert (asked.code, asked.last["type"], row["status"]) == (4, "question", "waiting")
    assert (done.code, done.last["summary"], more.last["summary"]) == (0, "Made.", "More.")
    assert (house.folder / "asked" / "made").exists()
    assert [entry["kind"] for entry in entries] == ["human", "call", "answer", "human", "answer"]


def test_a_task_runs_to_its_evidence(house: House, address: str) -> None:
    task = house.project("task", [run("echo x > log.txt"), {"text": "Done."}])
    options = ["--folder", task["folder"], "--model", task["options"]["model"], "--apply"]
    options += ["--mode", "auto"]
    ended = Terminal(house, address).run("task", "Log it.", *options, "--output", "stream-json")
    assert (ended.code, ended.last["outcome"]) == (0, "verified"), ended.stderr
    assert ended.told("evidence")


def test_a_cut_line_loses_and_repeats_nothing(house: House, address: str) -> None:
    answers = [run(f"echo {number}", f"word{number}") for number in range(12)]
    options = write_script(house, "cut", *answers, {"text": "The end."})
    port = int(address.rsplit("/", 1)[0].rsplit(":", 1)[1])
    with RemoteLine(port, cut_after=4_000) as line:
        terminal = Terminal(house, address, line.port)
        ended = terminal.run("chat", "Count.", "--mode", "auto", *options)
    texts = [event["text"].strip() for event in ended.told("output")]
    calls = [event["id"] for event in ended.told("tool_call")]
    assert " ".join(texts) == " ".join([*(f"word{number}" for number in range(12)), "The end."])
    assert len({*calls}) == len(calls) == 12
    assert [event["id"] for event in ended.told("tool_result")] == calls
    assert (ended.code, line.cuts > 2) == (0, True), ended.stderr


def test_an_interrupt_stops_the_run_there(house: House, address: str) -> None:
    options = write_script(house, "stopped", run("sleep 60"), {"text": "Slept."})
    process = Terminal(house, address).start("chat", "Sleep.", "--mode", "auto", *options)
    assert process.stdout
    next(line for line in process.stdout if "tool_call" in line)
    process.send_signal(signal.SIGINT)
    with process:
        output, errors = process.communicate(timeout=90)
    assert json.loads(output.splitlines()[-1])["type"] == "interrupted", errors
    assert process.returncode == 130


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["undo", "--yes"], "the Agent Protocol has no `undo`"),
        (["redo", "--yes"], "the Agent Protocol has no `redo`"),
        (["rewind", "--to", "0", "--yes"], "the Agent Protocol has no `rewind`"),
        (["diff"], "the Agent Protocol has no `diff`"),
        (["threads", "fork", "--at", "0"], "the Agent Protocol has no `fork`"),
        (["chat", "Hello"], "this server has no folder of its own"),
        (["chat", "Hello", "--folder", "/nowhere"], "/nowhere"),
        (["resume", "nothing"], "the server has no thread `nothing`"),
    ],
)
def test_what_it_cannot_do_says_so(
    house: House, address: str, arguments: list[str], message: str
) -> None:
    ended = Terminal(house, address).run(*arguments)
    assert (ended.code in (1, 2), message in ended.stderr) == (True, True), ended
