"""Tests of Rust, of Go and of a Makefile: `cargo test`, `go test`, the target `test`."""

from ...config.security.executables import find_program
from ...config.text import text
from .command import TestCommand
from .file_names import is_test_file
from .project_files import MAKEFILES, ProjectFiles, join

_INSTALL_RUST = text("install Rust from your system's packages or https://rustup.rs")
# nothing is downloaded to run a test
_OFFLINE_CARGO = {
    "CARGO_NET_OFFLINE": "true",
    "CARGO_TERM_COLOR": "never",
    "RUSTUP_AUTO_INSTALL": "0",
}
# nothing is downloaded to run a test: neither modules nor another version of Go
_OFFLINE_GO = {"GOPROXY": "off", "GOTOOLCHAIN": "local"}
_INSTALL_GO = text("install Go from your system's packages or https://go.dev")
_INSTALL_MAKE = text("install make from your system's packages")


def detect_cargo_tests(files: ProjectFiles) -> list[TestCommand]:
    """Detect the packages; those of a workspace are tested by it."""
    commands: list[TestCommand] = []
    workspaces: list[str] = []
    for folder in files.find_packages("Cargo.toml"):
        if any(not workspace or folder.startswith(f"{workspace}/") for workspace in workspaces):
            continue
        is_workspace = "workspace" in files.read_toml(join(folder, "Cargo.toml"))
        workspaces += [folder] if is_workspace else []
        commands.append(_build_cargo_command(files, folder, is_workspace=is_workspace))
    return commands


def _build_cargo_command(files: ProjectFiles, folder: str, *, is_workspace: bool) -> TestCommand:
    cargo, problem = _find_tool(files, "cargo", _INSTALL_RUST)
    # without the last one, cargo stops at the first program of tests that is red
    options = (*(["--workspace"] if is_workspace else []), "--no-fail-fast")
    return TestCommand(
        (cargo, "test", *options),
        " ".join(("cargo test", *options)),
        "cargo",
        problem,
        folder=folder,
        found_by=join(folder, "Cargo.toml"),
        environment=_OFFLINE_CARGO,
    )


def detect_go_tests(files: ProjectFiles) -> list[TestCommand]:
    """Detect the modules that have tests."""
    modules = files.find_packages("go.mod")
    tests = [path for path in files.iter_paths(".go") if is_test_file(path)]
    return [_build_go_command(files, module) for module in modules if _has_tests(module, tests)]


def _has_tests(module: str, tests: list[str]) -> bool:
    return any(not module or path.startswith(f"{module}/") for path in tests)


def _build_go_command(files: ProjectFiles, module: str) -> TestCommand:
    go, problem = _find_tool(files, "go", _INSTALL_GO)
    return TestCommand(
        (go, "test", "-json", "./..."),
        "go test ./...",
        "go",
        problem,
        folder=module,
        found_by=join(module, "go.mod"),
        environment=_OFFLINE_GO,
    )


def detect_make_tests(files: ProjectFiles) -> list[TestCommand]:
    """Detect the target `test`."""
    uppermost = files.folders.get("", frozenset())
    name = next((name for name in MAKEFILES if name in uppermost), "")
    if not name or not _has_target(files.read_text(name), "test"):
        return []
    make, problem = _find_tool(files, "make", _INSTALL_MAKE)
    return [TestCommand((make, "test"), "make test", "make", problem, found_by=name)]


def _has_target(makefile: str, name: str) -> bool:
    """Return whether a rule of a Makefile has the target: it stands before the first `:`."""
    for line in makefile.splitlines():
        targets, colon, rest = line.partition(":")
        is_variable = "=" in targets or rest.lstrip(":").startswith("=")
        if colon and not is_variable and line[0] not in "\t#" and name in targets.split():
            return True
    return False


def _find_tool(files: ProjectFiles, name: str, how: str) -> tuple[str, str]:
    """Find the program outside the project; return it, and what is wrong where there is none."""
    if program := find_program(name, outside=(files.root,)):
        return program, ""
    return name, text("`{program}` is not installed; {how}", program=name, how=how)
