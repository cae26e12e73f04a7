"""The message of a commit, by the model, in the style of the repository's last ones."""

from typing import cast

from ...config.errors import UsageError
from ...config.security.redaction import redact
from ...memory.cards.store import open_store
from ...nodes.cards.card_choice import format_cards
from ...nodes.cards.card_library import load_start_cards
from ...nodes.messages.instruction_blocks import format_instructions
from ...nodes.options import Options
from ...nodes.run.dependencies import Dependencies
from ...nodes.state import State
from ..single_request import ask_once
from .user_commit import UserCommit

PROMPT = """Write the message for a git commit of the changes below.

Follow the style of this repository's own messages: language, tense, prefixes, length of the
subject, whether there is a body. Without any, write a subject of at most 72 characters in the
imperative, and a body only if the subject cannot say why. Say what the change does and why, not
which files it touches. No trailer, no signature, no code fence. Answer with the message alone.

<log>
{log}
</log>

<diff>
{diff}
</diff>"""
NOTES = """

The user's notes and the project's instructions follow. What they say of commit messages (language,
length, form) goes before the style of the log; the rest of them is not about this answer.

{notes}"""
# What the chosen notes are about, in the languages of the interface
_TOPIC = "git commit message, subject, changelog; 提交信息"
# Characters of the notes and of the instructions that are sent to the model
MAX_NOTES, MAX_INSTRUCTIONS = 4_000, 12_000
# Characters of the log and of the diff that are sent to the model
MAX_LOG, MAX_DIFF = 6_000, 40_000
MAX_TOKENS = 1_000
TIMEOUT_SECONDS = 120.0


async def write_commit_message(
    deps: Dependencies, options: Options, commit: UserCommit, wish: str = ""
) -> str:
    """Return the model's message; one request, without tools. Raises ModelCallError."""
    prompt = PROMPT.format(
        log=redact(commit.examples)[:MAX_LOG], diff=redact(commit.diff)[:MAX_DIFF]
    )
    if notes := await _read_notes(deps, options):
        prompt += NOTES.format(notes=notes)
    if wish:
        prompt += f"\n\nThe user adds: {redact(wish)}"
    try:
        answer = await ask_once(
            deps.model, prompt, role="commit", max_tokens=MAX_TOKENS, seconds=TIMEOUT_SECONDS
        )
    except TimeoutError:
        raise UsageError("the model wrote no message in time", hint="try `/commit` again") from None
    return clean_message(answer)


async def _read_notes(deps: Dependencies, options: Options) -> str:
    """Return the user's notes and the instructions, as the thread's own models read them."""
    state = cast(State, {"request": _TOPIC, "options": options})
    async with open_store(deps.home) as store:
        cards = await load_start_cards(store, deps, state, MAX_NOTES)
    instructions = format_instructions(deps.sources.instructions)[:MAX_INSTRUCTIONS]
    return redact("\n\n".join(filter(None, [format_cards(cards), instructions])))


def clean_message(answer: str) -> str:
    """Return the message without a fence around it; raises UsageError if nothing is left."""
    lines = redact(answer).strip().splitlines()
    if len(lines) > 1 and lines[0].startswith("```") and lines[-1].strip() == "```":
        lines = lines[1:-1]
    message = "\n".join(line.rstrip() for line in lines).strip()
    if not message:
        raise UsageError("the model wrote no message", hint="try `/commit` again")
    return f"{message}\n"
