"""Admission: what may become a card. Nothing secret, hidden, or copied from a foreign text."""

import re
from collections.abc import Sequence

from ...config.errors import UsageError
from ...config.security.control_characters import HIDDEN_CHARACTER
from ...config.security.redaction import find_marks, redact
from ...config.text import text
from .card import MAX_CHARACTERS
from .words import is_cjk, split_exact_words

SHARED_WORDS = 8
_CJK_CHARACTERS_A_WORD = 2
_HIDDEN = re.compile(HIDDEN_CHARACTER)
# A password or a key that a sentence states: `password: hunter2`.
# Plain words and names of variables are none
_STATED_SECRET = re.compile(
    r"(?:pass(?:word|wd|code|phrase)|\bpwd|secret|api[ _-]?key|access[ _-]?key|token"
    r"|密码|口令|密钥|令牌)(?: (?:of|for) [^:=.\n]{1,40}?)?[\"'`*]*\s*"
    r"(?:is|was|to|=|:|：|是|为|改为)\s*[\"'`*“「]*(?=[^\s，。；]*\d)"
    r"(?!(?:sha|md|utf|base|bcrypt|argon|scrypt|pbkdf|v)-?\d|\$|<|%|(?-i:[A-Z][A-Z0-9_]*\b)"
    r"|\d{1,3}\b)[^\s，。；/(\[{]{4,}",
    re.IGNORECASE,
)
# A quoted word is one, too, without a digit: `password: "correcthorse"`
_QUOTED_SECRET = re.compile(
    r"(?:pass(?:word|wd|code|phrase)|\bpwd|密码|口令)[\"'`*]*\s*[=:：]\s*"
    r"(?P<quote>[\"'`])(?!\$|<|%|(?-i:[A-Z][A-Z0-9_]*\b))[^\s\"'`]{8,}(?P=quote)",
    re.IGNORECASE,
)


class CardRefusedError(UsageError):
    """The text may not become a card; its message says why."""


def check_content(
    content: str, foreign_texts: Sequence[str] = (), *, by_hand: bool = False
) -> None:
    """Raise CardRefusedError if this may not become a card, not even a proposal.

    `foreign_texts` are texts that neither the user nor the project wrote: web pages, answers of MCP
    servers, files of a folder that is not trusted.
    """
    if not content.strip():
        raise CardRefusedError("a card needs a text", hint="say what to remember")
    if _HIDDEN.search(content):
        raise CardRefusedError("the text contains hidden characters", hint="remove them")
    if len(content.strip()) > MAX_CHARACTERS:
        raise CardRefusedError(
            text("a card has at most {most} characters", most=MAX_CHARACTERS),
            hint="keep only what later threads need",
        )
    marks = find_marks(redact(content))
    if not marks and (_STATED_SECRET.search(content) or _QUOTED_SECRET.search(content)):
        marks = {"password"}
    if marks:
        raise CardRefusedError(
            text("the text contains a secret: {marks}", marks=", ".join(sorted(marks))),
            hint="name the variable or the file that has it, not its value",
        )
    if not by_hand:
        check_permission_speech(content)
    if has_copied_words(content, foreign_texts):
        raise CardRefusedError(
            "the text repeats a web page, an MCP server or an untrusted file",
            hint="only the user can keep it, in their own message",
        )


def check_card(
    content: str,
    labels: Sequence[str] = (),
    foreign_texts: Sequence[str] = (),
    *,
    by_hand: bool = False,
) -> None:
    """Raise CardRefusedError if this may not become a card; `labels` are its tags and paths.

    They are also read together: a sentence can be split over them. What a person types by hand
    may speak of permissions, which no card decides: `sounds_like_permission`.
    """
    check_content(content, foreign_texts, by_hand=by_hand)
    for label in labels:
        check_content(label, by_hand=by_hand)
    if not by_hand:
        check_permission_speech(content, *labels)


def remove_hidden(content: str) -> str:
    """Return a typed text without the hidden characters that came along with a paste."""
    return _HIDDEN.sub("", content)


def sounds_like_permission(*texts: str) -> bool:
    """Return whether the texts of a card, read together, would permit something."""
    from .permission_speech import speaks_of_permission  # only for a card that is written

    return speaks_of_permission(*texts)


def check_permission_speech(*texts: str) -> None:
    """Raise CardRefusedError if the texts of a card, read together, would permit something."""
    if sounds_like_permission(*texts):
        raise CardRefusedError(
            "memory cannot decide about permissions",
            hint="write a rule under `permissions` in the configuration; an instruction for the "
            "model can stand in AGENTS.md",
        )


def has_copied_words(content: str, foreign_texts: Sequence[str]) -> bool:
    """Return whether eight words in a row are also in one of the other texts."""
    windows = _list_windows(split_exact_words(content))
    if not windows:
        return False
    spaced_texts = (f" {' '.join(split_exact_words(foreign))} " for foreign in foreign_texts)
    return any(window in spaced for spaced in spaced_texts for window in windows)


def _list_windows(words: Sequence[str]) -> list[str]:
    """Return each run of eight words; two CJK characters count as one word."""
    sizes = [1 / _CJK_CHARACTERS_A_WORD if is_cjk(word) else 1.0 for word in words]
    windows: list[str] = []
    for first in range(len(words)):
        size = 0.0
        for last in range(first, len(words)):
            size += sizes[last]
            if size >= SHARED_WORDS:
                windows.append(f" {' '.join(words[first : last + 1])} ")
                break
    return windows
