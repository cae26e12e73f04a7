"""Messages with skills: which ones a model still sees, which stay when others are hidden."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from langchain_core.messages import AnyMessage, BaseMessage

from .token_estimate import estimate_message

# The mark in `additional_kwargs`: names and hashes of the skills that a message has in full
SKILLS = "skills"
# Tokens of all skills that stay, and their share of the model's window
MAX_TOKENS, SHARE = 15_000, 0.1
LEFT_OUT = (
    "Skills that were loaded before and are left out for want of room: {names}. get_skill loads "
    "one again."
)


@dataclass(frozen=True)
class KeptSkills:
    """What stays of the skills that a cut hides."""

    messages: tuple[str, ...]
    """IDs of the messages that stay."""
    left_out: tuple[str, ...]
    """Names of the skills for which there is no room."""


def mark_skills(message: BaseMessage, skills: Mapping[str, str] | None) -> None:
    """Record the skills that a new message has in full."""
    if skills:
        message.additional_kwargs[SKILLS] = dict(skills)


def read_skills(message: BaseMessage) -> dict[str, str]:
    """Return the skills that a message has in full."""
    return cast("dict[str, str]", message.additional_kwargs.get(SKILLS) or {})


def find_loaded_skills(view: Sequence[AnyMessage]) -> dict[str, str]:
    """Return the skills in a view, and the hash of each as it was loaded last."""
    return {name: digest for message in view for name, digest in read_skills(message).items()}


def choose_kept_skills(
    messages: Sequence[AnyMessage], upto: str, window: int, scale: float
) -> KeptSkills:
    """Return which skills stay of those up to a message; the newest count most.

    A skill that was loaded again later is not among them.
    """
    end = next((at + 1 for at, message in enumerate(messages) if message.id == upto), 0)
    later = find_loaded_skills(messages[end:])
    left = min(MAX_TOKENS, window * SHARE)
    kept_ids, newer_names, left_out = list[str](), {*later}, list[str]()
    for message in reversed(messages[:end]):
        names = [name for name in read_skills(message) if name not in newer_names]
        if not names:
            continue
        newer_names |= {*names}
        tokens = estimate_message(message) * scale
        if tokens <= left:
            left -= tokens
            kept_ids.append(str(message.id))
        else:
            left_out += names
    return KeptSkills(tuple(reversed(kept_ids)), tuple(left_out))


def describe_omitted_skills(kept_skills: KeptSkills) -> str:
    """Return a note about the skills for which there is no room; empty if there are none."""
    names = ", ".join(f"`{name}`" for name in kept_skills.left_out)
    return LEFT_OUT.format(names=names) if names else ""
