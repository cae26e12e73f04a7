"""Keys that arrive in one burst: a paste at a terminal that does not mark pastes."""

from collections.abc import Iterable

from prompt_toolkit.key_binding.key_processor import KeyPress, KeyPressEvent
from prompt_toolkit.keys import Keys

from ...prompts.interruptible_input import has_more_input

# What a pasted text can have besides characters
_LINE_KEYS = frozenset([Keys.ControlM, Keys.ControlJ, Keys.ControlI])


def has_more_keys(event: KeyPressEvent) -> bool:
    """Return whether more text comes right behind this key."""
    if queue := event.key_processor.input_queue:
        return any(press.key in _LINE_KEYS or len(press.key) == 1 for press in queue)
    return has_more_input(event.app.input.fileno())


def is_line_feed_next(keys: Iterable[KeyPress]) -> bool:
    """Return whether the next key is the second half of a line end."""
    return next((press.key for press in keys), None) == Keys.ControlJ
