"""The languages whose definitions are listed, by the names of files."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Parser


PYTHON = "Python"
_SUFFIXES = {
    PYTHON: "py pyi pyw",
    "JavaScript": "js mjs cjs jsx",
    "TypeScript": "ts mts cts",
    "TSX": "tsx",
    "Go": "go",
    "Rust": "rs",
    "Java": "java",
    "C": "c h",
    "C++": "cc cpp cxx c++ hh hpp hxx h++ ipp",
    "C#": "cs csx",
    "Kotlin": "kt kts",
    "PHP": "php phtml",
    "Ruby": "rb rake gemspec ru",
}
# Languages without a parser here: an outline of a folder counts their files, so none is missed
_UNPARSED = {
    "Ada": "adb ads",
    "Clojure": "clj cljs cljc",
    "Crystal": "cr",
    "D": "d",
    "Dart": "dart",
    "Elixir": "ex exs",
    "Elm": "elm",
    "Erlang": "erl hrl",
    "F#": "fs fsi fsx",
    "Fortran": "f90 f95 f03 f08",
    "GDScript": "gd",
    "Groovy": "groovy gradle",
    "Haskell": "hs lhs",
    "Julia": "jl",
    "Lisp": "lisp el scm rkt",
    "Lua": "lua",
    "Nim": "nim",
    "Objective-C": "m mm",
    "OCaml": "ml mli",
    "Pascal": "pas pp dpr",
    "Perl": "pl pm",
    "PowerShell": "ps1 psm1",
    "Protocol Buffers": "proto",
    "R": "r",
    "Scala": "scala sc",
    "Shell": "sh bash zsh fish",
    "Solidity": "sol",
    "SQL": "sql",
    "Svelte": "svelte",
    "Swift": "swift",
    "Verilog": "v sv",
    "VHDL": "vhd vhdl",
    "Visual Basic": "vb",
    "Vue": "vue",
    "Zig": "zig",
}
LANGUAGES = {
    suffix: language for language, suffixes in _SUFFIXES.items() for suffix in suffixes.split()
}
UNPARSED_LANGUAGES = {
    suffix: language for language, suffixes in _UNPARSED.items() for suffix in suffixes.split()
}
_BY_NAME = {"rakefile": "Ruby", "gemfile": "Ruby"}
# What a header has only in C++
_CPP_HEADER = re.compile(
    r"^\s*(?:class|namespace|template|using)\b|^\s*(?:public|private|protected)\s*:", re.MULTILINE
)

INSTALL = 'pip install "maxagent[code]"'


def find_language(name: str, source: str = "") -> str:
    """Find the language of a file by its name, a header's by its content; empty if unknown."""
    language = LANGUAGES.get(suffix := _get_suffix(name), "") or _BY_NAME.get(
        name.rpartition("/")[2].lower(), ""
    )
    if language == "C" and suffix == "h" and _CPP_HEADER.search(source):
        return "C++"
    return language


def find_unparsed_language(name: str) -> str:
    """Find the language of a source file whose definitions cannot be listed; empty if none."""
    return UNPARSED_LANGUAGES.get(_get_suffix(name), "")


def _get_suffix(name: str) -> str:
    stem, dot, suffix = name.rpartition("/")[2].rpartition(".")
    return suffix.lower() if stem and dot else ""


def list_languages() -> list[str]:
    """List the names of the languages."""
    return [*_SUFFIXES]


@lru_cache(maxsize=16)
def load_parser(language: str) -> "Parser | None":
    """Load the parser of a language; None if its grammar is not installed."""
    from tree_sitter import Language, Parser

    try:
        return Parser(Language(_load_grammar(language)))
    except ImportError:
        return None


def _load_grammar(language: str) -> object:
    match language:
        case "C":
            import tree_sitter_c as grammar
        case "C++":
            import tree_sitter_cpp as grammar
        case "C#":
            import tree_sitter_c_sharp as grammar
        case "Go":
            import tree_sitter_go as grammar
        case "Java":
            import tree_sitter_java as grammar
        case "JavaScript":
            import tree_sitter_javascript as grammar
        case "Kotlin":
            import tree_sitter_kotlin as grammar
        case "PHP":
            import tree_sitter_php

            return tree_sitter_php.language_php()
        case "Ruby":
            import tree_sitter_ruby as grammar
        case "Rust":
            import tree_sitter_rust as grammar
        case _:
            import tree_sitter_typescript

            is_tsx = language == "TSX"
            return (
                tree_sitter_typescript.language_tsx()
                if is_tsx
                else tree_sitter_typescript.language_typescript()
            )
    return grammar.language()
