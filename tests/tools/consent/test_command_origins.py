import json
from pathlib import Path

import pytest

from maxagent.tools.permissions.call import RequestedCall
from maxagent.tools.workspace import Workspace

SCRIPTS = {"prebuild": "rm -rf out", "build": "tsc", "test": "jest", "prepare": "husky"}
FILES = {
    "package.json": json.dumps({"name": "x", "scripts": SCRIPTS}),
    "web/package.json": json.dumps({"scripts": {"build": "vite build"}}),
    "Makefile": "include rules.mk\nall:\n\ttrue\n",
    "rules.mk": "x:\n\ttrue\n",
    "sub/Makefile": "all:\n\tfalse\n",
    "other.mk": "all:\n\tfalse\n",
    "justfile": "build:\n  true\n",
    "Taskfile.yml": "version: 3\n",
    "tox.ini": "[tox]\n",
    "noxfile.py": "import nox\n",
    "Rakefile": "task :x\n",
    "pyproject.toml": '[project]\nname = "x"\n[tool.poe.tasks]\na = "true"\n',
    "run.sh": "echo 1\n",
    "sub/run.sh": "echo 2\n",
    "tools/x.py": "print(1)\n",
    "tools/__init__.py": "",
    "tests/test_a.py": "def test_a(): pass\n",
    "conftest.py": "",
    "format.js": "module.exports = 1\n",
    "note.txt": "x\n",
    "data.csv": "1\n",
    "env.sh": "A=1\n",
    "compose.yaml": "services: {}\n",
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    root = tmp_path_factory.mktemp("origins") / "project"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    hook = root / ".git/hooks/pre-commit"
    hook.parent.mkdir(parents=True)
    hook.write_text("#!/bin/sh\nexit 0\n")
    hook.chmod(0o755)
    (root / ".git/hooks/pre-push.sample").write_text("#!/bin/sh\n")
    (root / ".git/config").write_text('[remote "origin"]\n\turl = https://x\n[user]\n\tname = A\n')
    return Workspace(root)


def started(workspace: Workspace, command: str) -> list[str]:
    call = RequestedCall("run_command", "execute", {"command": command}, (), workspace)
    return [f"{item.provenance.subject}: {item.provenance.source}" for item in call.origins]


BUILD, MAKE = "script build: package.json", ["tasks: Makefile", "tasks: rules.mk"]
RUN, TOOL = "script: run.sh", "script: tools/x.py"
GIT = ["git hook: .git/hooks/pre-commit", "git settings: .git/config"]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("npm run build", [BUILD]),
        ("npm run build -- --watch", [BUILD]),
        ("npm run gone", ["script gone: package.json"]),
        ("npm t", ["script test: package.json"]),
        ("yarn build", [BUILD]),
        ("pnpm --silent run build", [BUILD]),
        ("bun run build", [BUILD]),
        ("npm install", ["install scripts: package.json"]),
        ("npm --prefix web run build", [BUILD, "script build: web/package.json"]),
        ("cd web && npm run build", ["script build: web/package.json"]),
        ("make all", MAKE),
        ("make -C sub", ["tasks: sub/Makefile"]),
        ("make -f other.mk", ["script: other.mk", *MAKE]),
        ("just build", ["tasks: justfile"]),
        ("task build", ["tasks: Taskfile.yml"]),
        ("tox -e py", ["tasks: tox.ini", "tasks tox: pyproject.toml"]),
        ("nox -s tests", ["tasks: noxfile.py"]),
        ("poe a", ["tasks poe: pyproject.toml"]),
        ("rake x", ["tasks: Rakefile"]),
        ("docker compose up", ["tasks: compose.yaml"]),
        ("bash run.sh", [RUN]),
        ("bash -x run.sh data.csv", [RUN]),
        ("./run.sh --fast", [RUN]),
        ("cd sub && sh run.sh", ["script: sub/run.sh"]),
        ("sudo -E ./run.sh", [RUN]),
        ("env A=1 bash run.sh", [RUN]),
        ("bash -c './run.sh x'", [RUN]),
        ("timeout 5 ./run.sh", [RUN]),
        ("bash < run.sh", [RUN]),
        ("cat run.sh | bash", [RUN]),
        ("F=run.sh; bash $F", [RUN]),
        ("bash run*.sh", [RUN]),
        ("find . -name x -exec ./run.sh {} ;", [RUN]),
        ("if true; then ./run.sh; fi", [RUN]),
        ("find . -name run.sh -exec bash {} +", [RUN, "script: sub/run.sh"]),
        ("find . -name 'ru*.sh' -exec bash {} ;", [RUN, "script: sub/run.sh"]),
        ("ls *.sh | xargs -n1 bash", ["script: env.sh", RUN]),
        ('eval "$(cat run.sh)"', [RUN]),
        ("bash -c '. ./run.sh'", [RUN]),
        ("find . -name '*.py'", []),
        ("echo $(./run.sh)", [RUN]),
        (". ./env.sh", ["script: env.sh"]),
        ("python tools/x.py data.csv", [TOOL]),
        ("python -m tools.x", [TOOL]),
        ("node -r ./format.js tools/x.py", ["script: format.js", TOOL]),
        ("npx tsx tools/x.py", [TOOL]),
        ("mytool --file=run.sh", [RUN]),
        ("eslint -f ./format.js tools", ["script: format.js"]),
        ("git commit -F note.txt", [*GIT, "script: note.txt"]),
        ("git commit -m x", GIT),
        ("git push origin main", GIT),
        ("pytest tests/test_a.py", []),
        ("python -m pytest tests/test_a.py -q", []),
        ("node --test tests/test_a.py", []),
        ("ruff check tools/x.py", []),
        ("go build ./...", []),
        ("cargo test", []),
        ("rm note.txt", []),
        ("cp note.txt b.txt", []),
        ("ls -la", []),
        ("echo hi", []),
    ],
)
def test_command_starts_scripts_that_it_names(
    workspace: Workspace, command: str, expected: list[str]
) -> None:
    assert sorted(started(workspace, command)) == sorted(expected)


def test_file_outside_project_has_its_full_path(workspace: Workspace, tmp_path: Path) -> None:
    script = tmp_path / "x.sh"
    script.write_text("true\n")
    assert started(workspace, f"bash {script}") == [f"script: {script}"]


def test_unreadable_and_strange_files_have_no_digest(tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    workspace = Workspace(tmp_path)
    assert started(workspace, "bash pipe") == started(workspace, "bash folder") == []


@pytest.mark.parametrize(
    ("command", "file", "content", "changes"),
    [
        ("npm run build", "package.json", {"scripts": {"build": "evil"}}, True),
        ("npm run build", "package.json", {"scripts": {**SCRIPTS, "prebuild": "evil"}}, True),
        ("npm run build", "package.json", {"scripts": {**SCRIPTS, "postbuild": "evil"}}, True),
        ("npm run build", "package.json", {"scripts": SCRIPTS, "version": "2"}, False),
        ("npm run build", "package.json", {"scripts": {**SCRIPTS, "lint": "eslint"}}, False),
        ("npm install", "package.json", {"scripts": {**SCRIPTS, "postinstall": "evil"}}, True),
        ("poe a", "pyproject.toml", '[project]\nversion = "2"\n[tool.poe.tasks]\na = "true"\n', 0),
        ("poe a", "pyproject.toml", '[tool.poe.tasks]\na = "evil"\n', True),
        ("make", "rules.mk", "x:\n\tevil\n", True),
        ("git push", ".git/config", '[remote "origin"]\n\turl = https://evil\n', True),
        ("git push", ".git/config", '[remote "origin"]\n\turl = https://x\n[a]\n\tb = c\n', False),
        ("git push", ".git/hooks/pre-commit", "#!/bin/sh\nevil\n", True),
    ],
)
def test_only_what_decides_what_runs_counts(
    tmp_path: Path, command: str, file: str, content: object, changes: bool
) -> None:
    for name in ("package.json", "pyproject.toml", "Makefile", "rules.mk"):
        (tmp_path / name).write_text(FILES[name])
    hooks = tmp_path / ".git/hooks"
    hooks.mkdir(parents=True)
    (hooks / "pre-commit").write_text("#!/bin/sh\n")
    (hooks / "pre-commit").chmod(0o755)
    (tmp_path / ".git/config").write_text('[remote "origin"]\n\turl = https://x\n')

    def read_digests() -> list[object]:
        args = {"command": command}
        call = RequestedCall("run_command", "execute", args, (), Workspace(tmp_path))
        return [item.provenance for item in call.origins]

    before = read_digests()
    written = content if isinstance(content, str) else json.dumps(content)
    (tmp_path / file).write_text(written)
    assert before and (read_digests() != before) is bool(changes)


LONG = "a long text? " * 30


@pytest.mark.parametrize(
    ("command", "include"),
    [
        (f'git commit --amend -m "{LONG}"', ""),
        (f'gh pr create --body "{LONG}"', ""),
        (f"bash -c 'echo {LONG}'", ""),
        (f"bash {'x' * 300}", ""),
        (f"mytool --file={'[x' * 200}", ""),
        ("mytool '**x' '[' '/**' '../**' '~/?' '***/'", ""),
        ("mytool /", ""),
        ("make", "include /usr/share/*.mk"),
        ("make", "include **x **/ ** [ ../**/*.mk"),
        ("make", f"-include {'x' * 300}"),
        ("make", "include \0"),
        (f"make -C {'sub' * 100}", ""),
    ],
)
def test_word_that_is_no_path_crashes_nothing(tmp_path: Path, command: str, include: str) -> None:
    (tmp_path / "Makefile").write_text(f"{include}\nall:\n\ttrue\n")
    assert isinstance(started(Workspace(tmp_path), command), list)


@pytest.mark.parametrize(
    ("command", "is_covered"),
    [
        ("bash many/*.sh", False),
        ("mytool many/**", False),
        ("mytool '/**/x.sh'", False),
        ("mytool '../**/x.sh'", False),
        ("cat many/*.sh | bash", False),
        ("find . -name '*.sh' -exec bash {} +", False),
        ("make", False),
        ("git log", False),
        ("npm run build", False),
        ("npm install", False),
        ("bash many/1*.sh", True),
        ("bash {root}/many/1?.sh", True),
        ("mytool **1.sh many/1[12].sh", True),
    ],
)
def test_more_than_limit_is_never_covered(tmp_path: Path, command: str, is_covered: bool) -> None:
    (tmp_path / "Makefile").write_text("include many/*.sh\n")
    (tmp_path / "package.json").write_text(" " * 6_000_000 + FILES["package.json"])
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/config").write_text("#" * 1_100_000 + "\n[core]\n\tfsmonitor = ./x.sh\n")
    (tmp_path / "many").mkdir()
    for number in range(210):
        (tmp_path / f"many/{number}.sh").write_text("true\n")
    args = {"command": command.replace("{root}", str(tmp_path))}
    origins = RequestedCall("run_command", "execute", args, (), Workspace(tmp_path)).origins
    assert origins and all(item.provenance.digest for item in origins) is is_covered


OPTION_FILES = ("run.sh", "x.sed", "p.so", "hook.js", "cfg", "data.txt", "main.c", "tool.go")


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("sed -f x.sed data.txt", "x.sed"),
        ("sed -nfx.sed data.txt", "data.txt x.sed"),
        ("sed --file=x.sed data.txt", "x.sed"),
        ("sed -n 5p data.txt", ""),
        ("tar -I ./run.sh -cf out.tar data.txt", "run.sh"),
        ("tar -cf out.tar --use-compress-program=./run.sh data.txt", "run.sh"),
        ("tar cIf ./run.sh out.tar", "run.sh"),
        ("tar --to-command 'sh run.sh' -xf data.txt", "run.sh"),
        ("tar -czf data.txt main.c", ""),
        ("rg --pre ./run.sh x", "run.sh"),
        ("rsync -e ./run.sh a b", "run.sh"),
        ("rsync -e 'sh run.sh' a b", "run.sh"),
        ("sort --compress-program=./run.sh data.txt", "run.sh"),
        ("sort -o data.txt main.c", ""),
        ("split --filter=./run.sh data.txt", "run.sh"),
        ("gcc -fplugin=./p.so main.c", "p.so"),
        ("clang -Xclang -load -Xclang ./p.so main.c", "p.so"),
        ("gcc @cfg main.c", "cfg"),
        ("gcc -Wall -O2 -c main.c -o data.txt", ""),
        ("mocha --require ./hook.js", "hook.js"),
        ("mocha --require ./hook", "hook.js"),
        ("git -c core.pager=./run.sh log", "run.sh"),
        ("git -c alias.x='!sh run.sh' x", "run.sh"),
        ("git bisect run ./run.sh", "run.sh"),
        ("git log -- data.txt", ""),
        ("go test -exec 'sh run.sh' ./...", "run.sh"),
        ("curl -K cfg https://x", "cfg"),
        ("flake8 --config cfg", "cfg"),
        ("flake8 -v data.txt", ""),
        ("cat -n data.txt", ""),
        ("rm -f data.txt", ""),
        ("go run tool.go", "tool.go"),
        ("go run .", "tool.go"),
        ("coverage run hook.js", "hook.js"),
        ("coverage run --source x -m pkg", "pkg/__main__.py"),
        ("cargo run", "src/main.rs"),
        ("dotnet run --project cfg", "cfg"),
        ("node .", "lib/start.js"),
        ("node hook data.txt", "hook.js"),
        ("node src", "src/index.mjs"),
        ("node -r ./hook src", "hook.js src/index.mjs"),
        ("node --require=./hook --test", "hook.js"),
        ("python pkg data.txt", "pkg/__main__.py"),
        ("python -Im pkg", "pkg/__main__.py"),
        ("python -mpkg", "pkg/__main__.py"),
        ("bash -m run.sh", "run.sh"),
        ("ruby -r ./tool data.txt", "data.txt tool.rb"),
        ("nodemon src", "src/index.mjs"),
    ],
)
def test_option_and_entry_name_files_that_run(tmp_path: Path, command: str, files: str) -> None:
    names = ("src/index.mjs", "src/main.rs", "pkg/__main__.py", "lib/start.js", "tool.rb")
    for name in (*OPTION_FILES, *names):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x\n")
    (tmp_path / "package.json").write_text('{"main": "lib/start"}')
    result = started(Workspace(tmp_path), command)
    assert sorted(result) == sorted(f"script: {name}" for name in files.split())
