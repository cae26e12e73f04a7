"""Scripts nobody would write: what they remove depends on which of their parts bash runs."""

import random
from collections.abc import Callable

_INSIDE = ["out", "src", "./build", "a/b", "build/x"]
_OUTSIDE = ["/usr", "..", "/etc", "$HOME", "~", "/", "../..", "/usr/lib"]
_ASSIGNMENTS = """
@v=@w ¦ @v=@w ¦ @v=$@v ¦ @v="$@v/x" ¦ @v=${@v:-@w} ¦ @v=${@v%/*} ¦ export @v=@w ¦ @v=$(echo @w)
: ${@v:=@w} ¦ read @v <<< @w ¦ printf -v @v @w ¦ unset @v ¦ declare @v=@w ¦ @v+=/x
set -- @w @w; @v=$1 ¦ @v=$PWD ¦ a=(@w @w); @v=${a[1]} ¦ @v=${1:-@w} ¦ @v=`echo @w` ¦ @v=$(pwd)
@v=$(cd @w && pwd) ¦ @v=$(dirname @w) ¦ readonly @v=@w ¦ mapfile -t @v <<< @w
@v=$({ @v=@w; echo $@v; }) ¦ local @v=@w ¦ getopts ab @v
"""
_MOVES = """
cd @w ¦ cd $@v ¦ cd "$@v" ¦ cd .. ¦ cd - ¦ cd ¦ pushd @w >/dev/null ¦ popd >/dev/null
cd @w || exit ¦ cd src
"""
_CONDITIONS = """
true ¦ false ¦ [ -d out ] ¦ [ -e nope ] ¦ test -n "$@v" ¦ [ "$@v" = out ] ¦ [[ $@v == /* ]]
grep -q x a.txt ¦ [ $((RANDOM%2)) = 0 ] ¦ (( RANDOM%2 )) ¦ cd @w ¦ ! false ¦ [ -n "$1" ]
{ @a; } ¦ ( @a )
"""
_REMOVALS = """
rm -rf @r ¦ rm -r @r ¦ rm -rf @r @r ¦ rm -rf out ¦ rm -rf x ¦ rm -rf ./* ¦ rm -rf $1
rm -rf "$@" ¦ bash -c 'rm -rf $1' _ @r ¦ export @v; bash -c 'rm -rf $d' ¦ @v=@w rm -rf @r
"""
_VALUES = """
$@v ¦ "$@v" ¦ ${@v} ¦ "$@v"/x ¦ $@v/x ¦ ${@v:-out} ¦ ${@v%/*} ¦ ${@v##*/} ¦ ${@v:?}/x
"${@v-src}" ¦ $@v/../x ¦ ${@v/out/src}
"""
_BLOCKS = """
@c && @s ¦ @c || @s ¦ @c && @s || @s ¦ if @c; then @b; fi ¦ if @c; then @b; else @b; fi
if @c; then @b; elif @c; then @b; fi ¦ for @v in @w @w; do @b; done
while @c; do @b; break; done ¦ until @c; do @b; break; done
for i in 1 2; do @b; [ $i = 1 ] && continue; @s; done
for i in 1 2; do @b; [ $i = 1 ] && break; @s; done ¦ for ((i=0;i<2;i++)); do @b; done
case $@v in out) @b;; /*) @b;; *) @b;; esac ¦ case $RANDOM in *1) @b;& *2) @b;; *) @b;; esac
{ @b; } ¦ ( @b ) ¦ @s | cat ¦ echo @w | { read @v; @b; } ¦ f() { @b; }; f @w
f() { @v=$1; }; @c && f @w ¦ eval "@v=@w" ¦ set -- @w @w; shift; @s ¦ trap '@m' EXIT ¦ ! @s
for @v; do @b; done ¦ ( @s ) & wait ¦ g() { local @v=@w; @b; }; g
h() { @c && return; @b; }; h @w
"""
MAX_DEPTH = 3


def write_script(source: random.Random) -> str:
    """Write a script; a third has no folder outside, so that some are run unasked."""
    writer = _Writer(source, source.choice([0, 0.15, 0.3]))
    parts = [writer.write_part(source.randint(0, MAX_DEPTH)) for _ in range(source.randint(1, 4))]
    return source.choice(["; ", "\n"]).join([*parts, writer.fill(_REMOVALS, 0)])


def _list_forms(forms: str) -> list[str]:
    return [form for line in forms.split("\n") for form in line.split(" ¦ ") if form]


class _Writer:
    """Fills forms: each `@` and a letter stands for a part."""

    def __init__(self, source: random.Random, outside: float) -> None:
        self._source = source
        self._outside = outside

    def write_part(self, depth: int) -> str:
        chance = self._source.random()
        if depth == 0 or chance < 0.3:
            return self.fill(_ASSIGNMENTS, depth)
        form = _MOVES if chance < 0.4 else _REMOVALS if chance < 0.48 else _BLOCKS
        return self.fill(form, depth - 1)

    def fill(self, forms: str, depth: int) -> str:
        """Fill one of the forms."""
        first, *parts = self._source.choice(_list_forms(forms)).split("@")
        return first + "".join(self._fill_part(part, depth) for part in parts)

    def _fill_part(self, part: str, depth: int) -> str:
        below = max(depth, 0)
        kinds: dict[str, Callable[[], str]] = {
            "v": lambda: self._source.choice("dde"),
            "w": self._choose_folder,
            "r": lambda: self.fill(_VALUES, 0),
            "a": lambda: self.fill(_ASSIGNMENTS, 0),
            "c": lambda: self.fill(_CONDITIONS, 0),
            "m": lambda: self.fill(_REMOVALS, 0),
            "s": lambda: self.write_part(below),
            "b": lambda: "; ".join(
                self.write_part(below) for _ in range(self._source.randint(1, 2))
            ),
        }
        return kinds[part[0]]() + part[1:] if part[:1] in kinds else f"@{part}"

    def _choose_folder(self) -> str:
        is_outside = self._source.random() < self._outside
        return self._source.choice(_OUTSIDE if is_outside else _INSIDE)
