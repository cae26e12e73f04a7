"""Whose memory a folder has: asked once, if its repository names that of another folder."""

import sys
from pathlib import Path

from ...config import paths
from ...config.trust.decision import check_trust
from ..i18n.catalogs import t
from ..i18n.message_translation import translate_notice
from ..options import OutputFormat
from ..rendering.output import echo
from ..rendering.sanitize import sanitize_line


def settle_memory(folder: Path, *, output: OutputFormat = OutputFormat.text) -> None:
    """Ask in a terminal; elsewhere nothing is shared, and the run reports it."""
    from ...memory.cards.project_claim import find_claim, settle_claim

    home = paths.locate_home()
    is_asked = output is OutputFormat.text and sys.stdin.isatty() and sys.stderr.isatty()
    if not is_asked or not paths.locate_memory(home).exists():
        return
    claim = find_claim(home, folder)
    if claim is None or claim.is_moved or not _is_read(folder, home):
        return
    from .choice import ask_choice
    from .choice_keys import Choice
    from .typing_state import TYPING

    question = t(
        "memory.claim",
        folder=sanitize_line(str(folder.resolve())),
        place=sanitize_line(claim.place),
        count=claim.count,
    )
    choices = [Choice("yes", t("choice.yes"), needs_enter=True), Choice("no", t("choice.no"))]
    reply = ask_choice(question, choices)
    TYPING.draft = reply.text or TYPING.draft  # words are for the conversation, and no answer
    if not reply.text:
        settle_claim(home, folder, claim.project if reply.word == "yes" else "")


def warn_of_claim(folder: Path) -> None:
    """Report on stderr that the folder could have another one's memory."""
    from ...memory.cards.project_claim import describe_claim, find_claim

    if claim := find_claim(paths.locate_home(), folder):
        echo(translate_notice(describe_claim(claim)), err=True)


def _is_read(folder: Path, home: Path) -> bool:
    """Return whether a run in this folder reads the project's cards."""
    from ...config.settings.loader import load_settings

    trust = check_trust(folder, home)
    return trust.trusted and load_settings(folder, home, trust=trust).settings.memory.enabled
