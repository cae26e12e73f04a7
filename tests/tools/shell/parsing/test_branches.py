"""Values and folders after commands of which not all run, judged by bash."""

import os
import subprocess
from pathlib import Path

import pytest

from maxagent.tools.shell.analyzer import analyze_command
from maxagent.tools.shell.parsing.command_line import CommandLine
from maxagent.tools.shell.parsing.shell_state import ShellState
from maxagent.tools.workspace import Workspace

BRANCHES = {
    "if and else": ("if [ -d out ]; then d=a; else d=b; fi", {"a", "b"}),
    "if alone": ("d=a; if [ -d out ]; then d=b; fi", {"a", "b"}),
    "three of if": ("if x; then d=a; elif y; then d=b; else d=c; fi", {"a", "b", "c"}),
    "if and nothing before": ("if x; then d=a; fi", None),
    "if that ends": ("d=a; if x; then d=b; exit 1; fi", {"a"}),
    "case with any": ("case $(uname) in Darwin) d=a;; *) d=b;; esac", {"a", "b"}),
    "case without any": ("d=a; case $(uname) in Darwin) d=b;; esac", {"a", "b"}),
    "and": ("d=a; [ -d out ] && d=b", {"a", "b"}),
    "or": ("d=a; [ -d out ] || d=b", {"a", "b"}),
    "and, or": ("[ -d out ] && d=a || d=b", {"a", "b"}),
    "and that ends": ("d=a; [ -d out ] && { d=b; exit; }", {"a"}),
    "or that ends": ("d=a; [ -d out ] || exit 1", {"a"}),
    "while": ("d=a; while x; do d=b; done", {"a", "b"}),
    "until": ("d=a; until x; do d=b; done", {"a", "b"}),
    "for": ("d=a; for x in 1 2; do d=b; done", {"a", "b"}),
    "for of numbers": ("d=a; for ((i=0; i<n; i++)); do d=b; done", {"a", "b"}),
    "loop variable": ("for d in a b; do :; done", {"a", "b"}),
    "both sides": ("d=a && [ -d out ] && d=b && x", {"a", "b"}),
    "subshell": ("d=a; (d=b)", {"a"}),
    "assigned for sure": ("if x; then d=a; fi; d=b", {"b"}),
    "default of an empty value": ("e=; d=${e:-b}", {"b"}),
    "default of a set value": ("e=a; d=${e:-b}", {"a"}),
    "default of an unset one": ("d=${never_set_by_anybody:-b}", {"b"}),
    "break": ("d=a; for x in 1; do if y; then d=b; break; fi; done", {"a", "b"}),
    "break of a list": ("d=a; for x in 1; do y && { d=b; break; }; done", {"a", "b"}),
    "continue": ("d=a; for x in 1; do y && { d=b; continue; }; d=a; done", {"a", "b"}),
    "second round": ("d=a; e=a; for x in 1 2; do d=$e; e=b; done", {"a", "b"}),
    "return that ends nothing": ("d=a; if x; then d=b; return 0; fi", {"a", "b"}),
    "exit that ends nothing": ("d=a; if x; then d=b; exit 1 2; fi", {"a", "b"}),
    "item that falls through": (
        "d=a; e=a; case $u in Darwin) d=b;;& *) e=$d;; esac; d=$e",
        {"a", "b"},
    ),
    "condition of elif": ("d=a; if y; then :; elif d=b; x; then :; fi", {"a", "b"}),
    "unset": ("d=a; [ -d out ] && unset d", {"a", ""}),
    "array": ("d=(a); [ -d out ] && d=(b)", {"a", "b"}),
    "last item that ends": ("case $u in Linux) d=a;; Darwin) d=b;; *) exit 1;; esac", {"a", "b"}),
    "instead of a set value": ("e=a; d=${e:+b}", {"b"}),
    "instead of an unknown one": ("d=${never_set_by_anybody:+b}", {"", "b"}),
}


def find_words(line: str, root: Path) -> list[tuple[str, bool]]:
    steps = CommandLine(line, ShellState(root, root)).steps
    matching = [step for step in steps if step.program == "show"]
    return [(word.text, word.known) for step in matching for word in step.words[1:]]


@pytest.mark.parametrize("name", BRANCHES)
def test_each_possible_value_is_a_word(name: str, tmp_path: Path) -> None:
    line, values = BRANCHES[name]
    results = find_words(f'{line}; show "$d"', tmp_path)
    if values is None:
        assert not all(known for _, known in results)
    else:
        assert {text for text, _ in results} == values


@pytest.mark.parametrize("name", BRANCHES)
def test_what_bash_prints_was_expected(name: str, tmp_path: Path) -> None:
    line, values = BRANCHES[name]
    tests = "x() { return $x; }; y() { return $y; }; uname() { echo $u; }"
    for x, y, n, u, out in [(1, 1, 0, "Linux", False), (0, 0, 0, "Darwin", True)]:
        (tmp_path / "out").mkdir(exist_ok=True) if out else None
        counted = line.replace("while x", "for z in 1").replace("until x", "for z in")
        script = f'{tests}; x={x}; y={y}; n={n}; u={u}; {counted}; echo "$d"'
        ended = subprocess.run(
            ["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        printed = ended.stdout.removesuffix("\n")
        if values is not None and ended.stdout:
            assert printed in values


@pytest.mark.parametrize(
    ("line", "texts"),
    [
        ("for d in a b; do show x/$d/y; done", {"x/a/y", "x/b/y"}),
        ("d=a; [ -d o ] && d=b; show /$d", {"/a", "/b"}),
        ("d=; [ -d o ] && d=b; show $d/usr", {"/usr", "b/usr"}),
        ("d=a; e=c; x && d=b; y && e=d; show $d$e", {"ac", "ad", "bc", "bd"}),
        ('set -- a b; show x"$@"y', {"xa", "by"}),
        ("l=(a b); show ${l[0]}/y", {"a/y"}),
    ],
)
def test_each_value_has_what_stands_around(line: str, texts: set[str], tmp_path: Path) -> None:
    assert texts <= {text for text, _ in find_words(line, tmp_path)}


@pytest.mark.parametrize(
    "line",
    [
        "IFS=:; d=a:b; show $d",
        "IFS=$'\\n'; d=a; show x$d",
        "IFS=:; show ${d:-a:b}",
        "for d in {1..99}; do show x$d; done",
    ],
)
def test_word_that_may_be_anything_is_unknown(line: str, tmp_path: Path) -> None:
    assert not all(known for _, known in find_words(line, tmp_path))


@pytest.mark.parametrize(
    ("line", "folders"),
    [
        ("if x; then cd a; else cd b; fi; show", {"a", "b"}),
        ("[ -f x ] && cd a; show", {"", "a"}),
        ("cd a && show", {"a"}),
        ("cd none || exit 1; show", {"none"}),
        ("cd none || echo exit; show", {"none", ""}),
        ("cd none; ls && show", {"none", ""}),
        ("case $1 in a) cd a;; b) cd b;; esac; show", {"", "a", "b"}),
        ("if x; then cd none; else cd a; fi; show", {"", "a", "none"}),
        ("[ -f x ] && cd a; cd ../b; show", {"", "b", "../b"}),
        ("for d in 1 2; do cd a; make; cd ..; done; show", {""}),
    ],
)
def test_each_possible_folder_is_known(line: str, folders: set[str | None], tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    steps = CommandLine(line, ShellState(tmp_path, tmp_path)).steps
    matching = [step for step in steps if step.program == "show"]
    possible = {step.folder for step in matching} | {
        step.left_in for step in matching if step.left_in
    }
    assert possible == {
        None if name is None else Path(os.path.normpath(tmp_path / name)) for name in folders
    }


@pytest.mark.parametrize(
    "line",
    [
        "if x; then a; else b; fi",
        "if x; then a; elif y; then b; fi",
        "if x; then a; fi",
        "case x in a) b;; esac",
        "for i in 1 2; do b; done",
        "x && b || c",
        "{ a; b; }",
    ],
)
def test_output_of_a_whole_construct_goes_to_its_file(line: str, tmp_path: Path) -> None:
    steps = CommandLine(f"{line} > out.txt", ShellState(tmp_path, tmp_path)).steps
    assert "out.txt" in {redirect.target.text for step in steps for redirect in step.redirects}


VALUES = [
    ("p=ls; [ -d o ] && p=rm; $p -rf /usr", "rm"),
    ("c=ls; [ -d o ] && c='rm -rf /usr'; bash -c \"$c\"", "rm"),
    ("c=ls; [ -d o ] && c='rm -rf /usr'; echo \"$c\" | bash", "rm"),
    ("c=echo; [ -d o ] && c=eval; $c 'rm -rf /usr'", "rm"),
    ('a=(ls); [ -d o ] && a=(rm -rf /usr); "${a[@]}"', "rm"),
    ("for c in ls 'rm -rf /usr'; do sh -c \"$c\"; done", "rm"),
]


@pytest.mark.parametrize(("line", "program"), VALUES)
def test_each_program_that_may_run_is_found(line: str, program: str, tmp_path: Path) -> None:
    steps = CommandLine(line, ShellState(tmp_path, tmp_path)).steps
    assert ("/usr",) in {
        tuple(word.text for word in step.words[2:]) for step in steps if step.program == program
    }


@pytest.mark.parametrize("depth", [4, 6, 10])
def test_line_with_too_many_ways_is_doubtful(depth: int, tmp_path: Path) -> None:
    loops = "".join(f"for v{number} in a b c d; do " for number in range(depth))
    line = CommandLine(f"{loops}x $v0{'; done' * depth}", ShellState(tmp_path, tmp_path))
    assert line.doubt == "too many commands may run in too many ways"


# bash removes the project or more
REMOVALS = """\
while read d; do :; done <<< build; rm -rf ./$d
while read -r d; do echo "$d" > /dev/null; done <<< a; rm -rf ./"$d"
while IFS= read -r d; do true; done < list; rm -rf ./$d
until ! read d; do :; done <<< build; rm -rf ./$d
d=build; while read d; do :; done < list; rm -rf ./$d
for f in a b; do while read d; do :; done <<< x; rm -rf ./$d; done
read d < /dev/null || rm -rf ./$d
if ! read d < /dev/null; then rm -rf ./$d; fi
cd missing 2> /dev/null; rm -rf $PWD
cd missing 2> /dev/null || true; rm -rf "$PWD"
cd missing 2> /dev/null; d=$PWD; rm -rf $d
cd missing 2> /dev/null; rm -rf "$(pwd)"
(cd missing 2> /dev/null; rm -rf ~+)
d=build; eval "$(cat sets.sh)"; rm -rf $d
d=build; source ./sets.sh; rm -rf $d
d=build; . ./sets.sh; rm -rf $d
if true; then eval "$(cat sets.sh)"; fi; rm -rf $d
true && eval d=.; rm -rf $d
f() { eval "d=."; }; f; rm -rf $d
""".splitlines()
# bash removes a folder of the project
FOLDERS = """\
while read x; do rm -rf "build/$x"; done <<< a
while read x; do echo "$x"; done < list; rm -rf build
while IFS= read -r d; do true; done <<< build; rm -rf "src/$d"
read d <<< build && rm -rf $d
d=build; eval "e=1"; rm -rf $d
cd src && rm -rf $PWD
mkdir -p new; cd new; rm -rf $PWD
d=build; source .venv/bin/activate; rm -rf $d
cd missing 2> /dev/null; ls $PWD
""".splitlines()


def run_removal(line: str, root: Path) -> set[Path]:
    """Return what bash would remove."""
    (root / "src").mkdir(parents=True)
    (root / "list").write_text("build\n")
    (root / "sets.sh").write_text("d=.\n")
    command = line.replace("rm -rf", "realpath -m")
    printed = subprocess.run(["bash", "-c", command], cwd=root, capture_output=True, check=False)
    return {Path(name) for name in printed.stdout.decode().split("\n") if name.startswith("/")}


@pytest.mark.parametrize("line", REMOVALS)
def test_unknown_or_empty_names_are_no_folder(line: str, tmp_path: Path) -> None:
    root = tmp_path / "project"
    assert root in run_removal(line, root)
    assert analyze_command(line, ".", Workspace(root)).verdict in ("ask", "deny")


@pytest.mark.parametrize("line", FOLDERS)
def test_known_names_are_no_question(line: str, tmp_path: Path) -> None:
    root = tmp_path / "project"
    assert root not in run_removal(line, root)
    assert analyze_command(line, ".", Workspace(root)).verdict in ("allow", None)
