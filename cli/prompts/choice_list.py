"""A question as a list at a terminal that can be redrawn."""

import asyncio
import os
import select
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from ..i18n.catalogs import t
from ..rendering.console import MARGIN, style_text
from ..rendering.line_breaks import split_rows
from ..rendering.text_width import measure_width
from ..rendering.theme import find_color_depth
from .choice_keys import AFTER_KEY, Choice, ChoiceKeys, ChoiceReply, QuestionHead
from .interruptible_input import bind_suspension
from .text_input import holds_key
from .typing_state import TYPING

if TYPE_CHECKING:
    from prompt_toolkit.application import Application
    from prompt_toolkit.buffer import Buffer
    from prompt_toolkit.formatted_text import StyleAndTextTuples
    from prompt_toolkit.key_binding import KeyBindings
    from prompt_toolkit.key_binding.key_processor import KeyPressEvent
    from prompt_toolkit.layout import Container

# Seconds after which Esc is a key of its own and not the beginning of a sequence
ESCAPE_WAITS = 0.1
# Least columns for the text of a choice
MIN_COLUMNS = 16
# Characters from which on a pasted key is taken as it is
WHOLE = 16
POINTER = "❯"
PALE = "fg:ansibrightblack"
SELECTED = "bold fg:ansicyan"
# Below the text of a choice, right of its pointer and its number
HANG = f"{MARGIN}    "


async def choose_from_list(
    choices: Sequence[Choice],
    leave: str,
    *,
    is_secret: bool = False,
    head: QuestionHead | None = None,
) -> ChoiceReply:
    """Return the answer; `leave` says what Esc does; a secret text is shown nowhere.

    Raises KeyboardInterrupt for Esc and Ctrl-C, EOFError for Ctrl-D.
    """
    draft = TYPING.draft if TYPING.is_held else ""
    safe_choices = [_sanitize_choice(choice) for choice in choices]
    keys = ChoiceKeys(safe_choices, last_key=TYPING.last_key, has_draft=bool(draft))
    question = ListQuestion(keys, leave, is_secret=is_secret, head=head)
    if draft and time.monotonic() - TYPING.last_key < AFTER_KEY:  # it is still being typed
        question.line.insert_text(draft)
        draft = ""
    try:
        reply = await question.run()
        if reply.text:
            question.line.reset()
        return reply
    finally:
        if is_secret:
            question.line.reset()
            question.text_aside = ""
        texts = [draft, question.text_aside, question.line.text.strip()]
        TYPING.draft = "\n".join(filter(None, texts))
        TYPING.last_key = keys.last_key


def _sanitize_choice(choice: Choice) -> Choice:
    """Return the choice with a safe label: a model may have written it."""
    label, code, note = (
        style_text(part, "").plain for part in (choice.label, choice.code, choice.note)
    )
    return replace(choice, label=label, code=code, note=note)


class ListQuestion:
    """The list, its line of text, and the checks that wait for a pause."""

    def __init__(
        self,
        keys: ChoiceKeys,
        leave: str,
        *,
        is_secret: bool = False,
        head: QuestionHead | None = None,
    ) -> None:
        from prompt_toolkit.buffer import Buffer

        self.keys, self._leave, self.is_secret = keys, leave, is_secret
        self.head = head or QuestionHead("")
        self.text_aside = ""
        """Text that Esc has taken away."""
        self.is_typing = False
        """Whether the line changes by a key that inserts a character."""
        self.line: Buffer = Buffer(multiline=True, on_text_changed=self._change_text)
        self._changed = asyncio.Event()
        self._is_drawn = self._is_synced = False
        self._app = _create_application(self)
        self._app.before_render += self._clear_row
        self._app.before_render += self._keep_large_head
        self._app.after_render += self._note_drawing

    async def run(self) -> ChoiceReply:
        """Ask until there is an answer."""
        return await self._app.run_async(handle_sigint=False, set_exception_handler=False)

    def finish(self, reply: ChoiceReply | None = None) -> None:
        """Show what a key has changed; end with the answer if there is one."""
        if self.line.text != self.keys.text:
            self._is_synced = True
            self.line.text = self.keys.text
            self.line.cursor_position = len(self.keys.text)
            self._is_synced = False
        if reply and not self._app.is_done:
            self._app.exit(result=reply)
        self._changed.set()
        self._app.invalidate()

    def restart(self) -> None:
        """The question appears once more: no key counts that was typed before."""
        self.keys.draw(time.monotonic())
        self._changed.set()

    def render_rows(self) -> "StyleAndTextTuples":
        """Return the rows of all choices but the last, which has the line of text."""
        choices = self.keys.choices[:-1]
        widest = max((measure_width(each.label) for each in choices if each.note), default=0)
        fragments: StyleAndTextTuples = []
        for at, choice in enumerate(choices):
            fragments += [("", "\n")] if at else []
            fragments += self._render_choice(at, choice, widest)
        return fragments

    def _render_choice(self, at: int, choice: Choice, widest: int) -> "StyleAndTextTuples":
        """Return the rows of a choice; its note stands beside it, or below where that is narrow."""
        style, fragments = self.get_style(at), list[tuple[str, str]]()
        for number, row in enumerate(split_rows(choice.label, self._room)):
            head = self.render_head(at) if number == 0 else f"\n{HANG}"
            before, code, after = row.partition(choice.code) if choice.code else (row, "", "")
            fragments += [(style, f"{head}{before}"), (f"{style} bold", code), (style, after)]
        if choice.note:
            gap = " " * (widest - measure_width(choice.label) + 2)
            has_room = widest + 2 + measure_width(choice.note) <= self._room
            fragments.append(
                (PALE, f"{gap}{choice.note}" if has_room else f"\n{HANG}{choice.note}")
            )
        return [*fragments]

    def render_head(self, at: int) -> str:
        """Return the pointer and the number of a choice."""
        number = str(at + 1) if at < 9 else " "
        return f"{MARGIN}{POINTER if at == self.keys.selected else ' '} {number} "

    def get_style(self, at: int) -> str:
        """Return the style of a choice; the pointer is pale while no key counts."""
        if at != self.keys.selected:
            return ""
        is_live = bool(self.keys.text) or self.keys.is_ready(time.monotonic())
        return SELECTED if is_live else PALE

    def render_hint(self) -> "StyleAndTextTuples":
        """Return what can be pressed now, below an empty row; nothing while no key counts."""
        rows = split_rows(self._describe_keys(), self._room + len(HANG) - len(MARGIN))
        return [(PALE, "".join(f"\n{MARGIN}{row}" for row in rows))]

    def _describe_keys(self) -> str:
        now = time.monotonic()
        if self.keys.text and not self.keys.is_waiting:
            return t("choice.hint.text") if self.keys.is_seen(now) else ""
        if not self.keys.is_ready(now):
            return ""
        if self.keys.selected is None:
            return t("choice.hint.draft")
        selected = self.keys.choices[self.keys.selected]
        kind = "enter" if selected.needs_enter else "why" if selected.invites_text else ""
        return t(f"choice.hint.{kind}" if kind else "choice.hint", leave=self._leave)

    @property
    def _room(self) -> int:
        return max(self._app.output.get_size().columns - len(HANG), MIN_COLUMNS)

    def _change_text(self, line: "Buffer") -> None:
        if not self._is_synced:
            self.keys.change_text(line.text, time.monotonic(), is_typed=self.is_typing)
            self._changed.set()

    def _clear_row(self, _: object) -> None:
        """Begin at the left: the terminal has shown what was typed just before."""
        if not self._is_drawn:
            self._app.output.write_raw("\r")
            self._app.output.erase_end_of_line()

    def _keep_large_head(self, _: object) -> None:
        """Print what stands above the choices where the screen does not hold both."""
        size, body = self._app.output.get_size(), self._app.layout.container
        if self.head.rows and body.preferred_height(size.columns, size.rows).preferred >= size.rows:
            self._app.renderer.erase(leave_alternate_screen=False)
            self._app.output.write_raw(self.head.rows.replace("\n", "\r\n"))
            self.head.rows, self.head.is_kept = "", True

    def _note_drawing(self, _: object) -> None:
        if not self._is_drawn:
            self._is_drawn = True
            self._app.create_background_task(self._watch_pauses())

    async def _watch_pauses(self) -> None:
        """Start the clock when no key waits that was typed before; then check after each pause."""
        while self._has_input():
            await asyncio.sleep(0)
        self.keys.draw(time.monotonic())
        while True:
            self._changed.clear()
            due, now = self.keys.next_check, time.monotonic()
            if due is None or due > now:
                await self._wait_for_change(None if due is None else due - now)
            elif self._has_input():  # the letter is not alone
                await asyncio.sleep(0.01)
            else:
                self.finish(self.keys.check(now))
                self._changed.clear()
                due = self.keys.next_check
                if due is None or due <= now:
                    await self._wait_for_change(None)

    async def _wait_for_change(self, seconds: float | None) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._changed.wait()

    def _has_input(self) -> bool:
        return bool(select.select([self._app.input.fileno()], [], [], 0)[0])


def _create_application(question: ListQuestion) -> "Application[ChoiceReply]":
    from prompt_toolkit.application import Application
    from prompt_toolkit.layout import Layout
    from prompt_toolkit.output import create_output

    # prompt_toolkit would warn about a terminal that does not report its cursor position
    os.environ.setdefault("PROMPT_TOOLKIT_NO_CPR", "1")
    application: Application[ChoiceReply] = Application(
        Layout(_build_body(question)),
        key_bindings=_build_bindings(question),
        include_default_pygments_style=False,
        erase_when_done=True,
        color_depth=find_color_depth(),
        output=create_output(sys.stderr),
    )
    application.ttimeoutlen = application.timeoutlen = ESCAPE_WAITS
    return application


def _build_body(question: ListQuestion) -> "Container":
    from prompt_toolkit.application import get_app
    from prompt_toolkit.filters import Condition
    from prompt_toolkit.layout import BufferControl, Dimension, FormattedTextControl, HSplit, Window
    from prompt_toolkit.layout.containers import ConditionalContainer
    from prompt_toolkit.layout.processors import (
        AfterInput,
        ConditionalProcessor,
        PasswordProcessor,
        Processor,
    )

    last = question.keys.text_position
    label = question.keys.choices[last].label
    is_no = question.keys.choices[last].word == "no"
    placeholder = AfterInput(lambda: [(question.get_style(last), label)])
    is_empty = Condition(lambda: not question.line.text)
    has_key = Condition(
        lambda: bool(line := question.line.text) and (question.is_secret or holds_key(line))
    )
    processors: list[Processor] = [
        ConditionalProcessor(placeholder, is_empty),
        ConditionalProcessor(PasswordProcessor(), has_key),
    ]
    control = BufferControl(question.line, processors)

    def render_prefix(line: int, wrapped: int) -> "StyleAndTextTuples":
        is_first = line == wrapped == 0
        has_reason = question.line.text and is_no and not question.keys.is_waiting
        no = t("labelled", label=t("choice.no"), said="") if has_reason else ""
        head = f"{question.render_head(last)}{no}" if is_first else HANG
        return [(question.get_style(last), head)]

    def limit_height() -> Dimension:
        return Dimension(min=1, max=max(1, get_app().output.get_size().rows // 2))

    rows = Window(FormattedTextControl(question.render_rows), dont_extend_height=True)
    line = Window(
        control,
        height=limit_height,
        get_line_prefix=render_prefix,
        wrap_lines=True,
        dont_extend_height=True,
        always_hide_cursor=is_empty,  # the pointer shows what Enter chooses
    )
    hint = Window(FormattedTextControl(question.render_hint), dont_extend_height=True)
    has_rows = Condition(lambda: last > 0)
    return HSplit([_build_head(question), ConditionalContainer(rows, has_rows), line, hint])


def _build_head(question: ListQuestion) -> "Container":
    """Return what stands above the choices, while there is something."""
    from prompt_toolkit.filters import Condition
    from prompt_toolkit.formatted_text import ANSI
    from prompt_toolkit.layout import FormattedTextControl, Window
    from prompt_toolkit.layout.containers import ConditionalContainer

    control = FormattedTextControl(lambda: ANSI(question.head.rows.removesuffix("\n")))
    window = Window(control, wrap_lines=True, dont_extend_height=True)
    return ConditionalContainer(window, Condition(lambda: bool(question.head.rows)))


def _build_bindings(question: ListQuestion) -> "KeyBindings":
    from prompt_toolkit.key_binding import KeyBindings

    bindings, keys = KeyBindings(), question.keys

    @bindings.add("<any>")
    def _insert(event: "KeyPressEvent") -> None:
        question.is_typing = True
        event.current_buffer.insert_text(event.data)
        question.is_typing = False

    @bindings.add("enter")
    @bindings.add("c-j")
    def _answer(event: "KeyPressEvent") -> None:
        question.finish(keys.press_enter(time.monotonic()))

    for choice in keys.choices:
        if choice.shortcut:
            bindings.add(choice.shortcut)(_build_shortcut(question, choice.shortcut))
    for name, by in {"up": -1, "c-p": -1, "down": 1, "c-n": 1, "tab": 1}.items():
        bindings.add(name)(_build_mover(question, by))
    _bind_exits(bindings, question)
    if question.is_secret:
        bindings.add("<bracketed-paste>")(_build_taker(question))
    return bindings


def _bind_exits(bindings: "KeyBindings", question: ListQuestion) -> None:
    @bindings.add("escape")
    def _clear_or_exit(event: "KeyPressEvent") -> None:
        if question.line.text:
            question.text_aside = question.line.text.strip()
            question.line.text = ""
        else:
            event.app.exit(exception=KeyboardInterrupt)

    @bindings.add("c-c")
    def _abort(event: "KeyPressEvent") -> None:
        event.app.exit(exception=KeyboardInterrupt)

    @bindings.add("c-d")
    def _exit_unanswered(event: "KeyPressEvent") -> None:
        if not question.line.text:
            event.app.exit(exception=EOFError)

    bind_suspension(bindings, question.restart)


def _build_shortcut(question: ListQuestion, key: str) -> "Callable[[KeyPressEvent], None]":
    return lambda event: question.finish(question.keys.press_shortcut(key, time.monotonic()))


def _build_taker(question: ListQuestion) -> "Callable[[KeyPressEvent], None]":
    """Take a pasted key without Enter, once the question can be read."""

    def _take(event: "KeyPressEvent") -> None:
        question.line.insert_text(event.data.strip())
        if len(question.line.text) >= WHOLE:
            question.finish(question.keys.press_enter(time.monotonic()))

    return _take


def _build_mover(question: ListQuestion, by: int) -> "Callable[[KeyPressEvent], None]":
    def _move(event: "KeyPressEvent") -> None:
        question.keys.move(by, time.monotonic())
        question.finish()

    return _move
