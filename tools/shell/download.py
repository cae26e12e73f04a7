"""Programs fetched from the network, or hidden by an encoding, and run in the same line."""

from .code import is_interpreter
from .step import Step
from .wrappers import SHELLS

_FETCHERS = frozenset(
    "curl wget fetch aria2c http https xh lynx links nc ncat netcat socat ftp".split()
)
_DECODERS = frozenset("base64 base32 basenc xxd openssl uudecode gpg".split())
_RUN_TEXT = frozenset(["eval", "source", ".", "exec"])


def runs_download(step: Step) -> str:
    """What the step would run that nobody has seen; empty when it runs nothing such."""
    program = step.program
    if program not in SHELLS and program not in _RUN_TEXT and not is_interpreter(program):
        return ""
    unseen = step.inner if step.feed.text else (*step.inner, *step.feed.programs)
    if _has_script(step) and not step.inner:
        return ""
    for source in unseen:
        if source in _FETCHERS:
            return f"`{program}` runs what `{source}` fetches from the network, unseen"
        if source in _DECODERS:
            return f"`{program}` runs what `{source}` decodes, unseen"
    return ""


def _has_script(step: Step) -> bool:
    """Whether it runs a file or a text of the line, so that its input is only data."""
    words = [word.text for word in step.words[1:]]
    if any(word in ("-c", "-e", "-r", "-p", "-m", "--eval") for word in words):
        return True
    return any(not word.startswith("-") for word in words) and "-s" not in words
