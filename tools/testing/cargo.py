"""Tests of Rust: `cargo test` in each package or workspace."""

from ...config.security.executables import find_program
from ...config.text import text
from .command import TestCommand
from .project_files import ProjectFiles, join

_INSTALL = text("install Rust from your system's packages or https://rustup.rs")
# nothing is downloaded to run a test
_OFFLINE = {"CARGO_NET_OFFLINE": "true", "CARGO_TERM_COLOR": "never", "RUSTUP_AUTO_INSTALL": "0"}


def detect_cargo_tests(files: ProjectFiles) -> list[TestCommand]:
    """Detect the packages; those of a workspace are tested by it."""
    commands: list[TestCommand] = []
    workspaces: list[str] = []
    for folder in files.find_packages("Cargo.toml"):
        if any(not workspace or folder.startswith(f"{workspace}/") for workspace in workspaces):
            continue
        is_workspace = "workspace" in files.read_toml(join(folder, "Cargo.toml"))
        workspaces += [folder] if is_workspace else []
        commands.append(_build_command(files, folder, is_workspace=is_workspace))
    return commands


def _build_command(files: ProjectFiles, folder: str, *, is_workspace: bool) -> TestCommand:
    cargo = find_program("cargo", outside=(files.root,))
    problem = (
        "" if cargo else text("`{program}` is not installed; {how}", program="cargo", how=_INSTALL)
    )
    # without the last one, cargo stops at the first program of tests that is red
    options = (*(["--workspace"] if is_workspace else []), "--no-fail-fast")
    return TestCommand(
        (cargo or "cargo", "test", *options),
        " ".join(("cargo test", *options)),
        "cargo",
        problem,
        folder=folder,
        found_by=join(folder, "Cargo.toml"),
        environment=_OFFLINE,
    )
