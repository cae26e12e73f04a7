"""A prompt that stays at the bottom of the terminal, with all other output above it."""

import errno
import os
import select
import sys
import termios
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TypeVar

from prompt_toolkit.application import Application, in_terminal, run_in_terminal
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import Completer, ThreadedCompleter
from prompt_toolkit.enums import EditingMode
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import History
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding.vi_state import InputMode
from prompt_toolkit.output import Output, create_output

from ...prompts.typing_state import TYPING
from ...rendering.theme import find_color_depth
from ...terminal_options import has_vi_keys
from .completer import is_completed_while_typing
from .key_bindings import KeyActions, build_key_bindings, send_line
from .layout import STYLE, PromptState, build_layout
from .paste_placeholder import Pastes
from .protocol import run_question
from .stash import Stash

Answer = TypeVar("Answer")
# Seconds after which Esc is a key of its own and not the beginning of a sequence
ESCAPE_WAITS = 0.1
# Least seconds between two redraws of the same answer
REDRAW = 0.05
# Most bytes of a line
MAX_LINE_BYTES = 65_536


class LivePrompt:
    """The input line, what is shown around it, and output above it."""

    def __init__(
        self,
        hands: KeyActions,
        pastes: Pastes,
        state: PromptState,
        completer: Completer,
        history: History,
        *,
        input: Input | None = None,
        output: Output | None = None,
    ) -> None:
        self._hands, self._pastes, self._shown = hands, pastes, state
        stash = Stash()
        self.line = Buffer(
            completer=ThreadedCompleter(completer),
            complete_while_typing=Condition(self._is_completed),
            history=history,
            multiline=True,
        )
        self._app: Application[None] = Application(
            layout=build_layout(self.line, state, lambda: stash.top),
            key_bindings=build_key_bindings(hands, pastes, stash),
            style=STYLE,
            include_default_pygments_style=False,
            erase_when_done=True,
            color_depth=find_color_depth(),
            min_redraw_interval=REDRAW,
            input=input,
            output=output or _create_output(),
        )
        self._above: list[str] = []
        self._app.before_render += self._flush_above
        self._app.key_processor.before_key_press += _note_key
        self._app.ttimeoutlen = self._app.timeoutlen = ESCAPE_WAITS
        self.apply_key_style()

    def print_above(self, text: str) -> None:
        """Write finished lines above the prompt, with its next redraw."""
        self._above.append(text)
        self._app.invalidate()

    def echo_line(self, words: str) -> None:
        """Show a sent line above the prompt, behind a bar."""
        # they import rich, which the first draw does without
        from ...rendering.blocks.user_message import render_user_message

        self.print_above(render_user_message(words))

    def show_tail(self, text: str) -> None:
        """Show the unfinished end of an answer."""
        self._shown.tail = text
        self._app.invalidate()

    def give_back(self, line: str) -> None:
        """Insert a line before the text typed so far."""
        typed = self.line.text
        if line:
            self._set_line(f"{line}\n{typed}" if typed else line)

    def refresh(self) -> None:
        """Schedule a redraw."""
        self._app.invalidate()

    def send_escape_codes(self, codes: str) -> None:
        """Send escape codes to the terminal's window."""
        self._app.output.write_raw(codes)
        self._app.output.flush()

    def apply_key_style(self) -> bool:
        """Take the keys of vi or Emacs from the settings; a line begins in vi's insert mode."""
        self._app.editing_mode = EditingMode.VI if has_vi_keys() else EditingMode.EMACS
        self._app.vi_state.input_mode = InputMode.INSERT
        self._app.invalidate()
        return True

    async def ask_question(self, question: Callable[[], Answer]) -> Answer:
        """Let a function use the terminal without the prompt."""
        async with in_terminal():
            self._flush_above(self._app)
            self._app.output.flush()
            with self._hold_draft():
                return run_question(question)

    async def run_program(self, run: Callable[[], None]) -> None:
        """Let a program use the terminal without the prompt; output waits until it has ended."""
        await run_in_terminal(run, in_executor=True)

    async def run(self, when_usable: Callable[[], None]) -> None:
        """Show the prompt until `close`; raise EOFError when the terminal is gone."""

        def notify_usable(_: object) -> None:
            when_usable()

        self._app.output.write_raw("\r")  # the terminal has already echoed typed text
        self._app.output.erase_end_of_line()
        for line in read_typeahead(self._app.input.fileno()):
            self.line.text = line
            send_line(self.line, self._hands, self._pastes)
        self.give_back(TYPING.draft)  # it was typed to a question before the conversation
        TYPING.draft = ""
        self._app.after_render += notify_usable
        try:
            await self._app.run_async(handle_sigint=False, set_exception_handler=False)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            raise EOFError from error

    @contextmanager
    def _hold_draft(self) -> Generator[None]:
        """Keep the unsent line for after a question, which may take it over: see `TYPING`."""
        draft = self._pastes.expand_marks(self.line.text)
        TYPING.draft, TYPING.is_held = draft, True
        try:
            yield
        finally:
            if TYPING.draft != draft:
                self._set_line(TYPING.draft)
            TYPING.draft, TYPING.is_held = "", False

    def _set_line(self, text: str) -> None:
        self.line.text = text
        self.line.cursor_position = len(text)

    def close(self) -> None:
        """Remove the prompt from the terminal."""
        if self._app.is_running and not self._app.is_done:
            self._app.exit()

    def _flush_above(self, _: object) -> None:
        """Write it together with the redraw that follows, so that nothing flickers."""
        if text := "".join(self._above):
            self._above.clear()
            self._app.renderer.erase(leave_alternate_screen=False)
            self._app.output.write_raw(text.replace("\n", "\r\n"))

    def _is_completed(self) -> bool:
        return is_completed_while_typing(self.line.document.text_before_cursor)


def _note_key(_: object) -> None:
    TYPING.last_key = time.monotonic()


def _create_output() -> Output:
    # how many rows are left below is not needed: a query to the terminal only takes time
    os.environ.setdefault("PROMPT_TOOLKIT_NO_CPR", "1")
    return create_output(sys.stdout)


def read_typeahead(keys: int) -> list[str]:
    """Return complete lines in the terminal's buffer; an incomplete one stays for the prompt.

    The terminal has already turned every Enter into a line feed, which inserts a new line in the
    prompt.
    """
    lines: list[str] = []
    while _has_lines(keys) and (typed := os.read(keys, MAX_LINE_BYTES)):
        lines.append(typed.decode(errors="replace").rstrip("\n"))
    return lines


def _has_lines(keys: int) -> bool:
    in_lines = os.isatty(keys) and termios.tcgetattr(keys)[3] & termios.ICANON
    return bool(in_lines and select.select([keys], [], [], 0)[0])
