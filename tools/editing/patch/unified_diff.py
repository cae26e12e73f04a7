"""Parser of unified diffs, as `diff -u` and git write them, and models nearly do."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...result import ToolError
from .apply_hunk import Hunk
from .file_patch import FilePatch
from .parse_hunk import read_hunk

NO_FILE = "/dev/null"

_TIME = re.compile(r"(?<![ \t])[ \t]++\d{4}-\d\d-\d\d[ T]\d\d:\d\d.*$")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
_LETTERS = dict(zip((b"%c" % letter for letter in b"abtnvfr"), b"\a\b\t\n\v\f\r", strict=True))
_PREFIX = re.compile(r"([abciow])/(?=.)")
FORM = "`--- a/path`, `+++ b/path`, then hunks that begin with `@@`"

_GIT_HEADER = re.compile(
    r"(old mode|new mode|deleted file mode|new file mode|copy from|copy to|rename from|rename to"
    r"|similarity index|dissimilarity index|index) (.+)"
)
_BINARY = re.compile(r"GIT binary patch|Binary files .* differ")
# lines after a hunk that clearly do not belong to it; others are an error, lest one is lost
_BETWEEN = re.compile(r"diff |Index: |From |commit |Only in |```|~~~")
# the signature of `git format-patch`; as a line of a hunk it would remove one
_SIGNATURE = re.compile(r"\n-- ?\n\d[\w.() -]*+\s*+\Z")


def parse_header_name(rest: str) -> str:
    """Parse the name after `--- `, `+++ ` or `rename from `."""
    if quoted := _QUOTED.match(rest):
        return _unquote_name(quoted[1])
    return _TIME.sub("", rest.split("\t")[0]).rstrip()


def without_prefixes(old: str, new: str) -> tuple[str, str]:
    """Remove the prefixes `a/` and `b/`, or other pairs of git, if both names have them."""
    first, second = _PREFIX.match(old), _PREFIX.match(new)
    if first and second and first[1] != second[1]:
        return old[2:], new[2:]
    if old == NO_FILE and new.startswith("b/") and second:
        return old, new[2:]
    if new == NO_FILE and old.startswith("a/") and first:
        return old[2:], new
    return old, new


def parse_git_names(rest: str) -> tuple[str, str] | None:
    """Parse the two names after `diff --git `; None if it is not clear where one ends."""
    if quoted := _QUOTED.match(rest):
        return without_prefixes(
            _unquote_name(quoted[1]), parse_header_name(rest[quoted.end() + 1 :])
        )
    if rest.endswith('"') and ' "' in rest:
        first, _, second = rest.partition(' "')
        return without_prefixes(first, parse_header_name('"' + second))
    middle = len(rest) // 2  # both names are the same, or the lines below name them
    if rest[middle : middle + 1] != " ":
        return None
    old, new = without_prefixes(rest[:middle], rest[middle + 1 :])
    return (old, new) if old == new else None


def _unquote_name(name: str) -> str:
    """Unquote a name that git wrote as a C string, with bytes in octal."""
    try:
        return _ESCAPE.sub(_unescape_byte, name.encode()).decode()
    except (UnicodeError, ValueError) as error:
        raise ToolError(f"the quoted name {name!r} in the patch cannot be read") from error


def _unescape_byte(escape: re.Match[bytes]) -> bytes:
    letter = escape[1]
    return bytes([int(letter, 8) if len(letter) == 3 else _LETTERS.get(letter, letter[0])])


def parse_unified(patch: str) -> list[FilePatch]:
    """Parse the patch of each file, in order; counts in headers may be wrong.

    Raises ToolError, naming the line, for what is not a diff, is cut off, or is ambiguous.
    """
    lines = _SIGNATURE.sub("\n", patch.replace("\r\n", "\n")).split("\n")
    patches, at = list[FilePatch](), 0
    while at < len(lines):
        if lines[at].startswith("diff --git ") or _is_file_start(lines, at):
            file_patch, at = _parse_file(lines, at)
            patches.append(file_patch)
        else:
            _check_between(lines[at], at)
            at += 1
    if not patches:
        raise ToolError(f"there is no file in the patch; a unified diff is {FORM}")
    return patches


@dataclass(frozen=True)
class _Header:
    """The header of a file."""

    line: int
    old: str = ""
    """Empty when nothing says it; `/dev/null` for no file."""
    new: str = ""
    git: tuple[str, str] | None = None
    """The names of the line `diff --git`."""
    fields: tuple[tuple[str, str], ...] = ()
    """git's further lines."""

    def get_field(self, name: str) -> str:
        """Get the value of one of git's lines; empty if it is missing."""
        return dict(self.fields).get(name, "")


def _is_file_start(lines: Sequence[str], at: int) -> bool:
    if not lines[at].startswith("--- "):
        return False
    if not lines[at + 1 : at + 2] or not lines[at + 1].startswith("+++ "):
        raise ToolError(
            f"line {at + 1} of the patch begins with `--- ` and no `+++ ` follows; it needs both"
        )
    return True


def _check_between(line: str, at: int) -> None:
    if line.startswith("@@") or line.startswith("+++ ") or _GIT_HEADER.fullmatch(line):
        raise ToolError(
            f"line {at + 1} of the patch, `{line[:80]}`, belongs to no file: above it must stand "
            "`--- a/path` and `+++ b/path`, or `diff --git a/path b/path`"
        )
    if _BINARY.fullmatch(line):
        raise ToolError(f"line {at + 1} of the patch: a binary file cannot be patched")


def _parse_file(lines: Sequence[str], start: int) -> tuple[FilePatch, int]:
    header, at = _parse_header(lines, start)
    hunks = list[Hunk]()
    while at < len(lines) and lines[at].startswith("@@"):
        hunk, at = read_hunk(lines, at)
        hunks.append(hunk)
        _check_after_hunk(lines, at)
    if not hunks and header.old:
        raise ToolError(f"the file at line {start + 1} of the patch has no hunk; {FORM}")
    return _build_patch(header, hunks), at


def _check_after_hunk(lines: Sequence[str], at: int) -> None:
    line = lines[at] if at < len(lines) else ""
    expected = not line.strip() or line.startswith("@@") or _BETWEEN.match(line)
    if not (expected or _is_file_start(lines, at)):
        raise ToolError(
            f"line {at + 1} of the patch, `{line[:80]}`, begins with none of blank, `+`, `-`, "
            "`@@`; a line that stays begins with a blank"
        )


def _parse_header(lines: Sequence[str], start: int) -> tuple[_Header, int]:
    header, at, fields = _Header(start + 1), start, list[tuple[str, str]]()
    if lines[at].startswith("diff --git "):
        header = replace(header, git=parse_git_names(lines[at].removeprefix("diff --git ")))
        at += 1
        while at < len(lines) and (match := _GIT_HEADER.fullmatch(lines[at])):
            fields.append((match[1], match[2]))
            at += 1
    if at < len(lines) and _is_file_start(lines, at):
        old, new = without_prefixes(
            parse_header_name(lines[at][4:]), parse_header_name(lines[at + 1][4:])
        )
        header, at = replace(header, old=old, new=new), at + 2
    return replace(header, fields=tuple(fields)), at


def _build_patch(header: _Header, hunks: Sequence[Hunk]) -> FilePatch:
    """Build the patch of a file from its header and hunks."""
    if header.get_field("copy from"):
        raise _make_error(header, "copies are not supported; write the new file with `write_file`")
    if source := header.get_field("rename from"):
        target = parse_header_name(header.get_field("rename to"))
        return _build_update(header, hunks, parse_header_name(source), target)
    if header.old == NO_FILE or header.get_field("new file mode"):
        return _build_creation(header, hunks)
    if header.new == NO_FILE or header.get_field("deleted file mode"):
        return _build_deletion(header, hunks)
    if header.old != header.new and header.old != f"{header.new}.orig":
        raise _make_error(
            header,
            f"it names two files, `{header.old}` and `{header.new}`: to move a file, write "
            "`diff --git`, `rename from` and `rename to` above",
        )
    return _build_update(header, hunks, header.new or _get_git_name(header), "")


def _build_update(header: _Header, hunks: Sequence[Hunk], path: str, target: str) -> FilePatch:
    names = (path, target or path)
    if not all(names) or (header.old and target and (header.old, header.new) != names):
        raise _make_error(header, "its lines name different files")
    executable = _parse_executable(header, "new mode")
    if not (hunks or target or executable is not None):
        raise _make_error(header, "it says nothing to change")
    return FilePatch(header.line, "update", path, target, tuple(hunks), executable=executable)


def _build_creation(header: _Header, hunks: Sequence[Hunk]) -> FilePatch:
    path = header.new or _get_git_name(header)
    lines = [line for hunk in hunks for line in hunk.lines]
    if path == NO_FILE or len(hunks) > 1 or any(line[:1] != "+" for line in lines):
        raise _make_error(header, "a new file has one hunk, and only lines that begin with `+`")
    unended = bool(hunks) and hunks[0].new_unended
    executable = _parse_executable(header, "new file mode")
    content = _join_content(lines, unended)
    return FilePatch(header.line, "create", path, content=content, executable=executable)


def _build_deletion(header: _Header, hunks: Sequence[Hunk]) -> FilePatch:
    path = header.old or _get_git_name(header)
    lines = [line for hunk in hunks for line in hunk.lines]
    if path == NO_FILE or any(line[:1] != "-" for line in lines):
        raise _make_error(header, "the hunks of a removed file have only lines that begin with `-`")
    unended = bool(hunks) and hunks[-1].old_unended
    return FilePatch(header.line, "delete", path, content=_join_content(lines, unended))


def _join_content(lines: Sequence[str], unended: bool) -> str:
    text = "".join(f"{line[1:]}\n" for line in lines)
    return text.removesuffix("\n") if unended else text


def _get_git_name(header: _Header) -> str:
    if header.git is None:
        raise _make_error(header, "its file name cannot be read; write `--- a/path`, `+++ b/path`")
    return header.git[1]


def _parse_executable(header: _Header, name: str) -> bool | None:
    mode = header.get_field(name).strip()
    if not mode:
        return None
    if not re.fullmatch("100[0-7]{3}", mode):
        raise _make_error(header, f"mode {mode} is not that of a regular file")
    return bool(int(mode, 8) & 0o111)


def _make_error(header: _Header, problem: str) -> ToolError:
    return ToolError(f"the file at line {header.line} of the patch: {problem}")
