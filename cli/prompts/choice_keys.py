"""Which keys answer a question: a state machine without a clock and without a terminal.

A user may type on while a question opens, so a key counts only after a pause, and a letter only if
it was alone. All other typing is text, and text belongs to the last choice, which is the no.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

# Seconds since the question was drawn, and since the last key, before which no key counts
AFTER_DRAWING = 0.5
AFTER_KEY = 0.7
# Seconds without a further key after which a letter was alone: slow typists need 0.2
ALONE = 0.4
# Seconds within which keys were pasted, not typed
PASTED = 0.02
_NEVER = float("-inf")
# The beginning or the end of a hyperlink (OSC 8)
_LINK = re.compile(r"\x1b\]8;[^\x1b\a]*(?:\x1b\\|\a)")
# What answers like a word, besides its label; a sentence that begins so is a text
_SYNONYMS = {
    "yes": ("是", "是的", "好", "好的", "可以"),
    "no": ("否", "不", "不是", "不要", "不行", "不可以"),
}


@dataclass(frozen=True)
class Choice:
    """One row of a question."""

    word: str
    """English word that the caller gets, and that answers where whole lines are read."""
    label: str
    needs_enter: bool = False
    """It is permanent or outside of the sandbox: a letter or digit only selects it."""
    needs_text: bool = False
    """It is no answer without a text."""
    invites_text: bool = False
    """Its number only selects it: a text can follow, or Enter without one."""
    shortcut: str = ""
    """A key that chooses it at once, as prompt_toolkit names it, such as `s-tab`."""
    letter: str | None = None
    """The letter that chooses it; None: the first of its word, empty: none."""
    code: str = ""
    """The part of the label that is a command, a file or the like."""
    note: str = ""
    """What stands pale beside the label."""
    is_rare: bool = False
    """Where the choices are many, it stands behind a row `more`."""

    @property
    def is_free(self) -> bool:
        """Whether its word is a value, such as a provider's name, and no yes or no."""
        return self.letter == "" and not self.shortcut


@dataclass
class QuestionHead:
    """What stands above the choices, and vanishes with the answer, unless it is kept."""

    rows: str
    """The rows with their escape codes."""
    is_kept: bool = False
    """It was printed, since the screen does not hold it together with the choices."""

    def __post_init__(self) -> None:
        """Drop hyperlinks: what is redrawn would show their codes."""
        self.rows = _LINK.sub("", self.rows)


@dataclass(frozen=True)
class ChoiceReply:
    """The chosen word, and what the user typed to it."""

    word: str
    text: str = ""


@dataclass(frozen=True)
class _LoneKey:
    position: int
    time: float
    counts: bool
    """Whether it came after the pause; otherwise it can only select."""


class ChoiceKeys:
    """The state of one question; every method gets the time of what has happened."""

    def __init__(
        self, choices: Sequence[Choice], *, last_key: float = _NEVER, has_draft: bool = False
    ) -> None:
        """Begin with the first choice selected, or with the no if that needs Enter.

        `last_key` is the time of the last key before; with a draft in the prompt, whose Enter may
        be on its way, nothing is selected.
        """
        self.choices = choices
        self.text = ""
        self.last_key = last_key
        self._drawn: float | None = None
        self._has_draft = has_draft
        self._lone: _LoneKey | None = None
        self._positions = _find_positions(choices)
        self._words = find_words([choice for choice in choices if not choice.is_free])
        self.selected = None if has_draft else self._find_start()

    @property
    def text_position(self) -> int:
        """The position of the choice that text belongs to."""
        return len(self.choices) - 1

    @property
    def next_check(self) -> float | None:
        """When to call `check` next; None: not before a key."""
        lone, drawn = self._lone, self._drawn
        if drawn is None:
            return None
        if lone:
            return lone.time + (ALONE if lone.counts else AFTER_KEY)
        seen = drawn + AFTER_DRAWING
        return seen if self.text else max(seen, self.last_key + AFTER_KEY)

    @property
    def is_waiting(self) -> bool:
        """Whether the last key may turn out to be alone."""
        return self._lone is not None

    def is_ready(self, now: float) -> bool:
        """Return whether a key counts now."""
        return self.is_seen(now) and now - self.last_key >= AFTER_KEY

    def is_seen(self, now: float) -> bool:
        """Return whether the question is there long enough, so that Enter can send a text."""
        return self._drawn is not None and now - self._drawn >= AFTER_DRAWING

    def draw(self, now: float) -> None:
        """The question is on the screen, and no key waits that was typed before."""
        self._drawn = now

    def change_text(self, text: str, now: float, *, is_typed: bool = False) -> None:
        """The line of text is this now; `is_typed`: by a single key that inserts a character."""
        position = self._positions.get(fold_word(text)) if is_typed and not self.text else None
        self._lone = None
        if position is not None and (self.is_ready(now) or self._can_select()):
            self._lone = _LoneKey(position, now, self.is_ready(now))
        self.text, self.last_key = text, now
        if text and self._lone is None:
            self.selected = self.text_position

    def move(self, by: int, now: float) -> None:
        """Move the selection; a key that comes too early belongs to what was typed before."""
        if not self.is_ready(now) and not self.text:
            self.last_key = now
        self._lone = None
        at = min(by, 0) if self.selected is None else self.selected + by
        self.selected = at % len(self.choices)

    def press_enter(self, now: float) -> ChoiceReply | None:
        """Return the answer that this Enter gives; None if it does not count."""
        lone, is_ready, since = self._lone, self.is_ready(now), now - self.last_key
        self._lone, self.last_key = None, now
        if lone:
            return self._confirm(lone, since)
        if self.text and self.selected == self.text_position:
            return self._send_text(now)
        if self.selected is None or not is_ready:
            return None
        return self._choose(self.selected)

    def press_shortcut(self, key: str, now: float) -> ChoiceReply | None:
        """Return the choice with this shortcut, if the key counts."""
        is_ready, self.last_key = self.is_ready(now), now
        for choice in self.choices:
            if choice.shortcut == key and is_ready and not self.text:
                return ChoiceReply(choice.word)
        return None

    def check(self, now: float) -> ChoiceReply | None:
        """Return the answer of a letter that turned out to be alone."""
        lone = self._lone
        if lone is None or self.next_check is None or now < self.next_check:
            return None
        choice, is_number = self.choices[lone.position], self.text.isdecimal()
        self._lone, self.text, self.selected = None, "", lone.position
        waits = choice.needs_enter or (choice.invites_text and is_number)
        if lone.counts and not waits:
            return self._choose(lone.position)
        return None

    def _find_start(self) -> int:
        return self.text_position if self.choices[0].needs_enter else 0

    def _can_select(self) -> bool:
        """Return whether a letter that is too early but alone selects its choice."""
        return self._drawn is not None and not self._has_draft

    def _confirm(self, lone: _LoneKey, since: float) -> ChoiceReply | None:
        """Answer with a letter and Enter; if its choice needs Enter after a pause, only select."""
        if since < PASTED:
            self.selected = self.text_position
            return None
        self.text, self.selected = "", lone.position
        needs_pause = self.choices[lone.position].needs_enter or not lone.counts
        return None if needs_pause else self._choose(lone.position)

    def _send_text(self, now: float) -> ChoiceReply | None:
        """Answer with the text; the whole word of another choice only selects that one."""
        last_word, text = self.choices[-1].word, self.text.strip()
        word = self._words.get(fold_word(text))
        if word not in (None, last_word) and not self._has_draft:
            self.text = ""
            self.selected = [choice.word for choice in self.choices].index(word)
        elif not self.is_seen(now):
            self.text += " "  # it ended a line that was typed before the question
        elif text:
            return ChoiceReply(last_word, "" if word == last_word else text)
        return None

    def _choose(self, position: int) -> ChoiceReply | None:
        choice = self.choices[position]
        text = self.text.strip() if position == self.text_position else ""
        return None if choice.needs_text and not text else ChoiceReply(choice.word, text)


def fold_word(text: str) -> str:
    """Return a typed word as it is compared: an input method may type full-width letters."""
    return unicodedata.normalize("NFKC", text).strip().lower()


def find_words(choices: Sequence[Choice]) -> dict[str, str]:
    """Return the word of the choice that each whole line means: itself, its label, a synonym."""
    labels = [(each.label, each.word) for each in choices if not (each.is_free or each.needs_text)]
    synonyms = [(word, each.word) for each in choices for word in _SYNONYMS.get(each.word, ())]
    values = [(each.word, each.word) for each in choices]
    return {fold_word(line): word for line, word in [*labels, *synonyms, *values] if line.strip()}


def _find_positions(choices: Sequence[Choice]) -> dict[str, int]:
    """Return the position that each key chooses: its number, and the letter of its word."""
    letters = [choice.word[0] if choice.letter is None else choice.letter for choice in choices]
    by_letter = {letter: at for at, letter in reversed(list(enumerate(letters))) if letter}
    return by_letter | {str(at + 1): at for at in range(min(len(choices), 9))}
