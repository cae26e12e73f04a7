"""Environment variables or shell history sent to a network client.

A single variable does not count: `curl -H "Authorization: Bearer $TOKEN"` is an ordinary request.
"""

import os
import re
from collections.abc import Iterator, Sequence

from ....config.text import text
from ..parsing.inline_code import extract_code, is_interpreter
from ..parsing.network_clients import is_network_client
from ..parsing.simple_command import SimpleCommand
from ..parsing.wrappers import unwrap

_KEY_NAME = re.compile(r".*(KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH).*", re.IGNORECASE)
# The whole environment in code, not one variable of it
_ENVIRONMENT = re.compile(
    r"(?<!\bin os\.)(?<!\benv=os\.)\benvironb?\b"
    r"(?!\s*(?:\[|\.\s*(?:get|setdefault|update|pop)\b))"
    r"|\bprocess\.env\b(?!\s*(?:\.|\?|\[))"
    r"|\bENV\b(?!\s*(?:\[|\.\s*fetch\b|\{))|%ENV\b|\$_ENV\b(?!\s*\[)|\bgetenv\(\s*\)|\bos\.Environ\("
)
# Code that opens connections of its own
SOCKET_CODE = re.compile(
    r"\bsockets?\b|\brequire\(['\"](?:node:)?(?:net|tls|dgram)['\"]|\bTCPSocket\b|\bUDPSocket\b"
    r"|\bIO::Socket\b|\bSOCK_STREAM\b|\bfsockopen\b|\bstream_socket_client\b"
    r"|/inet[46]?/(?:tcp|udp)/"
)
_REQUEST_CODE = re.compile(
    r"\b(?:urllib|requests|httpx?|https|aiohttp|smtplib|ftplib|telnetlib|paramiko|curl_exec|LWP)\b"
    r"|\bfetch\s*\(|\bXMLHttpRequest\b|\brequire\(['\"](?:node:)?dns['\"]|\bnet/http\b|\bNet::"
)


def find_exfiltration(steps: Sequence[SimpleCommand]) -> str:
    """Describe how a line sends its environment or history to the network; empty if it does not."""
    sources = _SecretSources(steps)
    for at, step in enumerate(steps):
        if step.code:
            continue
        if any(_can_send_environment(code) for code in extract_code(step)):
            return text(
                "`{program}` may send environment variables to the network", program=step.program
            )
        if is_network_client(step) and (source := sources.find_source(step, at)):
            return text(
                "`{program}` may send the output of `{source}` to the network",
                program=step.program,
                source=source,
            )
    return ""


def _can_send_environment(code: str) -> bool:
    if not re.search(r"[\s(]", code):
        return False  # a file name
    talks = SOCKET_CODE.search(code) or _REQUEST_CODE.search(code)
    return bool(talks and _ENVIRONMENT.search(code))


# Characters before a file name in a word, as in `-F file=@NAME`
_SIGNS = re.compile(r"[@=:;,<]")


class _SecretSources:
    """The steps of a line that print the environment, and the targets of their output."""

    def __init__(self, steps: Sequence[SimpleCommand]) -> None:
        self._steps = steps
        self._at = {at: step.program for at, step in enumerate(steps) if can_print_secrets(step)}
        names = dict.fromkeys(self._at.values())
        wrapping = [step.program for step in steps[: max(self._at, default=0)] if unwrap(step)]
        is_wrapped = any(steps[at].wrapped for at in self._at)
        self._names = [*names, *(wrapping if is_wrapped else [])]

    def find_source(self, client: SimpleCommand, at: int) -> str:
        """Return the program whose output a client may get; empty if there is none."""
        programs = {*client.feed.programs, *client.inner}
        if fed := next((name for name in self._names if name in programs), ""):
            return fed
        if client.substituted and (fed := self._find_substitution_source()):
            return fed
        earlier = [position for position in self._at if position < at]
        for source in earlier:
            if self._is_captured(source) or self._is_read_again(source, at):
                return self._at[source]
        return ""

    def _find_substitution_source(self) -> str:
        """Return the program whose output a `>(…)` gets, as in `env | tee >(curl …)`."""
        for step in self._steps:
            texts = [word.text for word in step.words] + [
                redirect.target.text for redirect in step.redirects
            ]
            if any(text.startswith(">(") for text in texts):
                programs = {step.program, *step.feed.programs}
                if fed := next((name for name in self._names if name in programs), ""):
                    return fed
        return ""

    def _is_captured(self, source: int) -> bool:
        """Return whether a source is in a substitution, whose output may be used anywhere later."""
        return self._steps[source].substituted

    def _is_read_again(self, source: int, client: int) -> bool:
        """Return whether the source's output file is named by the client or a step before it."""
        program = self._at[source]
        written = {
            name
            for step in self._steps[source:client]
            if step is self._steps[source] or program in step.feed.programs
            for name in _iter_output_files(step)
        }
        later = self._steps[source + 1 : client + 1]
        texts = [word.text for step in later if step.program != "tee" for word in step.words[1:]]
        texts += [
            redirect.target.text
            for step in later
            for redirect in step.redirects
            if not redirect.writes
        ]
        named = {os.path.normpath(part) for text in texts for part in _SIGNS.split(text) if part}
        return any(os.path.normpath(name) in named for name in written)


def _iter_output_files(step: SimpleCommand) -> Iterator[str]:
    yield from (redirect.target.text for redirect in step.redirects if redirect.writes)
    if step.program == "tee":
        yield from (word.text for word in step.words[1:] if not word.text.startswith("-"))


def can_print_secrets(step: SimpleCommand) -> bool:
    """Return whether a step prints all variables, or the shell history."""
    words = [word.text for word in step.words[1:]]
    if is_interpreter(step.program):
        return any(_ENVIRONMENT.search(code) for code in extract_code(step))
    match step.program:
        case "env" | "genv":
            return not unwrap(step)
        case "printenv":
            names = [word for word in words if not word.startswith("-")]
            return not names or any(map(_KEY_NAME.fullmatch, names))
        case "history":
            return not any(re.fullmatch(r"-[cdrsw].*", word) for word in words)
        case "fc":
            return any(re.fullmatch(r"-\w*l\w*", word) for word in words)
        case "compgen":
            return any(re.fullmatch(r"-[ev]|variable|export", word) for word in words)
        case "set":
            return not words
        case "export" | "declare" | "typeset" | "readonly" | "local":
            return all(re.fullmatch(r"-[prx]+", word) for word in words)
        case "ps":
            return any(re.fullmatch(r"[a-z]*e[a-z]*", word) for word in words)
        case _:
            return False
