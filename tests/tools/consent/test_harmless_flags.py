"""What "always" for one line covers: each program that gets a rule on its first words."""

import shlex

import pytest

from maxagent.config.settings.permission_rules import RawRule
from maxagent.tools.consent.harmless_flag_table import COMMANDS
from maxagent.tools.permissions.call import RequestedCall
from maxagent.tools.permissions.grants import suggest_rule
from maxagent.tools.permissions.rule import find_allowing_rules, read_rule
from maxagent.tools.workspace import Workspace

# The line that was answered with "always", the rule, what it covers, and what it must not cover
CASES = [
    ("cargo build", "cargo build:*", ["cargo build --release -p core", "cargo build -j 4 -v"]),
    ("cargo check", "cargo check:*", ["cargo check --all-targets --all-features"]),
    ("cargo clippy", "cargo clippy:*", ["cargo clippy --all-targets -- -D warnings"]),
    ("cargo fmt", "cargo fmt:*", ["cargo fmt --all", "cargo fmt -p core"]),
    ("cargo fmt --check", "cargo fmt --check:*", ["cargo fmt --check --all"]),
    ("cargo test", "cargo test:*", ["cargo test parse -- --nocapture", "cargo test --doc"]),
    ("dotnet build", "dotnet build:*", ["dotnet build -c Release --no-restore", "dotnet build a"]),
    ("dotnet test", "dotnet test:*", ["dotnet test --filter Name=a --no-build -v q"]),
    ("git add a.py", "git add:*", ["git add -A", "git add src/b.py", "git add ."]),
    ("git commit -m x", "git commit:*", ["git commit -am 'y z'", "git commit -m a -- src"]),
    ("go build", "go build:*", ["go build ./...", "go build -v -tags=a,b ./cmd"]),
    ("go fmt ./...", "go fmt:*", ["go fmt ./cmd/..."]),
    ("go test ./...", "go test:*", ["go test -run 'TestA|TestB' -count=1 ./...", "go test -race"]),
    ("go vet", "go vet:*", ["go vet ./..."]),
    ("npm test", "npm test:*", ["npm test -- --watch src/a.test.js", "npm test --silent"]),
    ("npm run build", "npm run build:*", ["npm run build -- --watch"]),
    ("pnpm test", "pnpm test:*", ["pnpm test --coverage", "pnpm test src/a.test.js"]),
    ("pnpm run lint", "pnpm run lint:*", ["pnpm run lint --quiet"]),
    ("yarn test", "yarn test:*", ["yarn test -t 'a b'"]),
    ("yarn run build", "yarn run build:*", ["yarn run build --verbose"]),
    ("pytest", "pytest:*", ["pytest -xvs tests/test_a.py::test_b", "pytest -k 'a and b' -n 4"]),
    ("python -m pytest", "python -m pytest:*", ["python -m pytest --cov=src --maxfail=1 -q"]),
    ("python3 -m pytest", "python3 -m pytest:*", ["python3 -m pytest --lf --tb short"]),
    ("python -m unittest", "python -m unittest:*", ["python -m unittest discover -s tests -v"]),
    ("python3 -m unittest", "python3 -m unittest:*", ["python3 -m unittest tests.test_a -k x"]),
    ("eslint .", "eslint:*", ["eslint --max-warnings 0 src", "eslint -f json src --ext .ts"]),
    ("mypy .", "mypy:*", ["mypy --strict src", "mypy --python-version 3.12 -p pkg"]),
    ("prettier --check .", "prettier:*", ["prettier -c src", "prettier src/a.js"]),
    ("pyright", "pyright:*", ["pyright --outputjson src"]),
    (
        "ruff check",
        "ruff check:*",
        ["ruff check --select E,F src", "ruff check --output-format github"],
    ),
    ("tsc --noEmit", "tsc --noEmit:*", ["tsc --noEmit -p tsconfig.json", "tsc --noEmit --strict"]),
]
NOT_COVERED = {
    "cargo build": [
        "--config x=1",
        "--target-dir ../x",
        "-Zscript",
        "--manifest-path ../x/Cargo.toml",
    ],
    "cargo check": ["--config build.rustc-wrapper='./x'", "--target x.json"],
    "cargo clippy": ["--fix", "--config x", "-- --cfg-runner ./x"],
    "cargo fmt": ["-- --config-path /tmp/x", "--manifest-path x"],
    "cargo fmt --check": ["-- --emit files", "--manifest-path x"],
    "cargo test": ["--config target.runner=./x", "-- --logfile ../x", "--target-dir /tmp"],
    "dotnet build": ["-p:PreBuildEvent=./x", "/p:A=b", "-o ../x", "@args.rsp", "-logger:./x.dll"],
    "dotnet test": ["-p:A=b", "--logger:./x.dll", "-s run.settings", "--test-adapter-path x"],
    "git add a.py": ["-f .env", "-p", "../x", ":/", "--pathspec-from-file=x", "--chmod=+x a"],
    "git commit -m x": ["--amend", "-F note.txt", "--file=/etc/passwd", "-n", "--no-verify", "-S"]
    + ["-C HEAD", "--fixup=HEAD", "-t x", "--author=a", "--no-post-rewrite", "-anm x"],
    "go build": ["-ldflags=-extld=./x", "-toolexec ./x", "-o ../x", "-overlay x", "-C .."]
    + ["-gcflags=-x", "-modfile=x", "a/b@latest/../../../x"],
    "go fmt ./...": ["-modfile=x"],
    "go test ./...": ["-exec ./x", "-ldflags=-extld=./x", "-o x", "-coverprofile=/tmp/x"]
    + ["--exec ./x", "-toolexec=./x"],
    "go vet": ["-vettool=./x", "-toolexec ./x"],
    "npm test": ["-- --config ./x.js", "--prefix ..", "-g", "--script-shell ./x", "-- -u"]
    + ["--node-options=--require=./x.js", "-w other", "-- ../x"],
    "npm run build": [
        "-- --outDir ../x",
        "-- x.js",
        "--prefix ../x",
        "-- --fix",
        "--ignore-scripts=0",
    ],
    "pnpm test": ["--config=./x", "-C ..", "--reporter ./x.js", "-r"],
    "pnpm run lint": ["--fix", "-C ..", "x.js"],
    "yarn test": ["--config ./x", "--cwd ..", "--reporters=./x.js", "--setupFiles ./x"],
    "yarn run build": ["--cwd=..", "x.js", "--out-dir=/tmp"],
    "pytest": ["-p evil", "-c x.ini", "--rootdir=..", "--junitxml=x", "-o a=b", "../x", "/tmp/x"]
    + ["--pdb", "-W error::evil.X", "--cov=../x", "--cov-report=html:/tmp", "--import-mode=x"]
    + ["--debug", "--basetemp=.", "-xp evil", "--snapshot-update", "@args"],
    "python -m pytest": ["-p evil", "--confcutdir=/", "--cov-config=x", "--html=x"],
    "python3 -m pytest": ["-c x.ini", "--override-ini=a=b"],
    "python -m unittest": ["-s ..", "../x", "discover -t /"],
    "python3 -m unittest": ["/tmp/x.py", "--start-directory=../x"],
    "eslint .": ["-f ./x.js", "--format=evil", "-c x.js", "--fix", "--rulesdir x", "-o x", "../x"]
    + ["--resolve-plugins-relative-to x", "--parser ./x", "--env-info", "--fix-type layout"],
    "mypy .": ["--config-file x", "--install-types", "--python-executable ./x", "--junit-xml x"]
    + ["--html-report x", "--custom-typeshed-dir x", "--cache-dir=/tmp", "../x", "@files"],
    "prettier --check .": [
        "--write .",
        "-w a.js",
        "--plugin=./x.js",
        "--config x",
        "../x",
        "--parser=./x",
    ],
    "pyright": ["--pythonpath ./x", "-p ..", "--createstub x", "--watch", "--venvpath x"],
    "ruff check": [
        "--fix",
        "--unsafe-fixes",
        "--config x",
        "--add-noqa",
        "-o x",
        "../x",
        "--watch",
    ],
    "tsc --noEmit": [
        "--outDir ../x",
        "-p ../x",
        "--generateTrace x",
        "--build",
        "@x",
        "--noEmit false",
    ],
}
# Lines that "always" for another line of the program never covers
OTHER_LINES = [
    ("ruff check", "ruff format"),
    ("ruff check", "ruff clean"),
    ("ruff check", "ruff rule --all"),
    ("cargo fmt --check", "cargo fmt"),
    ("cargo test", "cargo run"),
    ("cargo build", "cargo +nightly build"),
    ("tsc --noEmit", "tsc"),
    ("git commit -m x", "git -c core.editor=./x commit -m x"),
    ("git commit -m x", "git push"),
    ("git add a.py", "git add a.py && git push"),
    ("npm run build", "npm run deploy"),
    ("npm run build", "npm exec build"),
    ("npm test", "npm install"),
    ("go build", "go run ."),
    ("go test ./...", "go generate ./..."),
    ("dotnet build", "dotnet run"),
    ("pytest", "pytest > log"),
    ("pytest", "PYTEST_ADDOPTS=-pevil pytest"),
    ("pytest", "./pytest"),
    ("python -m pytest", "python -c 1"),
    ("prettier --check .", "prettier $FLAGS ."),
]


def covers(workspace: Workspace, rule: str, line: str) -> bool:
    call = RequestedCall("run_command", "execute", {"command": line}, (), workspace)
    bound = RawRule("allow", rule, "answer", consent=tuple(o.provenance for o in call.origins))
    return bool(find_allowing_rules([read_rule(bound)], call))


def suggested(workspace: Workspace, line: str) -> str:
    call = RequestedCall("run_command", "execute", {"command": line}, (), workspace)
    return suggest_rule(call)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    root = tmp_path_factory.mktemp("flags") / "project"
    root.mkdir()
    return Workspace(root)


@pytest.mark.parametrize(("line", "rule", "covered"), CASES)
def test_rule_from_answer_covers_harmless_flags(
    workspace: Workspace, line: str, rule: str, covered: list[str]
) -> None:
    assert suggested(workspace, line) == f"run_command({rule})"
    assert [
        other for other in [line, *covered] if not covers(workspace, f"run_command({rule})", other)
    ] == []


@pytest.mark.parametrize(("line", "rule", "covered"), CASES)
def test_rule_from_answer_covers_no_other_flags(
    workspace: Workspace, line: str, rule: str, covered: list[str]
) -> None:
    text = shlex.join(shlex.split(rule.removesuffix(":*")))
    lines = [f"{text} {more}" for more in NOT_COVERED[line]]
    assert lines and [x for x in lines if covers(workspace, f"run_command({rule})", x)] == []


@pytest.mark.parametrize(("line", "other"), OTHER_LINES)
def test_rule_from_answer_covers_no_other_line(workspace: Workspace, line: str, other: str) -> None:
    assert not covers(workspace, suggested(workspace, line), other)


@pytest.mark.parametrize(
    "line",
    [
        "git commit --amend",
        "prettier --write .",
        "eslint -f ./x.js .",
        "ruff format",
        "ruff check --fix",
        "go build -ldflags=-extld=./x",
        "dotnet build -p:PreBuildEvent=x",
        "tsc",
    ],
)
def test_line_with_other_flags_gets_exact_rule(workspace: Workspace, line: str) -> None:
    rule = suggested(workspace, line)
    assert rule == f"run_command({line})" and covers(workspace, rule, line)


def test_every_command_of_table_is_tried() -> None:
    rules = {rule.removesuffix(":*") for _, rule, _ in CASES}
    generic = {name for name in COMMANDS if name.endswith(" *")}
    assert set(COMMANDS) - generic <= rules
    assert all(any(rule.startswith(name[:-1]) for rule in rules) for name in generic)


def test_rule_that_user_wrote_keeps_its_width(workspace: Workspace) -> None:
    for rule, line in [
        ("git commit:*", "git commit --amend"),
        ("ruff:*", "ruff format"),
        ("make:*", "make all"),
        ("npm run build", "npm run build"),
    ]:
        call = RequestedCall("run_command", "execute", {"command": line}, (), workspace)
        assert find_allowing_rules([read_rule(RawRule("allow", f"run_command({rule})", "x"))], call)
