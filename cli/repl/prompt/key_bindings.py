"""Key bindings; keys without one here act as in a shell, with the keys of Emacs or of vi."""

import time
from typing import Protocol

from prompt_toolkit.application import get_app
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition, has_completions, is_searching, vi_mode
from prompt_toolkit.key_binding import ConditionalKeyBindings, KeyBindings, KeyBindingsBase
from prompt_toolkit.key_binding.key_processor import KeyPressEvent
from prompt_toolkit.key_binding.vi_state import InputMode
from prompt_toolkit.keys import Keys

from ...prompts.interruptible_input import bind_suspension
from .history import FolderHistory
from .input_line import strip_continuation
from .key_burst import has_more_keys, is_line_feed_next
from .paste_placeholder import Pastes
from .stash import Stash

# Seconds within which a second Esc belongs to the first
TWICE = 1.0


class KeyActions(Protocol):
    """Actions of keys besides editing the line."""

    @property
    def is_working(self) -> bool:
        """Whether a turn is running."""
        ...

    def submit_line(self, line: str) -> None:
        """Send a line, or queue it."""
        ...

    def open_waiting_thread(self) -> None:
        """Open the conversation that waits for an answer, if one was announced."""
        ...

    def take_back(self) -> str:
        """Remove the last waiting line and return it; empty: none waits."""
        ...

    def interrupt(self) -> None:
        """Stop the turn; finished work is kept."""
        ...

    def offer_rewind(self) -> None:
        """Offer to rewind."""
        ...

    def switch_mode(self) -> None:
        """Switch to the next mode."""
        ...

    def open_fold(self) -> None:
        """Show what was folded last."""
        ...

    def toggle_todos(self) -> None:
        """Open the list of tasks, or close it."""
        ...

    @property
    def can_send_to_background(self) -> bool:
        """Whether the turn waits for a command that could go on in the background."""
        ...

    def send_to_background(self) -> None:
        """Let that command go on in the background."""
        ...

    def request_exit(self) -> None:
        """End the conversation."""
        ...

    def confirm_exit(self) -> bool:
        """Return whether Ctrl-C, with nothing to stop, exits: it was pressed just before."""
        ...


def build_key_bindings(
    hands: KeyActions, pastes: Pastes, stash: Stash | None = None
) -> KeyBindingsBase:
    """Build all key bindings; during a history search the search has its own."""
    keys, stash = KeyBindings(), stash or Stash()
    _bind_send_keys(keys, hands, pastes, stash)
    _bind_edit_keys(keys, hands, pastes)
    _bind_stash_key(keys, stash)
    _bind_stop_keys(keys, hands)
    return ConditionalKeyBindings(keys, ~is_searching)


def _bind_send_keys(keys: KeyBindings, hands: KeyActions, pastes: Pastes, stash: Stash) -> None:
    @keys.add("enter")
    def _(event: KeyPressEvent) -> None:
        line = event.current_buffer
        in_burst = has_more_keys(event)
        if not in_burst and _accept_completion(line):
            return
        if strip_continuation(line.document.text_before_cursor) is not None:
            line.delete_before_cursor()
            line.insert_text("\n")
        elif not in_burst and not line.text.strip():
            hands.open_waiting_thread()
        elif not in_burst:
            send_line(line, hands, pastes)
            event.app.vi_state.input_mode = InputMode.INSERT
            if not line.text:
                _set_text(line, stash.take())
        elif line.text and not is_line_feed_next(event.key_processor.input_queue):
            line.insert_text("\n")

    @keys.add("escape", "enter")
    @keys.add("c-j")
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")


def send_line(line: Buffer, hands: KeyActions, pastes: Pastes) -> None:
    """Send the line, and keep it in the history with its pasted texts."""
    typed = line.text
    if typed.strip():
        _keep_line(line, typed, pastes.expand_marks(typed))
        line.reset()
        hands.submit_line(typed)


def _keep_line(line: Buffer, typed: str, sent: str) -> None:
    """Keep the line in the history; a pasted text is recalled as its mark."""
    if isinstance(line.history, FolderHistory):
        line.history.append_folded(typed, sent)
    else:
        line.history.append_string(sent)


def _accept_completion(line: Buffer) -> bool:
    """Accept the completion unless it is typed already; return whether that changed the line."""
    offered = line.complete_state
    if not offered or not offered.completions:
        return False
    typed = offered.original_document.text
    line.apply_completion(offered.current_completion or offered.completions[0])
    return line.text.rstrip() != typed.rstrip()


def _bind_edit_keys(keys: KeyBindings, hands: KeyActions, pastes: Pastes) -> None:
    @keys.add(Keys.BracketedPaste)
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text(pastes.fold_text(event.data))

    @keys.add("backspace", filter=Condition(lambda: bool(_find_mark(pastes))))
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.delete_before_cursor(len(_find_mark(pastes)))

    @keys.add("up", filter=Condition(lambda: not get_app().current_buffer.text))
    def _(event: KeyPressEvent) -> None:
        line = event.current_buffer
        if returned_text := hands.take_back():
            _set_text(line, returned_text)
        else:
            line.auto_up()

    @keys.add("c-g")
    @keys.add("c-x", "c-e")
    def _(event: KeyPressEvent) -> None:
        line = event.current_buffer
        line.text = pastes.expand_marks(line.text)
        line.open_in_editor()

    @keys.add("s-tab")
    def _(event: KeyPressEvent) -> None:
        hands.switch_mode()

    @keys.add("c-t")
    def _(event: KeyPressEvent) -> None:
        hands.toggle_todos()

    @keys.add("c-o")
    def _(event: KeyPressEvent) -> None:
        hands.open_fold()


def _bind_stash_key(keys: KeyBindings, stash: Stash) -> None:
    @keys.add("c-s")
    def _(event: KeyPressEvent) -> None:
        line = event.current_buffer
        if line.text.strip():
            stash.put(line.text)
            line.reset()
        else:
            _set_text(line, stash.take())


def _set_text(line: Buffer, text: str) -> None:
    line.text = text
    line.cursor_position = len(text)


def _find_mark(pastes: Pastes) -> str:
    """Return the mark that backspace deletes; in vi's normal mode it deletes nothing."""
    if get_app().vi_state.input_mode is InputMode.NAVIGATION and vi_mode():
        return ""
    return pastes.find_mark_at_end(get_app().current_buffer.document.text_before_cursor)


def _bind_stop_keys(keys: KeyBindings, hands: KeyActions) -> None:
    is_empty = Condition(lambda: not get_app().current_buffer.text)
    is_working = Condition(lambda: hands.is_working)
    escaped = float("-inf")

    @keys.add("escape", filter=has_completions)
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.cancel_completion()
        event.app.vi_state.input_mode = InputMode.NAVIGATION

    # with vi's keys it leaves the insert mode while there is text
    @keys.add("escape", filter=~has_completions & is_working & (is_empty | ~vi_mode))
    def _(event: KeyPressEvent) -> None:
        hands.interrupt()

    @keys.add("escape", filter=~has_completions & is_empty & ~is_working)
    def _(event: KeyPressEvent) -> None:
        nonlocal escaped  # as a two-key binding they would have to arrive within `timeoutlen`
        before, escaped = escaped, time.monotonic()
        is_second = escaped - before < TWICE
        event.app.vi_state.input_mode = InputMode.INSERT if is_second else InputMode.NAVIGATION
        if is_second:
            hands.offer_rewind()

    # else it moves the cursor back
    @keys.add("c-b", filter=Condition(lambda: hands.can_send_to_background))
    def _(event: KeyPressEvent) -> None:
        hands.send_to_background()

    @keys.add("c-c")
    def _(event: KeyPressEvent) -> None:
        line = event.current_buffer
        if line.text:
            line.reset()
            event.app.vi_state.input_mode = InputMode.INSERT
        elif hands.confirm_exit():
            hands.request_exit()
        elif hands.is_working:
            hands.interrupt()

    @keys.add("c-d", filter=is_empty)
    def _(event: KeyPressEvent) -> None:
        hands.request_exit()

    bind_suspension(keys)
