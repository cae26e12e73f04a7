"""The harmless flags of each command for which "always" offers a rule on the first words.

A command that is left out gets a rule on the exact line. What runs a program, loads code or a
configuration, writes files that the command does not write by itself, rewrites history, skips hooks
or works on another project stays out: it is asked.
"""

from collections.abc import Mapping
from typing import Literal

Arguments = Literal["paths", "words", "none"]
# Flags as in `harmless_flags.py`, what other words may be, and the same for words after `--`
Row = tuple[str, Arguments, tuple[str, Arguments] | None]

_CARGO = (
    "--all,--workspace -p,--package=name --exclude=name --lib --bin=name --bins --example=name"
    " --examples --test=name --tests --bench=name --benches --all-targets -r,--release"
    " --profile=name -F,--features=name --all-features --no-default-features --locked --offline"
    " --frozen -v,--verbose -q,--quiet --color=auto|always|never -j,--jobs=name --keep-going"
    " --message-format=human|short|json"
)
_LIBTEST = (
    "--nocapture --no-capture --show-output --test-threads=name --ignored --include-ignored --exact"
    " --skip=name --list -q,--quiet --color=auto|always|never"
)
_LINTS = "-D,-W,-A,-F=name"
_DOTNET = (
    "-c,--configuration=name -f,--framework=name --no-restore --no-dependencies --nologo"
    " -v,--verbosity=q|m|n|d|diag|quiet|minimal|normal|detailed|diagnostic --no-incremental"
)
_GO = (
    "-v -x -n -a -race -msan -asan -cover -covermode=name -p=name -tags=name -trimpath"
    " -mod=readonly|vendor -json -buildvcs=name"
)
_GO_TEST = (
    f"{_GO} -short -count=name -run=any -skip=any -bench=any -benchtime=name -benchmem"
    " -timeout=name -parallel=name -failfast -cpu=name -list=any -shuffle=name"
)
_SCRIPT_TAIL = (
    "--watch --watchAll=[true|false] --coverage --verbose --silent -i,--runInBand --bail=[name]"
    " --ci --run --passWithNoTests --no-color --color -t,--testNamePattern=any"
    " --testPathPattern=name -g,--grep=any --grep=any --quiet"
)
# npm reads short flags before `--` itself: `-g` is the whole machine
_NPM = (
    "-s,--silent --if-present --watch --coverage --verbose --runInBand --ci --run"
    " --passWithNoTests --no-color --color"
)
_PACKAGE = f"-s,--silent --if-present {_SCRIPT_TAIL}"
_PYTEST = (
    "-x,--exitfirst -q,--quiet -v,--verbose -s -l,--showlocals --no-showlocals --lf,--last-failed"
    " --ff,--failed-first --nf,--new-first --sw,--stepwise --stepwise-skip --maxfail=name -k=any"
    " -m=any --tb=auto|long|short|line|native|no -n,--numprocesses=name --dist=name"
    " --durations=name --durations-min=name --co,--collect-only --no-header --no-summary -r=name"
    " --cov=[path] --cov-report=term|term-missing|term-missing:skip-covered --cov-branch --no-cov"
    " --cov-append --cov-fail-under=name --color=yes|no|auto --disable-warnings,--no-warnings"
    " --capture=fd|sys|no|tee-sys --strict-markers --strict-config --strict --timeout=name"
    " --asyncio-mode=auto|strict --ignore=path --deselect=path --reruns=name --runxfail"
    " --setup-show --fixtures --markers --doctest-modules --full-trace --random-order -h,--help"
    " --version"
)
_UNITTEST = (
    "-v,--verbose -q,--quiet -f,--failfast -b,--buffer -c,--catch -k=any --locals"
    " -s,--start-directory=path -p,--pattern=name -t,--top-level-directory=path --durations=name"
)
_TESTS = (_SCRIPT_TAIL, "paths")
_FLAGS_ONLY = (_SCRIPT_TAIL, "none")

COMMANDS: Mapping[str, Row] = {
    **dict.fromkeys(["cargo build", "cargo check"], (_CARGO, "none", None)),
    "cargo clippy": (f"{_CARGO} --no-deps", "none", (_LINTS, "none")),
    "cargo fmt --check": ("--all -v,--verbose -q,--quiet -p,--package=name", "none", None),
    "cargo fmt": ("--all --check -v,--verbose -q,--quiet -p,--package=name", "none", None),
    "cargo test": (f"{_CARGO} --no-run --no-fail-fast --doc", "words", (_LIBTEST, "words")),
    "dotnet build": (_DOTNET, "paths", None),
    "dotnet test": (
        f"{_DOTNET} --no-build --filter=any -t,--list-tests -l,--logger=console",
        "paths",
        None,
    ),
    "git add": (
        "-A,--all --no-all --ignore-removal -u,--update -v,--verbose -n,--dry-run"
        " -N,--intent-to-add",
        "paths",
        None,
    ),
    "git commit": (
        "-m,--message=any -a,--all -q,--quiet -v,--verbose -s,--signoff --dry-run --short"
        " --allow-empty",
        "paths",
        None,
    ),
    "go build": (_GO, "paths", None),
    "go fmt": ("-n -x -mod=readonly|vendor", "paths", None),
    "go test": (_GO_TEST, "paths", None),
    "go vet": ("-v -x -n -c=name -json -tags=name -mod=readonly|vendor", "paths", None),
    "npm test": (_NPM, "paths", _TESTS),
    "npm run *": (_NPM, "none", _FLAGS_ONLY),
    **{f"{program} test": (_PACKAGE, "paths", _TESTS) for program in ("pnpm", "yarn")},
    **{f"{program} run *": (_PACKAGE, "none", _FLAGS_ONLY) for program in ("pnpm", "yarn")},
    **dict.fromkeys(["python -m pytest", "python3 -m pytest", "pytest"], (_PYTEST, "paths", None)),
    **dict.fromkeys(["python -m unittest", "python3 -m unittest"], (_UNITTEST, "paths", None)),
    "eslint": (
        "--quiet --max-warnings=name --ext=any --no-color --color --cache --stats"
        " --no-error-on-unmatched-pattern --ignore-pattern=any --no-inline-config"
        " --report-unused-disable-directives --no-warn-ignored --debug"
        " -f,--format=stylish|json|html|json-with-metadata|compact|unix",
        "paths",
        None,
    ),
    "mypy": (
        "--strict --ignore-missing-imports --show-error-codes --hide-error-codes"
        " --show-error-context --show-column-numbers --show-traceback --pretty --no-pretty"
        " --no-error-summary --check-untyped-defs --disallow-untyped-defs"
        " --disallow-incomplete-defs --disallow-untyped-calls --disallow-any-generics"
        " --disallow-any-explicit --disallow-subclassing-any --disallow-untyped-decorators"
        " --warn-unused-ignores --warn-redundant-casts --warn-return-any --warn-unreachable"
        " --warn-unused-configs --no-implicit-optional --implicit-optional --strict-equality"
        " --no-implicit-reexport --strict-optional --no-strict-optional --python-version=name"
        " --platform=name --namespace-packages --explicit-package-bases"
        " --follow-imports=normal|silent|skip|error --exclude=any --incremental --no-incremental"
        " --enable-error-code=name --disable-error-code=name --non-interactive"
        " -v,--verbose -p,--package=name -m,--module=name --version",
        "paths",
        None,
    ),
    "prettier": (
        "-c,--check -l,--list-different --log-level=name --loglevel=name --no-color --color"
        " -u,--ignore-unknown --no-error-on-unmatched-pattern --no-config --no-editorconfig",
        "paths",
        None,
    ),
    "pyright": (
        "--stats --warnings --outputjson --level=error|warning --pythonversion=name"
        " --pythonplatform=name --verbose --skipunannotated --dependencies --version",
        "paths",
        None,
    ),
    "ruff check": (
        "--select=name --ignore=name --extend-select=name --extend-ignore=name -q,--quiet"
        " -v,--verbose -s,--silent -n,--no-cache --statistics --show-fixes --diff --show-files"
        " --preview --no-preview --target-version=name --line-length=name --exclude=any"
        " --extend-exclude=any -e,--exit-zero --respect-gitignore --no-respect-gitignore"
        " --force-exclude --isolated --no-fix"
        " --output-format=concise|full|json|json-lines|junit|grouped|github|gitlab|pylint|sarif",
        "paths",
        None,
    ),
    "tsc --noEmit": (
        "-p,--project=path --strict --skipLibCheck --pretty=[true|false] -w,--watch"
        " --listFiles --noEmitOnError --target=name -t=name --module=name -m=name --jsx=name"
        " --lib=name --esModuleInterop --allowJs --checkJs --traceResolution --diagnostics"
        " --extendedDiagnostics -v,--version --showConfig",
        "none",
        None,
    ),
}
