import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maxagent.tools.shell.parsing.flags import NotReadOnlyError
from maxagent.tools.shell.readonly.path_scope import PathScope
from maxagent.tools.shell.readonly.special_programs import check_awk, is_print_only
from maxagent.tools.workspace import Workspace

PRINTS = [
    "{print $1}",
    "{print $2, $NF}",
    "NR>=1 && NR<=3",
    "NR > 1 {print $2}",
    '/def /{print FILENAME":"FNR": "$0}',
    "/a/,/b/",
    "!/^#/ && !seen[$0]++",
    "{s += $1} END {print s / 2}".replace(" / 2", ""),
    'BEGIN {FS = ","; OFS = "\\t"} {print $1, $3}',
    "{if ($1 > 5) print $2; else print $1}",
    "length($0) > 80",
    '{gsub(/[ \\t]+/, " "); print}',
    '{printf "%-10s %d\\n", $1, $2}',
    "{count[$1]++} END {for (k in count) print count[k], k}",
    '$1 ~ /^x/ {print substr($0, 1, 10); next}\n{print "other"}',
    "{print $(NF-1)}",
    "END{print NR}",
    "/^[[:space:]]*[^a-z]$/",
]
DOES_MORE = [
    "",
    'BEGIN{system("x")}',
    'BEGIN{"x" | getline}',
    '{print | "x"}',
    '{print > "x"}',
    '{print >> "x"}',
    "{print $1 > $2}",
    '{if (1) print > "x"}',
    '{if (1) {print $1 > "x"}}',
    '{print (1) > "x"}',
    '{print($1) > "x"}',
    "{getline; print}",
    '{getline a < "x"; print a}',
    '{print ENVIRON["x"]}',
    "BEGIN{while(1){}}",
    '@load "x"',
    '@include "x"',
    "function f(){}",
    '{print 1/system("x")/2}',
    '{a = $1 /system("x")/ 2}',
    '/[/]system("x")[/]/',
    "{close(x)}",
    '{f = "system"; @f("x")}',
    '{print "a\n"}',
    "{print $1",
    "# system",
    '{print "x" |& "y"}',
    'BEGIN{ARGV[1]="x"}',
    '/[^]/ || "echo ]/ {print | cat } #"',
    '/[]/ || "echo ]/ {print | cat } #"',
    '/[[:alpha:]/ || "echo ]/ {print | cat } #"',
    "/[\\[:alpha:]/",
]


@pytest.fixture
def scope(tmp_path: Path) -> PathScope:
    (tmp_path / "data").write_text("a b\n")
    (tmp_path / ".env").touch()
    return PathScope(tmp_path, Workspace(tmp_path))


@pytest.mark.parametrize("program", PRINTS)
def test_a_program_that_only_prints_is_known(program: str) -> None:
    assert is_print_only(program)


@pytest.mark.parametrize("program", DOES_MORE)
def test_any_other_is_not(program: str) -> None:
    assert not is_print_only(program)


def test_files_and_settings_are_looked_at(scope: PathScope) -> None:
    for line in ("'{print $1}' data", "-F, -v n=3 'NR == n' data", "-F ':' '{print}' FS=, data -"):
        check_awk(shlex.split(line), scope)
    for line in ("1 .env", "1 ../x", "-f x data", "-v ENVIRON=1 1", "1 A/b=c", "-i x 1", ""):
        with pytest.raises(NotReadOnlyError):
            check_awk(shlex.split(line), scope)


_PIECES = ["{", "}", "(", ")", "/", ">", "|", "[", "]", "~", "!", "=", ",", ";", "\n", " ", "a"]
_PIECES += ['"x"', '"', "print", "system", 'system("x")', "getline", "if", "1", "$1", "BEGIN"]


@given(st.lists(st.sampled_from(_PIECES), min_size=1, max_size=9))
@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_real_awk_only_prints_for_accepted_programs(tmp_path: Path, parts: list[str]) -> None:
    program = "BEGIN {" + "".join(parts) + "}"
    if not is_print_only(program):
        return
    runs = tmp_path / "bin" / "x"
    if not runs.exists():
        runs.parent.mkdir()
        runs.write_text(f"#!/bin/sh\n: > {tmp_path}/ran\n")
        runs.chmod(0o755)
    awk = shutil.which("awk") or "awk"
    path = {"PATH": f"{runs.parent}:/bin"}
    subprocess.run([awk, program], cwd=tmp_path, env=path, stdin=subprocess.DEVNULL, timeout=60)
    assert [entry.name for entry in tmp_path.iterdir()] == ["bin"]


def test_awk_itself_writes_nothing_for_them(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a 9\nb 2\n")
    for program in PRINTS:
        done = subprocess.run(["awk", program, "data"], cwd=tmp_path, capture_output=True)
        assert (done.returncode, done.stderr) == (0, b""), program
    assert [path.name for path in tmp_path.iterdir()] == ["data"]
