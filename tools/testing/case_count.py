"""Number of test cases in a file of tests, by its text: whether somebody wrote a test at all."""

import re

from .file_names import GO, JAVASCRIPT, PYTHON, RUST, find_language

_CASES = {
    PYTHON: re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]+test", re.MULTILINE),
    # not in a comment of a whole line
    JAVASCRIPT: re.compile(
        r"^(?!\s*(?://|\*)).*?(?<![\w.])(?:it|test)(?:\.\w+)*\s*[(`]", re.MULTILINE
    ),
    GO: re.compile(r"^func[ \t]+(?:Test|Fuzz|Example)\w*\(", re.MULTILINE),
    RUST: re.compile(r"^[ \t]*#\[\s*(?:\w+::)*(?:test|rstest|test_case)\b", re.MULTILINE),
}


def count_test_cases(path: str, content: str) -> int | None:
    """Count the test cases in a file; None if its language is not known."""
    pattern = _CASES.get(find_language(path))
    return None if pattern is None else len(pattern.findall(content))
