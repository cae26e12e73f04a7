"""Test files and the languages of files, by their names."""

from collections.abc import Callable, Mapping
from pathlib import PurePosixPath

PYTHON, JAVASCRIPT, GO, RUST = "Python", "JavaScript", "Go", "Rust"
_LANGUAGES = {
    PYTHON: "py pyi pyx",
    JAVASCRIPT: "js jsx mjs cjs ts tsx mts cts vue svelte astro snap",
    GO: "go",
    RUST: "rs",
}
_OF_SUFFIX = {
    f".{suffix}": language for language, each in _LANGUAGES.items() for suffix in each.split()
}
# names that belong to one language although their suffix does not
_OF_NAME = {
    "package.json": JAVASCRIPT,
    "package-lock.json": JAVASCRIPT,
    "pnpm-lock.yaml": JAVASCRIPT,
    "yarn.lock": JAVASCRIPT,
    "tsconfig.json": JAVASCRIPT,
    "pyproject.toml": PYTHON,
    "setup.cfg": PYTHON,
    "tox.ini": PYTHON,
    "pytest.ini": PYTHON,
    "go.mod": GO,
    "go.sum": GO,
    "go.work": GO,
    "Cargo.toml": RUST,
    "Cargo.lock": RUST,
}
_TEST_FOLDERS = frozenset(["test", "tests"])
_SUPPORT_FOLDERS = _TEST_FOLDERS | {"__tests__", "__snapshots__", "testdata"}
_SCRIPT_FOLDERS = _TEST_FOLDERS | {"__tests__", "spec", "specs"}


def find_language(path: str) -> str:
    """Return the language of a file, by its name; empty if it belongs to none."""
    name = PurePosixPath(path)
    return _OF_NAME.get(name.name) or _OF_SUFFIX.get(name.suffix, "")


def is_test_file(path: str) -> bool:
    """Return whether a file holds tests, by its path in the project."""
    name = PurePosixPath(path)
    decide = _DECIDERS.get(_OF_SUFFIX.get(name.suffix, ""))
    return decide is not None and decide(name)


def belongs_to_tests(path: str) -> bool:
    """Return whether a file holds tests, or what they need: it is in a folder of tests."""
    return is_test_file(path) or bool(_SUPPORT_FOLDERS & {*PurePosixPath(path).parts[:-1]})


def _is_python_test(path: PurePosixPath) -> bool:
    """As pytest finds them."""
    return (
        path.name.startswith("test_")
        or path.name.endswith("_test.py")
        or path.parent.name in _TEST_FOLDERS
    )


def _is_script_test(path: PurePosixPath) -> bool:
    """`a.test.js`, `a.spec.ts`, `test.js`, and all in a folder for tests."""
    name_parts = path.name.split(".")[:-1]
    return bool({"test", "spec"} & {*name_parts}) or bool(_SCRIPT_FOLDERS & {*path.parts[:-1]})


def _is_go_test(path: PurePosixPath) -> bool:
    return path.name.endswith("_test.go")


def _is_rust_test(path: PurePosixPath) -> bool:
    """Unit tests are in the source itself, so only separate test files have such a name."""
    return "tests" in path.parts[:-1] or path.name in ("tests.rs", "test.rs")


_DECIDERS: Mapping[str, Callable[[PurePosixPath], bool]] = {
    PYTHON: _is_python_test,
    JAVASCRIPT: _is_script_test,
    GO: _is_go_test,
    RUST: _is_rust_test,
}
