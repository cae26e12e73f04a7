"""Files that a program edits in place, or writes by an option: `perl -i`, `patch`, `--output=`."""

import re
from collections.abc import Iterator

from ..parsing.simple_command import SimpleCommand

_IN_PLACE = {
    "perl": re.compile(r"-[a-zA-Z0-9]*i.*"),
    "ruby": re.compile(r"-[a-zA-Z0-9]*i.*"),
    "awk": re.compile(r"inplace|-i ?inplace|--include=inplace"),
}
_IN_PLACE["gawk"] = _IN_PLACE["awk"]
_EDITORS = ("patch", "ed", "ex")
_OUTPUT = re.compile(r"--out(?:put|file|-dir|put-document)?=(.+)", re.DOTALL)


def find_edited_names(step: SimpleCommand) -> Iterator[str]:
    """Yield the words of a step that may name a file which it edits in place or writes.

    Scripts are among them: what counts is whether a rule covers such a name.
    """
    texts = [word.text for word in step.words[1:]]
    yield from (match[1] for text in texts if (match := _OUTPUT.fullmatch(text)))
    mode = _IN_PLACE.get(step.program)
    if step.program in _EDITORS or (mode and any(map(mode.fullmatch, texts))):
        yield from (text for text in texts if not text.startswith("-"))
