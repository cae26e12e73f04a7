"""The languages whose definitions are listed, by the names of files."""

import re

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
}
LANGUAGES = {
    suffix: language for language, suffixes in _SUFFIXES.items() for suffix in suffixes.split()
}
# What a header has only in C++
_CPP_HEADER = re.compile(
    r"^\s*(?:class|namespace|template|using)\b|^\s*(?:public|private|protected)\s*:", re.MULTILINE
)


def find_language(name: str, source: str = "") -> str:
    """Find the language of a file by its name, a header's by its content; empty if unknown."""
    stem, dot, suffix = name.rpartition("/")[2].rpartition(".")
    language = LANGUAGES.get(suffix.lower(), "") if stem and dot else ""
    if language == "C" and suffix.lower() == "h" and _CPP_HEADER.search(source):
        return "C++"
    return language


def list_languages() -> list[str]:
    """List the names of the languages."""
    return [*_SUFFIXES]
