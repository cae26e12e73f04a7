"""Output known in advance: `echo`, `printf`, `pwd`, `which` and a few more."""

import base64
import binascii
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from .find_arguments import build_find_output

if TYPE_CHECKING:
    from .shell_state import ShellState, Word

_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\"}


def get_known_output(words: "Sequence[Word]", fed: str | None, scope: "ShellState") -> str | None:
    """Return the output of a command; None if it is known only at run time."""
    if not words or not all(word.known for word in words):
        return None
    program, *rest = _list_texts(words)
    match PurePosixPath(program).name, rest:
        case "echo", _:
            return _render_echo(rest)
        case "printf", [form, *values] if form != "-v":
            return _render_printf(form, values)
        case "pwd", _:
            return f"{scope.folder}\n" if scope.folder and not scope.left_in else None
        case ("cat", [] | ["-"]) | ("tee", _):
            return fed
        case "base64", ["-d" | "-D" | "--decode"]:
            return _decode_base64(fed)
        case "rev", []:
            return None if fed is None else "\n".join(line[::-1] for line in fed.split("\n"))
        case "which", [name]:
            return f"{name}\n"
        case "command" | "type", ["-v" | "-p" | "-P", name]:
            return f"{name}\n"
        case "git", ["rev-parse", "--show-toplevel"]:
            return f"{scope.root}\n"
        case "git", ["rev-parse", "--git-dir"]:
            return ".git\n"
        case "mktemp", _:
            return "/tmp/tmp.new\n"
        case "whoami", []:
            return f"{Path.home().name}\n"
        case "ls", _:
            return _render_ls(rest, scope)
        case "git", ["ls-files" | "check-ignore", *names] if names:
            return "".join(f"{name}\n" for name in names if not name.startswith("-"))
        case "find", _:
            return build_find_output(rest)
        case "dirname", [name]:
            return f"{PurePosixPath(name).parent}\n"
        case "basename", [name]:
            return f"{PurePosixPath(name).name}\n"
        case "realpath" | "readlink", [*_, name]:
            return None if scope.folder is None else f"{scope.folder / name}\n"
        case _:
            return None


def _list_texts(words: "Sequence[Word]") -> list[str]:
    """Return the words; after the files that a pattern matches comes the pattern itself."""
    texts = list[str]()
    for word, following in zip(words, [*words[1:], None], strict=True):
        texts.append(word.text)
        if word.pattern and not (following and following.pattern == word.pattern):
            texts.append(word.pattern)
    return texts


def _render_echo(words: Sequence[str]) -> str:
    options = 0
    while options < len(words) and re.fullmatch(r"-[neE]+", words[options]):
        options += 1
    output = " ".join(words[options:])
    return (
        _unescape(output) if any("e" in option for option in words[:options]) else output
    ) + "\n"


def _render_printf(form: str, values: Sequence[str]) -> str | None:
    """Format `printf` with `%s` and `%b` only; the format repeats while values are left."""
    form, left, out = _unescape(form), list(values), ""
    if set(re.findall(r"%.", form)) - {"%s", "%b", "%%"}:
        return None
    while True:
        before = len(left)
        out += re.sub(r"%.", lambda sign: _fill_conversion(sign[0], left), form)
        if not left or len(left) == before:
            return out


def _render_ls(words: Sequence[str], scope: "ShellState") -> str | None:
    """Return the output of `ls` as patterns: the contents of its folders, and its other files."""
    if scope.folder is None:
        return None
    names = [word for word in words if not word.startswith("-")] or ["."]
    whole = any(re.match(r"-\w*d", word) for word in words)
    folders = [name for name in names if not whole and (scope.folder / name).is_dir()]
    return "".join(f"{name}/*\n" if name in folders else f"{name}\n" for name in names)


def _fill_conversion(sign: str, left: list[str]) -> str:
    return "%" if sign == "%%" else (left.pop(0) if left else "")


def _unescape(output: str) -> str:
    def decode_escape(match: re.Match[str]) -> str:
        octal, byte, other = match.groups()
        if octal or byte:
            return chr(int(octal, 8) & 0xFF if octal else int(byte, 16))
        return _ESCAPES.get(other, match[0])

    return re.sub(r"\\(?:0?([0-7]{1,3})|x([0-9a-fA-F]{1,2})|(.))", decode_escape, output)


def _decode_base64(fed: str | None) -> str | None:
    try:
        return None if fed is None else base64.b64decode(fed).decode()
    except (binascii.Error, ValueError):
        return None
