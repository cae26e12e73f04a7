"""Ten small repositories in five languages, each with one fault, its repair and a wrong repair."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass

REQUEST = "Repair the fault that the tests show."


@dataclass(frozen=True)
class Repository:
    """A project whose tests are red until `old` in `path` is replaced by `new`."""

    name: str
    language: str
    program: str
    """What its tests need; a machine without it leaves the repository out, and says so."""
    files: Mapping[str, str]
    path: str
    old: str
    new: str
    wrong: str
    """A replacement that does not repair it."""

    @property
    def can_run(self) -> bool:
        """Whether this machine has what its tests need."""
        return shutil.which(self.program) is not None and shutil.which("make") is not None


def _build(
    name: str, language: str, program: str, path: str, source: str, test: str, change: str
) -> Repository:
    """Build one whose `make test` is `test`; `change` is `old => new | wrong`."""
    old, _, others = change.partition(" => ")
    new, _, wrong = others.partition(" | ")
    files = {path: source, "Makefile": f"test:\n\t@{test}\n"}
    return Repository(name, language, program, files, path, old, new, wrong)


REPOSITORIES = (
    _build(
        "discount", "Python", "python3", "cart.py",
        "def total(prices, discount):\n    result = sum(prices)\n    return result - discount\n",
        "python3 -B -c 'import cart; assert cart.total([50, 50], 0.1) == 90'",
        "result - discount => result * (1 - discount) | result / discount",
    ),
    _build(
        "slug", "Python", "python3", "slug.py",
        'def slug(text):\n    return text.lower().replace(" ", "_")\n',
        "python3 -B -c 'import slug; assert slug.slug(\"A b\") == \"a-b\"'",
        '" ", "_" => " ", "-" | " ", "+"',
    ),
    _build(
        "clamp", "JavaScript", "node", "clamp.js",
        "exports.clamp = (n, low, high) => Math.min(low, Math.max(high, n));\n",
        "node -e 'if (require(\"./clamp.js\").clamp(9, 1, 5) !== 5) process.exit(1)'",
        "Math.min(low, Math.max(high, n)) => Math.max(low, Math.min(high, n)) | Math.max(low, n)",
    ),
    _build(
        "initials", "JavaScript", "node", "initials.js",
        'exports.initials = name => name.split(" ").map(w => w[1]).join("");\n',
        "node -e 'if (require(\"./initials.js\").initials(\"Ada Lo\") !== \"AL\") process.exit(1)'",
        "w[1] => w[0] | w[2]",
    ),
    _build(
        "backup", "shell", "sh", "backup.sh",
        "#!/bin/sh\n# print the name of a backup\nprintf '%s.old\\n' \"$1\"\n",
        "test \"$$(sh backup.sh a.txt)\" = a.txt.bak",
        "%s.old => %s.bak | %s.tmp",
    ),
    _build(
        "count", "shell", "sh", "count.sh",
        "#!/bin/sh\n# count the words of the standard input\nwc -l | tr -d ' '\n",
        "test \"$$(printf 'a b c\\n' | sh count.sh)\" = 3",
        "wc -l => wc -w | wc -c",
    ),
    _build(
        "trim", "Perl", "perl", "Trim.pm",
        "package Trim;\nsub trim { my $s = shift; $s =~ s/^\\s+//; return $s; }\n1;\n",
        "perl -I. -MTrim -e 'exit(Trim::trim(\" a \") ne \"a\")'",
        "s/^\\s+//; => s/^\\s+|\\s+$//g; | s/^\\s//;",
    ),
    _build(
        "largest", "Perl", "perl", "Largest.pm",
        "package Largest;\nsub largest { my @s = sort @_; return $s[-1]; }\n1;\n",
        "perl -I. -MLargest -e 'exit(Largest::largest(9, 10) != 10)'",
        "sort @_ => sort { $a <=> $b } @_ | reverse sort { $a <=> $b } @_",
    ),
    _build(
        "square", "C", "cc", "square.h",
        "#define SQUARE(x) x * x\n",
        "printf '#include \"square.h\"\\nint main(void){return SQUARE(1+2)!=9;}' > /tmp/sq$$PPID.c"
        " && cc -I. -o /tmp/sq$$PPID /tmp/sq$$PPID.c && /tmp/sq$$PPID",
        "x * x => ((x) * (x)) | (x * x)",
    ),
    _build(
        "leap", "C", "cc", "leap.h",
        "static int leap(int y) { return y % 4 == 0; }\n",
        "printf '#include \"leap.h\"\\nint main(void){return leap(1900);}' > /tmp/lp$$PPID.c"
        " && cc -I. -o /tmp/lp$$PPID /tmp/lp$$PPID.c && /tmp/lp$$PPID",
        "y % 4 == 0 => y % 4 == 0 && (y % 100 != 0 || y % 400 == 0) | y % 2 == 0",
    ),
)  # fmt: skip
