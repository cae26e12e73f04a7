"""Code from elsewhere: what a line downloads or decodes, and runs; a program as the other end of a
connection; a shell set for another program.
"""

import re
from collections.abc import Sequence
from itertools import zip_longest

from ....config.text import text
from ..parsing.inline_code import extract_code, is_interpreter
from ..parsing.network_clients import FETCHERS, SOCKET, is_network_client
from ..parsing.simple_command import SimpleCommand
from ..parsing.wrappers import SHELLS, UNKNOWN_INPUT
from .exfiltration import SOCKET_CODE

_DECODERS = frozenset(["base64", "base32", "basenc", "xxd", "openssl", "uudecode", "gpg"])
_RUN_TEXT = frozenset(["eval", "source", ".", "exec"])
_NETCATS = frozenset(["nc", "ncat", "netcat", "nc.openbsd", "nc.traditional"])
# Short options of netcat with a value, which may be attached; `-l` has one only in `-l4444`
_VALUED = "bDgGiIlmMoOpPqsTVwWxX"
_NETCAT_RUNS = re.compile(r"--(exec|sh-exec|lua-exec)(=.*)?", re.DOTALL)
_ADDRESS_RUNS = re.compile(r"(.*!!)?(exec|system|shell|cmd|sh-c):.*", re.IGNORECASE | re.DOTALL)
_PROCESS_CODE = re.compile(
    r"\bsubprocess\b|\bpty\b|\bos\.(system|popen|exec\w*|spawn\w*|dup2|execute)\b|\bdup2\b"
    r"|\b(exec|execl\w*|execv\w*|system|spawn\w*|popen|proc_open|shell_exec|passthru)\s*[\s(\"']"
    r"|\bchild_process\b|\bIO\.popen\b|\|\s*getline|%x[\[{(]|\bio\.popen\b"
)
_ZSH_NETWORK = re.compile(r"zsh/net/\w+")
_MAKES = frozenset(["make", "gmake", "bmake", "remake"])
_MAKES_SHELL = re.compile(r"\.?SHELL(?:FLAGS)?\s*(?::{0,3}|\?|\+|!)=\s*(.*)", re.DOTALL)
_USUAL_SHELL = re.compile(
    r"(?:/(?:usr/)?(?:local/)?bin/)?(?:env )?(?:ba|da|z|k|a)?sh(?: -(?![a-z]*c)[a-z]+| pipefail)*"
)
_SCRIPT_SHELLS = {
    **dict.fromkeys(
        ["npm", "pnpm", "pn", "yarn"],
        re.compile(r"(?:--(?:config\.)?)?script-?shell(?:=(.*))?", re.DOTALL | re.IGNORECASE),
    ),
    "just": re.compile(r"--shell(?:=(.*))?", re.DOTALL),
}


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


def find_remote_shell(step: SimpleCommand, steps: Sequence[SimpleCommand]) -> str:
    """Describe what a step connects to the network; `steps` are those of the line."""
    words = [word.text for word in step.words[1:]]
    if step.program in _NETCATS and any(map(_is_netcat_exec, words)):
        return text("`{program}` gives the network control of a program", program=step.program)
    if step.program in ("socat", "websocat") and any(map(_ADDRESS_RUNS.fullmatch, words)):
        return text("`{program}` gives the network control of a program", program=step.program)
    if any(map(_is_network_code, extract_code(step))):
        return text("the `{program}` code runs programs and uses the network", program=step.program)
    if step.program == "zmodload" and any(map(_ZSH_NETWORK.fullmatch, words)):
        return "the shell itself opens a network connection"
    if is_network_client(step) and (shell := _find_shell_before(step, steps)):
        return text(
            "`{program}` sends the output of `{shell}` to the network",
            program=step.program,
            shell=shell,
        )
    return ""


def find_shell_override(step: SimpleCommand) -> str:
    """Return the shell that an argument sets for a build program; empty if there is none."""
    words = [word.text for word in step.words[1:]]
    if step.program in _MAKES:
        values = [match[1] for word in words if (match := _MAKES_SHELL.fullmatch(word))]
        if any(not _USUAL_SHELL.fullmatch(value) for value in values):
            return text(
                "`{program}` would run its recipes with another shell", program=step.program
            )
        if any(re.match(r"--ev|-E", word) for word in words):
            return text("`{program}` would run rules from the command line", program=step.program)
    if pattern := _SCRIPT_SHELLS.get(step.program):
        for word, following in zip_longest(words, words[1:], fillvalue=""):
            is_setting = word.startswith("-") or "set" in words
            match = pattern.fullmatch(word) if is_setting else None
            if match and not _USUAL_SHELL.fullmatch(match[1] or following):
                return text(
                    "`{program}` would run its scripts with another shell", program=step.program
                )
    return ""


def _is_network_code(code: str) -> bool:
    is_code = re.search(r"[\s(]", code) is not None  # not a file name
    return bool(is_code and SOCKET_CODE.search(code) and _PROCESS_CODE.search(code))


def _is_netcat_exec(word: str) -> bool:
    if not re.match(r"-[a-zA-Z0-9]", word):
        return _NETCAT_RUNS.fullmatch(word) is not None
    for at, letter in enumerate(word[1:], 1):
        if letter in "ec":
            return True
        if letter in _VALUED and not (letter == "l" and not word[at + 1 : at + 2].isdigit()):
            return letter in "pP" and re.fullmatch(r"[ec]", word[at + 1 : at + 2]) is not None
    return False


def _find_shell_before(step: SimpleCommand, steps: Sequence[SimpleCommand]) -> str:
    """Return a shell that reads commands from its own input, and whose output a client sends."""
    shells = [
        other.program
        for other in steps
        if other.program in SHELLS and all(word.text.startswith("-") for word in other.words[1:])
    ]
    return next((shell for shell in shells if shell in step.feed.programs), "")
