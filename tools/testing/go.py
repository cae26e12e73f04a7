"""Tests of Go: `go test` in each module."""

from ...config.security.executables import find_program
from ...config.text import text
from .command import TestCommand
from .file_names import is_test_file
from .project_files import ProjectFiles, join

# nothing is downloaded to run a test: neither modules nor another version of Go
_OFFLINE = {"GOPROXY": "off", "GOTOOLCHAIN": "local"}


def detect_go_tests(files: ProjectFiles) -> list[TestCommand]:
    """Detect the modules that have tests."""
    modules = files.find_packages("go.mod")
    tests = [path for path in files.iter_paths(".go") if is_test_file(path)]
    return [_build_command(files, module) for module in modules if _has_tests(module, tests)]


def _has_tests(module: str, tests: list[str]) -> bool:
    return any(not module or path.startswith(f"{module}/") for path in tests)


def _build_command(files: ProjectFiles, module: str) -> TestCommand:
    go = find_program("go", outside=(files.root,))
    problem = "" if go else text("`{program}` is not installed; {how}", program="go", how=_INSTALL)
    return TestCommand(
        (go or "go", "test", "-json", "./..."),
        "go test ./...",
        "go",
        problem,
        folder=module,
        found_by=join(module, "go.mod"),
        environment=_OFFLINE,
    )


_INSTALL = text("install Go from your system's packages or https://go.dev")
