"""A program under `strace`: what it and all that it starts execute, and what they connect to."""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Collection, Sequence
from pathlib import Path

_EXECUTED = re.compile(r'execve\("((?:[^"\\]|\\.)*)", \[(.*?)\](?:, | <unfinished)')
_CONNECTED = re.compile(r"connect\(\d+, \{(.*?)\}")
_WORD = re.compile(r'"((?:[^"\\]|\\.)*)"')
_PORT = re.compile(r"sin6?_port=htons\((\d+)\)")
_INTERPRETERS = re.compile(r"(ba|da|z)?sh|python[\d.]*|perl|node|make")


def why_not() -> str:
    """Why nothing can be traced here; empty where it can."""
    if not shutil.which("strace"):
        return "strace is not installed"
    works = subprocess.run(["strace", "-qq", "-o", os.devnull, "true"], capture_output=True)
    return "" if works.returncode == 0 else "strace may not trace here"


def command(log: Path, argv: Sequence[str]) -> list[str]:
    """The command line that runs `argv` as this very process, and writes the log beside it."""
    tracing = (
        "-D",
        "-f",
        "--seccomp-bpf",
        "-qq",
        "-s",
        "4096",
        "-e",
        "trace=execve,connect,exit_group",
    )
    return ["strace", *tracing, "-e", "signal=none", "-o", str(log), *argv]


def finished(log: Path, pid: int) -> str:
    """The whole log of a process that has ended."""
    deadline, last = time.monotonic() + 30, re.compile(rf"^{pid} +exit_group", re.MULTILINE)
    while not last.search(text := log.read_text(errors="replace")):
        assert time.monotonic() < deadline, f"the log has no end: {text[-500:]}"
        time.sleep(0.02)  # the tracer tells nobody when it has written its last line
    return text


def executed_in(folder: Path, text: str) -> list[str]:
    """Programs of the folder that were executed or given to an interpreter, or might have been."""
    matches = [(match[1], _WORD.findall(match[2])) for match in _EXECUTED.finditer(text)]
    return [
        " ".join([program, *sentence])
        for program, sentence in matches
        if not os.path.isabs(program)
        or _is_in(folder, program)
        or (_INTERPRETERS.fullmatch(Path(program).name) and _script(folder, sentence[1:]))
    ]


def connections(text: str, allowed: Collection[int]) -> list[str]:
    """Connections to the network, but for those to the allowed ports."""
    made = [match[1] for match in _CONNECTED.finditer(text) if "AF_INET" in match[1]]
    return [item for item in made if _port(item) not in allowed]


def _port(address: str) -> int:
    match = _PORT.search(address)
    return int(match[1]) if match else 0


def _script(folder: Path, arguments: Sequence[str]) -> bool:
    files = [word for word in arguments[:2] if os.path.isabs(word) and os.path.isfile(word)]
    return any(_is_in(folder, file) for file in files)


def _is_in(folder: Path, name: str) -> bool:
    return Path(os.path.realpath(name)).is_relative_to(folder)
