"""Code that a line downloads or decodes, and runs."""

import re

from ....config.text import text
from ..parsing.inline_code import is_interpreter
from ..parsing.network_clients import FETCHERS, SOCKET
from ..parsing.simple_command import SimpleCommand
from ..parsing.wrappers import SHELLS, UNKNOWN_INPUT

_DECODERS = frozenset(["base64", "base32", "basenc", "xxd", "openssl", "uudecode", "gpg"])
_RUN_TEXT = frozenset(["eval", "source", ".", "exec"])


def find_remote_code(step: SimpleCommand) -> str:
    """Describe the unreviewed code that the step would run; empty if there is none."""
    program = step.program
    for redirect in step.redirects:
        if SOCKET.fullmatch(redirect.target.text):
            return text(
                "`{text}` connects `{program}` to the network",
                text=redirect.target.text,
                program=program,
            )
    if step.fetched and (_is_runner(program) or step.words[0].text == step.fetched):
        return text("it downloads `{url}` and runs it", url=step.fetched)
    if not _is_runner(program):
        return ""
    for source in (*step.inner, *(step.feed.programs if _can_run_input(step) else ())):
        if source in FETCHERS:
            return text(
                "`{program}` runs code that `{source}` downloads and you have not seen",
                program=program,
                source=source,
            )
        if source in _DECODERS:
            return text(
                "`{program}` runs decoded output of `{source}` that you have not seen",
                program=program,
                source=source,
            )
    return ""


def _is_runner(program: str) -> bool:
    return program in SHELLS or program in _RUN_TEXT or is_interpreter(program)


def _can_run_input(step: SimpleCommand) -> bool:
    """Return whether its input is its program, not only data for a file or string that it runs."""
    words = [word.text for word in step.words[1:]]
    if step.feed.text:
        return False
    if step.program == "eval" and not all(word.known for word in step.words):
        return True  # as in `nc … | while read x; do eval "$x"; done`
    if UNKNOWN_INPUT in words or "-s" in words:
        return True
    has_text = any(re.fullmatch(r"-[cerpmn]\w*|--eval", word) for word in words)
    return not has_text and all(word.startswith("-") for word in words)
