"""The names that a command deletes or overwrites, for programs whose words say so.

Other programs may change whatever they like: nothing is known of them here.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence

from ..parsing.flags import Flags, NotReadOnly, Parsed, one_of
from ..parsing.simple_command import Step
from ..risks.copy_targets import PROGRAMS as COPIES
from ..risks.copy_targets import copied_by

EVERYDAY = one_of("mkdir touch cp mv rm sed")
"""Programs that do nothing but what they do to the files that they are given."""
DELETES = one_of(
    "rm rmdir unlink mv cp ln install rsync tee truncate shred srm wipe dd rimraf trash trash-put"
)
"""Programs whose targets must be known, or the command is asked."""
_FLAGS: Mapping[str, Flags] = {
    name: Flags.of(usage)
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
_SED = Flags.of(
    "-i=? -n -E -r -s -u -z -e= -f= --in-place=? --quiet --silent --regexp-extended --separate"
    " --unbuffered --null-data --expression= --file= --posix"
)
_IN_PLACE = re.compile(r"-[a-zA-Z]*i|--i")
_FIND_WRITES = one_of("-delete -fprint -fprint0 -fprintf -fls")
_RSYNC_DELETES = ("--del", "--remove-source-files", "--inplace")


class UnknownChangeError(Exception):
    """Says why nobody can tell which files a command deletes or overwrites."""


def read_replaced(step: Step) -> Sequence[str] | None:
    """The names at which a step deletes or overwrites something; None for any other program.

    Raises UnknownChangeError where its words do not say them all.
    """
    program = step.program
    if program == "find" and _FIND_WRITES.intersection(_texts(step)):
        raise UnknownChangeError("it deletes or overwrites what `find` finds")
    if program == "sed":
        return _edited_in_place(step)
    if program not in DELETES | EVERYDAY:
        return None
    if unknown := next((word for word in step.words if not word.known), None):
        raise UnknownChangeError(f"`{program}` gets `{unknown.text}`, which only a run would tell")
    if program == "rsync":
        return _synchronized(step)
    if program not in _FLAGS:
        raise UnknownChangeError(f"what `{program}` takes away is gone")
    parsed = _parse(program, _FLAGS[program], step)
    if program in COPIES:
        return tuple(_landed(step))
    return () if program in ("mkdir", "touch") else parsed.operands


def read_created(step: Step) -> Sequence[str]:
    """The names that `mkdir` and `touch` make where nothing is; raises UnknownChangeError."""
    if step.program not in ("mkdir", "touch"):
        return ()
    return _parse(step.program, _FLAGS[step.program], step).operands


def _edited_in_place(step: Step) -> Sequence[str] | None:
    """The files of `sed -i`, and those that keep what they held."""
    if not any(map(_IN_PLACE.match, _texts(step))):
        return None
    if not all(word.known for word in step.words):
        raise UnknownChangeError("which files `sed` changes only a run would tell")
    parsed = _parse("sed", _SED, step)
    has_script = parsed.has("-e", "--expression", "-f", "--file")
    files = parsed.operands if has_script else parsed.operands[1:]
    suffixes = set(filter(None, parsed.values("-i", "--in-place")))
    if any(set("*/") & set(suffix) for suffix in suffixes):
        raise UnknownChangeError("under which names `sed` keeps files is not known")
    return [*files, *(f"{file}{suffix}" for file in files for suffix in suffixes)]


def _synchronized(step: Step) -> Sequence[str]:
    texts = _texts(step)
    if any(text.startswith(_RSYNC_DELETES) for text in texts):
        raise UnknownChangeError("`rsync` deletes what it does not find on the other side")
    target = copied_by(step).target
    return [target] if target else []


def _landed(step: Step) -> Iterator[str]:
    """What a copy, move or link takes away, and the names that it is given."""
    copied = copied_by(step)
    if step.program == "mv":
        yield from copied.sources
    if copied.into is None:
        yield from filter(None, [copied.target])
    else:
        yield from (name for _, name in landed_by(step))


def landed_by(step: Step) -> Iterator[tuple[str, str]]:
    """Each name that `cp` or `mv` is given to copy or move, with the name that it gets."""
    copied = copied_by(step)
    for source in copied.sources:
        if copied.into is None:
            yield source, copied.target
            continue
        name = os.path.basename(source.rstrip("/"))
        yield source, copied.into if name in ("", ".", "..") else f"{copied.into}/{name}"


def _parse(program: str, flags: Flags, step: Step) -> Parsed:
    try:
        return flags.parse(program, _texts(step))
    except NotReadOnly as unknown:
        raise UnknownChangeError(
            f"what `{program}` does with these options is not known"
        ) from unknown


def _texts(step: Step) -> list[str]:
    return [word.text for word in step.words[1:]]
