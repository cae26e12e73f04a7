"""`mcode` in a window, as people live in it: real keys go in, the screen is what is read."""

import re
import sys
from itertools import takewhile
from pathlib import Path
from subprocess import run
from typing import Any, Self

from program import Program
from provider import Provider
from screen import ScreenTerminal
from terminal import CONFIRM

from maxagent.cli.i18n.catalogs import load_catalog
from maxagent.cli.rendering.text_width import shorten_text
from maxagent.cli.repl.prompt.status_bar import SEPARATOR

LOCALES = {"en": "C.UTF-8", "zh": "zh_CN.UTF-8"}
SIGN = "›"
"""Stands before what is typed."""
RULE = "──"
"""Stands above and below it."""


def squeezed(text: str) -> str:
    """The text without white space, at which windows break it, and without marks of code."""
    return re.sub(r"[\s`]+", "", text)


class ChatWindow:
    """A window with a conversation in it, in one language; it can be opened anew."""

    def __init__(self, folder: Path, provider: Provider, language: str, **environ: str) -> None:
        self.provider, self.language = provider, language
        surroundings = {
            "LANG": LOCALES[language],
            "TERM": "xterm-256color",
            "LLC_MODEL": "openai/served",
            "LLC_BASE_URL": provider.url,
        }
        self.program = Program(folder, provider.url, {**surroundings, **environ})
        self.project = self.program.project
        self._words = load_catalog("mcode", language).list_messages()
        self.terminal: ScreenTerminal
        self.columns = 80

    def words(self, key: str, **values: object) -> str:
        """A message of the interface as it reads in this language."""
        return self._words[key].format(**values)

    def open(self, *arguments: str, columns: int = 80, rows: int = 24) -> Self:
        """Open the window; `mcode` without arguments is `mcode chat`."""
        argv = [sys.executable, "-m", "maxagent", *(["chat", *arguments] if arguments else [])]
        self.columns = columns
        self.terminal = ScreenTerminal(
            argv, self.project, self.program.environ, columns=columns, rows=rows
        )
        return self

    def __enter__(self) -> Self:
        self.terminal.__enter__()
        expected = [squeezed(label) for label in self._placeholders]
        self.terminal.wait_for(lambda screen: any(text in squeezed(screen) for text in expected))
        return self

    def __exit__(self, *error: object) -> None:
        self.terminal.__exit__(*error)

    def answers(self, *turns: Any) -> None:
        """What the model answers from now on."""
        self.provider.script(turns)

    def see(self, *arguments: str) -> str:
        """Wait until all of these words stand on the screen; the screen."""
        expected = [squeezed(word) for word in arguments]
        return self.terminal.wait_for(lambda screen: all(w in squeezed(screen) for w in expected))

    def say(self, text: str, *, until: str) -> str:
        """Send a line, wait for these words and for the end of the turn."""
        self.terminal.type(text).press("enter")
        self.see(until)
        return self.rest()

    def send(self, text: str) -> Self:
        """Send a line, and wait until it has left the prompt: what comes at once belongs to it."""
        self.terminal.type(text).wait_for(
            lambda screen: SIGN in screen and self.line.startswith(text)
        )
        self.terminal.press("enter").wait_for(lambda screen: SIGN in screen and self.line == "")
        return self

    def see_status(self, *arguments: str) -> None:
        """Wait until the status line has all of these words."""
        self.terminal.wait_for(lambda _: all(word in self._status for word in arguments))

    def rest(self) -> str:
        """Wait until the prompt stands there and nothing goes on; the screen."""
        return self.terminal.wait_for(lambda _: self._rests())

    def press(self, *keys: str) -> Self:
        """Press keys by their names."""
        self.terminal.press(*keys)
        return self

    def type(self, text: str) -> Self:
        """Type text."""
        self.terminal.type(text)
        return self

    def _rests(self) -> bool:
        """Whether the prompt is there, from its line to the status, and nothing above it.

        While a picture is being painted the cursor is hidden: a new row may have taken the place
        of what tells that something goes on, which is painted again below it.
        """
        keys = (
            "build",
            "plan",
            *(f"mode.{mode}" for mode in ("ask", "edits", "auto", "read-only")),
        )
        modes = {self.words(f"status.{key}") for key in keys}
        screen, busy = self.terminal.screen(), self._words["repl.busy"].partition("}")[2]
        is_whole = not self.terminal.glass.cursor.hidden
        has_status = not modes.isdisjoint(self._status.split(SEPARATOR))
        return is_whole and SIGN in screen and busy not in screen and has_status

    @property
    def _status(self) -> str:
        return self.terminal.screen().rstrip().rpartition("\n")[2]

    @property
    def line(self) -> str:
        """What is typed and not sent: from the last sign to the rule below it.

        While the prompt is being painted, and nowhere on the screen, it is no line that can be.
        """
        screen = self.terminal.screen().rstrip().split("\n")
        signs = [number for number, row in enumerate(screen) if row.startswith(SIGN)]
        if not signs:
            return "\x00"
        at = signs[-1]
        rows = takewhile(lambda row: not row.startswith(RULE), screen[at:-1])
        line = "\n".join(row[2:] for row in rows).rstrip()
        return "" if line in self._placeholders else line

    @property
    def _placeholders(self) -> list[str]:
        """What an empty line shows, as it is cut to a narrow window."""
        keys = ("repl.placeholder", "repl.placeholder.first", "repl.placeholder.busy")
        return [shorten_text(self.words(key), self.columns - 3) for key in keys]

    def holds(self, text: str) -> None:
        """Wait until the typed line is this text."""
        self.terminal.wait_for(lambda _: self._rests() and self.line == text)

    def told(self, back: int = 1) -> str:
        """What the last request told the model last, or so many messages before its end."""
        return str(self.provider.requests[-1].body["messages"][-back]["content"])

    def asked(self, *expected: str) -> str:
        """Wait for these words, and for a question below them until its keys count."""
        leaves = (self.words(f"choice.leave.{name}") for name in ("later", "exit", "cancel"))
        hints = tuple(squeezed(f"Esc {leave}") for leave in leaves)
        return self.terminal.wait_for(
            lambda screen: (
                all(item in squeezed(screen) for item in map(squeezed, expected))
                and squeezed(screen).endswith(hints)
            )
        )

    def confirm(self, *expected: str) -> Self:
        """Say yes to a question that wants Enter, once these words are shown."""
        self.asked(*expected)
        return self.type(CONFIRM)

    def count(self, text: str) -> int:
        """How often these words stand in the window and its scrollback."""
        return squeezed(self.terminal.scrollback()).count(squeezed(text))


def in_git(folder: Path) -> None:
    """Make the folder a repository with one commit, on the branch `trunk`."""
    for text in (
        ["init", "-q", "-b", "trunk"],
        ["add", "."],
        ["-c", "user.name=n", "-c", "user.email=e@x", "commit", "-qm", "x", "--allow-empty"],
    ):
        run(["git", *text], cwd=folder, check=True)
