"""Command lines nobody would write: from pieces of the shell's grammar, and from the corpora."""

import random
from pathlib import Path

from command_lines import TABLES, cases
from hypothesis import strategies as st

_WORDS = r"""
ls cat echo rm -rf / a b -l README.md sub .env * ? [ab] {a,b} ~ $HOME $x ${x} "$x" 'q r' "s t" $'\n'
$'\\' $' \; \  '' "" = A=1 x=$y 1 2 -- . .. @ % ! -n + , : ^ # {} } { ] [ é 中 -s2
"""
_JOINTS = r"""
; && || | |& & ;; ;& ( ) { } ! > < >> << <<< <<- >& <& &> >| <> 2>&1 2>/dev/null >/dev/null $( ) `
<( >( (( )) [[ ]] ' " \ # if then else fi for in do done while until case esac function coproc time
select [ ] $ ${ = += @( ?( !( EOF 'EOF'
"""
WORDS = _WORDS.split()
JOINTS = [*_JOINTS.split(), "\n", "\t", "\r", "\x0b", "\x0c", "\\\n", "\xa0", "\u3000"]

_pieces = st.sampled_from([*WORDS, *JOINTS, "rm -rf /", "\nEOF\n", "cat <<EOF\n", "cd sub"])
_spaced = st.tuples(_pieces, st.sampled_from([" ", " ", "", "\n"])).map("".join)
lines = st.lists(_spaced, max_size=12).map("".join)


def mutated(random_source: random.Random) -> str:
    """A line of the corpora with something inserted, lost, doubled, or of another line."""
    line = random_source.choice(_LINES)
    for _ in range(random_source.randint(1, 3)):
        at = random_source.randint(0, len(line))
        to = min(len(line), at + random_source.randint(0, 4))
        line = random_source.choice(
            [
                line[:at] + random_source.choice([*WORDS, *JOINTS, " "]) + line[at:],
                line[:at] + line[to:],
                line[:to] + line[at:],
                line[:at] + random_source.choice(_LINES)[at:],
                f"{line} {random_source.choice(JOINTS)} {random_source.choice(_LINES)}",
            ]
        )
    return line


_LINES = [case.line for table in TABLES for case in cases(Path(table))]
