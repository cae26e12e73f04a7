"""The grammars of the extra `code`, each loaded when a file first needs it."""

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Parser

INSTALL = 'pip install "maxagent[code]"'


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
