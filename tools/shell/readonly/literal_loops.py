"""Loops over literal words, unrolled for analysis."""

import re

_LOOP = re.compile(
    r"\s*for ([a-z][a-z0-9]{0,11}) in ((?:[A-Za-z0-9_./][\w./-]* *)+); *do ([^\n]+?);? *done\s*",
    re.ASCII,
)
# Syntax by which the body may be more than its text with the loop's word inserted
_STRANGE = re.compile(r"['\\`#{}]|\$\(|<<|\b(do|done|for|in|cd|pushd|popd|break|continue)\b")
MAX_ROUNDS = 20


def expand_loop(command: str) -> list[str]:
    """Return the lines that a loop runs in order; empty if it is not a simple loop."""
    match = _LOOP.fullmatch(command)
    if not match or _STRANGE.search(match[3]):
        return []
    name, words, body = match[1], match[2].split(), match[3]
    if len(words) > MAX_ROUNDS:
        return []
    lines = [re.sub(rf"\${name}(?!\w)", word, body) for word in words]
    return [] if any("$" in line for line in lines) else lines
