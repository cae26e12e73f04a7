"""Tests of JavaScript: Jest, Vitest, Mocha, or the script `test` of a package.

Programs come from the project's `node_modules`; nothing is downloaded to run a test.
"""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, cast

from ...config.security.executables import find_program
from ...config.text import text
from .command import Framework, TestCommand
from .project_files import ProjectFiles, join

SCRIPT_FRAMEWORKS = ("jest", "vitest", "mocha")
_PLACEHOLDER = "no test specified"
_ASSIGNMENT = re.compile(r"\w+=.*")
# programs that start another program
_COVERAGE = {"c8", "nyc"}
_STARTERS = {"npx", "cross-env", "yarn", "pnpm", "node", *_COVERAGE}
_OPERATORS = re.compile(r"[;&|<>`]|\$\(")
# `-w` is one of Vitest and Mocha; of Jest it is the number of workers, of npm a workspace
_WATCH = re.compile(r"(?<!\S)--(no-)?(watch(?:All)?)(?:(?:=|\s+)(true|false))?(?!\S)")
_SHORT_WATCH = re.compile(r"(?<!\S)-()(w)(?:\s+(true|false))?(?!\S)")
_DEFAULTS = {("vitest", "run"), ("vitest", "--run")}
_CONFIGURATION = {"jest": "jest.config.", "vitest": "vitest.config.", "mocha": ".mocharc."}
_LOCK_FILES = {
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "package-lock.json": "npm",
    "npm-shrinkwrap.json": "npm",
}
ENVIRONMENT = {
    "CI": "1",  # else some of them wait for changes
    "NO_COLOR": "1",
    "npm_config_offline": "true",
    "npm_config_update_notifier": "false",
    "npm_config_logs_max": "0",
    "YARN_ENABLE_NETWORK": "false",
    "COREPACK_ENABLE_NETWORK": "0",
}
# else pnpm downloads the version that package.json names
_PNPM = {"npm_config_manage_package_manager_versions": "false"}
# options that make a framework end whose script lets it wait for changes; Vitest always gets one
_WITHOUT_WATCH: Mapping[str, tuple[str, ...]] = {
    "jest": ("--watch=false", "--watchAll=false"),
    "mocha": ("--no-watch",),
}
_WAITS = (
    "the script `test` of `{file}` waits for changes and never ends; remove `--watch` from it, or "
    "configure `task.test_command`"
)
# most packages of a project that are tested by themselves
MAX_PACKAGES = 16


@dataclass(frozen=True)
class PackageScript:
    """A script that is one command of a framework, or anything else."""

    framework: str
    """`jest`, `vitest`, `mocha`; empty: another program, or several."""
    is_bare: bool
    """Whether it is the framework without options of its own."""
    measured_by: str
    """`c8`, `nyc`: what measures the coverage of the framework's tests; empty: nothing does."""
    waits: bool
    """Whether its options make it wait for changes when the tests have ended."""


def parse_script(script: str) -> PackageScript | None:
    """Return what the script runs; None if it is no test."""
    if not script.strip() or _PLACEHOLDER in script:
        return None
    try:
        words = [] if _OPERATORS.search(script) else shlex.split(script)
    except ValueError:
        words = []
    bare = bool(words) and words[0] in SCRIPT_FRAMEWORKS
    rest = _drop_starters(words)
    name = _get_framework(rest[0]) if rest else ""
    before = words[: len(words) - len(rest)] if name else []
    measured_by = next((word for word in before if word in _COVERAGE), "")
    is_bare = bare and (len(rest) == 1 or tuple(rest) in _DEFAULTS)
    if name == "vitest" and rest[1:2] in (["watch"], ["dev"]):  # no option ends it
        return PackageScript("", False, measured_by, waits=True)
    return PackageScript(name, is_bare, measured_by, _has_watch_option(script, name))


def _has_watch_option(script: str, framework: str) -> bool:
    """Return whether the options tell it to wait for changes; the last of each counts."""
    options = _WATCH.findall(script)
    if framework in ("vitest", "mocha"):
        options += _SHORT_WATCH.findall(script)
    return any({name: (value == "false") == bool(no) for no, name, value in options}.values())


def _drop_starters(words: list[str]) -> list[str]:
    """Leave out variables, and programs that start the next one, with their options."""
    rest = list(words)
    while rest:
        word = rest[0]
        is_option = word.startswith("-") and len(rest) < len(words)
        if not (_ASSIGNMENT.fullmatch(word) or word in _STARTERS or is_option):
            break
        rest.pop(0)
    return rest


def _get_framework(program: str) -> str:
    """Return the framework of a program: its name, or a file of its package."""
    path = PurePosixPath(program)
    if "/" in program and "node_modules" not in path.parts:
        return ""
    stem = path.name.partition(".")[0].removeprefix("_")
    return stem if stem in SCRIPT_FRAMEWORKS else ""


@dataclass(frozen=True)
class _Package:
    """A folder with a package.json."""

    files: ProjectFiles
    folder: str
    manifest: Mapping[str, Any]

    @property
    def scripts(self) -> Mapping[str, Any]:
        return _get_table(self.manifest, "scripts")

    @property
    def manager(self) -> str:
        """The package manager of the nearest lock file; npm without one."""
        for folder in self._list_above():
            for name, manager in _LOCK_FILES.items():
                if self.files.has(join(folder, name)):
                    return manager
        return "npm"

    def find_program(self, name: str) -> str:
        """Return the path of a program in the nearest `node_modules`; empty if it has none."""
        for folder in self._list_above():
            path = self.files.root / folder / "node_modules" / ".bin" / name
            if path.exists():
                return str(path)
        return ""

    @property
    def is_installed(self) -> bool:
        return any(
            (self.files.root / folder / name).exists()
            for folder in self._list_above()
            for name in ("node_modules", ".pnp.cjs")
        )

    @property
    def has_dependencies(self) -> bool:
        return any(_get_table(self.manifest, kind) for kind in _DEPENDENCIES)

    def _list_above(self) -> list[str]:
        parts = self.folder.split("/") if self.folder else []
        return ["/".join(parts[:count]) for count in range(len(parts), -1, -1)]


_DEPENDENCIES = ("dependencies", "devDependencies")


def detect_javascript_tests(files: ProjectFiles) -> list[TestCommand]:
    """Detect the tests of the uppermost package; where it has none, of those below it."""
    all_commands: list[TestCommand] = []
    tested: list[str] = []
    for folder in files.find_packages("package.json"):
        if any(not parent or folder.startswith(f"{parent}/") for parent in tested):
            continue  # the package above runs them
        package = _Package(files, folder, files.read_json(join(folder, "package.json")))
        commands = _detect_package(package)
        tested += [folder] if commands else []
        all_commands += commands
    return all_commands[:MAX_PACKAGES]


def _detect_package(package: _Package) -> list[TestCommand]:
    written = package.scripts.get("test")
    script = parse_script(written) if isinstance(written, str) else None
    if script is None:
        return [
            _build_command(package, framework, found_by)
            for framework, found_by in _find_frameworks(package).items()
        ]
    has_more = any(name in package.scripts for name in ("pretest", "posttest"))
    if script.framework and script.is_bare and not has_more:
        return [_build_command(package, script.framework, "package.json")]
    return [_build_script_command(package, script)]


def _find_frameworks(package: _Package) -> dict[str, str]:
    """Return the frameworks without a script, and the file that names each."""
    names = package.files.folders.get(package.folder, frozenset())
    frameworks: dict[str, str] = {}
    for framework in SCRIPT_FRAMEWORKS:
        prefix = _CONFIGURATION[framework]
        file = next((name for name in sorted(names) if name.startswith(prefix)), "")
        depends = any(framework in _get_table(package.manifest, kind) for kind in _DEPENDENCIES)
        if file or depends or framework in package.manifest:
            frameworks[framework] = file or "package.json"
    return frameworks


def _build_command(package: _Package, framework: str, found_by: str) -> TestCommand:
    program = package.find_program(framework)
    argv, display = (program or framework,), f"node_modules/.bin/{framework}"
    if not program and (package.files.root / package.folder / ".pnp.cjs").exists():
        argv, display = (_find_manager("yarn", package), "run", framework), f"yarn run {framework}"
        program = framework
    how = text("run `{command}`", command=f"{package.manager} install")
    missing = text("`{program}` is not installed; {how}", program=framework, how=how)
    problem = _find_problem(package) or ("" if program else missing)
    return TestCommand(
        argv,
        display,
        cast(Framework, framework),
        problem,
        folder=package.folder,
        found_by=join(package.folder, found_by),
        environment=ENVIRONMENT,
    )


def _build_script_command(package: _Package, script: PackageScript) -> TestCommand:
    """The script as it is, by the package manager; a framework in it writes its report."""
    manager = package.manager
    # npm takes options after `--` for the script's, yarn all of them, pnpm only after `run`
    run = {"npm": ("test", "--silent"), "pnpm": ("run", "test")}.get(manager, ("test",))
    separator = ("--",) if manager == "npm" else ()
    argv = (_find_manager(manager, package), *run)
    found_by = join(package.folder, "package.json")
    problem = _find_problem(package, manager)
    if script.waits and not script.framework:
        problem = text(_WAITS, file=found_by)
    if not problem and package.has_dependencies and not package.is_installed:
        how = text("run `{command}`", command=f"{manager} install")
        problem = text("the packages of `package.json` are not installed; {how}", how=how)
    if script.framework:
        argv += (*separator, *(_WITHOUT_WATCH.get(script.framework, ()) if script.waits else ()))
    return TestCommand(
        argv,
        f"{manager} test",
        cast(Framework, script.framework or "npm"),
        problem,
        folder=package.folder,
        found_by=found_by,
        environment={**ENVIRONMENT, **(_PNPM if manager == "pnpm" else {})},
        measured_by=script.measured_by,
    )


def _find_manager(manager: str, package: _Package) -> str:
    return find_program(manager, outside=(package.files.root,)) or manager


def _find_problem(package: _Package, manager: str = "") -> str:
    """Return why no program of this package can run; empty if it can."""
    for program in ("node", *([manager] if manager else [])):
        if not find_program(program, outside=(package.files.root,)):
            how = text("install Node.js and {manager}", manager=manager or package.manager)
            return text("`{program}` is not installed; {how}", program=program, how=how)
    return ""


def _get_table(table: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = table.get(name)
    return cast(Mapping[str, Any], value) if isinstance(value, dict) else {}
