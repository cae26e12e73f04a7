"""Files that a file program deletes or overwrites.

Other programs may change any file: this module knows nothing about them.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence

from ....config.text import text
from ..parsing.flags import Flags, NotReadOnlyError, ParsedArguments, split_names
from ..parsing.simple_command import SimpleCommand
from ..risks.copy_targets import PROGRAMS as COPIES
from ..risks.copy_targets import parse_copy

# Programs whose only effect is on the files in their arguments
EVERYDAY = split_names("mkdir touch cp mv rm sed")
# Programs whose targets must be known; otherwise the user is asked
DELETES = split_names(
    "rm rmdir unlink mv cp ln install rsync tee truncate shred srm wipe dd rimraf trash trash-put"
)
_FLAGS: Mapping[str, Flags] = {
    name: Flags.from_usage(usage)
    for name, usage in {
        "mkdir": "-p -v -m= --parents --verbose --mode=",
        "touch": "-a -c -m -h -t= -d= --no-create --no-dereference --date= --time=",
        "rm": "-r -R -f -d -v -i -I --recursive --force --dir --verbose --one-file-system",
        "rmdir": "-p -v --parents --verbose --ignore-fail-on-non-empty",
        "unlink": "",
        "rimraf": "",
        "tee": "-a -i --append --ignore-interrupts",
        "truncate": "-c -s= --no-create --size=",
        "cp": "-r -R -a -p -f -v -n -u -i -d -P -T -t= --recursive --archive --preserve=?"
        " --force --no-clobber --verbose --no-target-directory --target-directory=",
        "mv": "-f -v -n -u -i -T -t= --force --no-clobber --verbose --no-target-directory"
        " --target-directory=",
        "ln": "-s -f -v -n -r -i -T -t= --symbolic --force --no-dereference --relative --verbose",
        "install": "-d -D -v -p -C -T -m= -t= --directory --mode=",
    }.items()
}
_SED = Flags.from_usage(
    "-i=? -n -E -r -s -u -z -e= -f= --in-place=? --quiet --silent --regexp-extended --separate"
    " --unbuffered --null-data --expression= --file= --posix"
)
_IN_PLACE = re.compile(r"-[a-zA-Z]*i|--i")
_FIND_WRITES = split_names("-delete -fprint -fprint0 -fprintf -fls")
_RSYNC_DELETES = ("--del", "--remove-source-files", "--inplace")


class UnknownChangeError(Exception):
    """The files that a command deletes or overwrites are unknown; the message says why."""


def find_replaced_names(step: SimpleCommand) -> Sequence[str] | None:
    """Return the names at which a step deletes or overwrites files; None for any other program.

    Raises UnknownChangeError if its arguments do not name all of them.
    """
    program = step.program
    if program == "find" and _FIND_WRITES.intersection(_list_arguments(step)):
        raise UnknownChangeError("it deletes or overwrites the files `find` finds")
    if program == "sed":
        return _find_sed_targets(step)
    if program not in DELETES | EVERYDAY:
        return None
    if unknown := next((word for word in step.words if not word.known), None):
        raise UnknownChangeError(
            text(
                "`{text}`, an argument of `{program}`, is not known in advance",
                text=unknown.text,
                program=program,
            )
        )
    if program == "rsync":
        return _find_rsync_targets(step)
    if program not in _FLAGS:
        raise UnknownChangeError(
            text("undo cannot restore what `{program}` removes", program=program)
        )
    parsed = _parse_flags(program, _FLAGS[program], step)
    if program in COPIES:
        return tuple(_iter_copy_changes(step))
    return () if program in ("mkdir", "touch") else parsed.operands


def find_created_names(step: SimpleCommand) -> Sequence[str]:
    """Return the new names that `mkdir` and `touch` create; raises UnknownChangeError."""
    if step.program not in ("mkdir", "touch"):
        return ()
    return _parse_flags(step.program, _FLAGS[step.program], step).operands


def _find_sed_targets(step: SimpleCommand) -> Sequence[str] | None:
    """Return the files that `sed -i` changes, and the names of their backups."""
    if not any(map(_IN_PLACE.match, _list_arguments(step))):
        return None
    if not all(word.known for word in step.words):
        raise UnknownChangeError("the files `sed` changes are not known in advance")
    parsed = _parse_flags("sed", _SED, step)
    has_script = parsed.has_any("-e", "--expression", "-f", "--file")
    files = parsed.operands if has_script else parsed.operands[1:]
    suffixes = set(filter(None, parsed.get_values("-i", "--in-place")))
    if any(set("*/") & set(suffix) for suffix in suffixes):
        raise UnknownChangeError("the names of `sed`'s backup files are not known")
    return [*files, *(f"{file}{suffix}" for file in files for suffix in suffixes)]


def _find_rsync_targets(step: SimpleCommand) -> Sequence[str]:
    texts = _list_arguments(step)
    if any(text.startswith(_RSYNC_DELETES) for text in texts):
        raise UnknownChangeError("`rsync` deletes files that the source does not have")
    target = parse_copy(step).target
    return [target] if target else []


def _iter_copy_changes(step: SimpleCommand) -> Iterator[str]:
    """Yield the names that a copy, move or link removes, and those that it writes."""
    copied = parse_copy(step)
    if step.program == "mv":
        yield from copied.sources
    if copied.into is None:
        yield from filter(None, [copied.target])
    else:
        yield from (name for _, name in iter_copy_pairs(step))


def iter_copy_pairs(step: SimpleCommand) -> Iterator[tuple[str, str]]:
    """Yield each source of `cp` or `mv` with the name of its target."""
    copied = parse_copy(step)
    for source in copied.sources:
        if copied.into is None:
            yield source, copied.target
            continue
        name = os.path.basename(source.rstrip("/"))
        yield source, copied.into if name in ("", ".", "..") else f"{copied.into}/{name}"


def _parse_flags(program: str, flags: Flags, step: SimpleCommand) -> ParsedArguments:
    try:
        return flags.parse(program, _list_arguments(step))
    except NotReadOnlyError as unknown:
        raise UnknownChangeError(
            text("the effect of these `{program}` options is not known", program=program)
        ) from unknown


def _list_arguments(step: SimpleCommand) -> list[str]:
    return [word.text for word in step.words[1:]]
