"""Keys typed at the real prompt, and what comes of them; what is drawn goes nowhere."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from maxagent.cli.repl.prompt.completer import LineCompleter
from maxagent.cli.repl.prompt.file_mentions import FileList
from maxagent.cli.repl.prompt.layout import PromptState
from maxagent.cli.repl.prompt.live_prompt import LivePrompt
from maxagent.cli.repl.prompt.paste_placeholder import Pastes

ESC, ALT_ENTER, UP, SHIFT_TAB, BACKSPACE = "\x1b", "\x1b\r", "\x1b[A", "\x1b[Z", "\x7f"
CTRL_C, CTRL_D, CTRL_J = "\x03", "\x04", "\n"
SIX = "\n".join("abcdef")


@dataclass
class Recorded:
    """Whoever the keys speak to: it only notes what it is told."""

    is_working: bool = False
    waits: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    last: bool = False

    def submit_line(self, line: str) -> None:
        self.done.append(f"sent {line}")

    def open_waiting_thread(self) -> None:
        self.done.append("waiting")

    def take_back(self) -> str:
        return self.waits.pop() if self.waits else ""

    def interrupt(self) -> None:
        self.done.append("interrupted")

    def offer_rewind(self) -> None:
        self.done.append("rewound")

    def switch_mode(self) -> None:
        self.done.append("switched")

    def toggle_todos(self) -> None:
        self.done.append("todos")

    def open_fold(self) -> None:
        self.done.append("opened")

    def request_exit(self) -> None:
        self.done.append("left")

    def confirm_exit(self) -> bool:
        before, self.last = self.last, True
        return before


class Keyboard:
    """Types at a prompt, and waits until it has taken everything in."""

    def __init__(self, prompt: LivePrompt, hands: Recorded, keys: PipeInput) -> None:
        self.prompt, self.hands, self._keys = prompt, hands, keys

    @property
    def text(self) -> str:
        return self.prompt.line.text

    def type(self, keys: str) -> None:
        self._keys.send_text(keys)

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not holds():
                await asyncio.sleep(0.005)


@asynccontextmanager
async def keyboard(hands: Recorded, history: list[str]) -> AsyncIterator[Keyboard]:
    commands = {"help": "Helps.", "exit": "Leaves.", "exits": "Counts the ways out."}
    completer = LineCompleter(
        lambda: commands, lambda: {}, lambda: FileList(["src/", "src/app.py", "b c"])
    )
    shown = PromptState(tuple, str, lambda columns: "", lambda: False)
    usable = asyncio.Event()
    with create_pipe_input() as keys, create_app_session(keys, DummyOutput()):
        prompt = LivePrompt(
            hands,
            Pastes(),
            shown,
            completer,
            InMemoryHistory(history),
            input=keys,
            output=DummyOutput(),
        )
        running = asyncio.ensure_future(prompt.run(usable.set))
        await usable.wait()
        yield Keyboard(prompt, hands, keys)
        prompt.close()
        await running


@pytest.mark.parametrize(
    "keys, done, left",
    [
        ("hello\r", ["sent hello"], ""),
        ("\r  \r", ["waiting"], "  "),
        (f"a{ALT_ENTER}b{CTRL_J}c\\\rd\r", ["sent a\nb\nc\nd"], ""),
        (f"gone{CTRL_C}kept", [], "kept"),
        (f"x{CTRL_D}y", [], "xy"),
        (CTRL_D, ["left"], ""),
        (CTRL_C + CTRL_C, ["left"], ""),
        (SHIFT_TAB, ["switched"], ""),
        (f"\x1b[200~{SIX}\x1b[201~ too", [], "[Pasted text #1 +6 lines] too"),
        (f"see \x1b[200~{SIX}\x1b[201~{BACKSPACE}", [], "see "),
        (f"see \x1b[200~a\r\nb\x1b[201~{BACKSPACE}", [], "see a\n"),
        (UP, [], "newer"),
        (UP + UP, [], "older"),
        ("你好\x1b[D们\r", ["sent 你们好"], ""),
        ("one\rtwo\r", ["sent one\ntwo"], ""),
        ("one\rtwo\rthree", [], "one\ntwo\nthree"),
        ("def f():\r    return 1\r\r\rf()\r", ["sent def f():\n    return 1\n\n\nf()"], ""),
        ("\r\r第一行\r第二行\r", ["sent 第一行\n第二行"], ""),
        ("/help me\rq\r!ls\r", ["sent /help me\nq\n!ls"], ""),
        ("a\r\nb\r\nc", [], "a\nb\nc"),
        ("@src/\r@b\rdone\r", ["sent @src/\n@b\ndone"], ""),
    ],
)
async def test_what_a_key_does(keys: str, done: list[str], left: str) -> None:
    async with keyboard(Recorded(), ["older", "newer"]) as typing:
        await typing.until(lambda: len(list(typing.prompt.line.history.get_strings())) == 2)
        typing.type(keys)
        await typing.until(lambda: (typing.hands.done, typing.text) == (done, left))


async def test_sent_paste_stays_folded_and_history_has_all() -> None:
    async with keyboard(Recorded(), []) as typing:
        typing.type(f"fix \x1b[200~{SIX}\x1b[201~\r")
        await typing.until(lambda: typing.hands.done == ["sent fix [Pasted text #1 +6 lines]"])
        assert typing.prompt.line.history.get_strings() == [f"fix {SIX}"]


async def test_esc_stops_turn_and_up_recalls_queued_line() -> None:
    async with keyboard(Recorded(is_working=True, waits=["one", "two"]), ["older"]) as typing:
        typing.type(UP)
        await typing.until(lambda: typing.text == "two")
        typing.type(ESC)
        await typing.until(lambda: typing.hands.done == ["interrupted"])
        typing.type(CTRL_C + CTRL_C)
        await typing.until(lambda: typing.hands.done == ["interrupted"] * 2)
        assert typing.text == "" and typing.hands.waits == ["one"]


async def test_enter_accepts_completion_or_sends_complete_line() -> None:
    async with keyboard(Recorded(), []) as typing:
        line = typing.prompt.line
        for typed, taken in (("/he", "/help"), ("@app", "@src/app.py ")):
            typing.type(typed)
            await typing.until(
                lambda: bool(line.complete_state and line.complete_state.completions)
            )
            typing.type("\r")
            await typing.until(lambda taken=taken: line.text == taken)
            typing.type("\r")
            await typing.until(lambda: line.text == "")
        typing.type("/exit")
        await typing.until(lambda: bool(line.complete_state and line.complete_state.completions))
        typing.type("\r")
        await typing.until(lambda: typing.hands.done[-1] == "sent /exit")
        assert typing.hands.done[:-1] == ["sent /help", "sent @src/app.py "]


async def test_esc_closes_the_menu_before_it_stops_anything() -> None:
    async with keyboard(Recorded(is_working=True), []) as typing:
        line = typing.prompt.line
        typing.type("/ex")
        await typing.until(lambda: bool(line.complete_state and line.complete_state.completions))
        typing.type(ESC)
        await typing.until(lambda: line.complete_state is None)
        assert (typing.hands.done, typing.text) == ([], "/ex")


async def test_editor_gets_whole_text_and_returns_its_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\ngrep -c . "$1" > "$1.count"; cat "$1.count" >> "$1"\n')
    editor.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(editor))
    async with keyboard(Recorded(), []) as typing:
        typing.type(f"\x1b[200~{SIX}\x1b[201~\x07")
        await typing.until(lambda: typing.text == f"{SIX}6")
