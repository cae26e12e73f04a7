from pathlib import Path

import pytest

from maxagent.tools.shell.effects.line_effects import LineEffects, analyze_effects
from maxagent.tools.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("HOME", "/home/somebody")
    root = tmp_path / "project"
    (root / "sub/config").mkdir(parents=True)
    for name in ("a.txt", "b.txt", "sub/c.txt", "sub/config/.env", "sub/AGENTS.md"):
        (root / name).write_text("x\n")
    (root / "plain").mkdir()
    (root / "plain/d.txt").write_text("x\n")
    (root / "link").symlink_to("sub/c.txt")
    return Workspace(root)


def effects(line: str, workspace: Workspace) -> LineEffects:
    return analyze_effects(line, ".", workspace)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("rm a.txt", "a.txt"),
        ("rm -rf plain *.txt", "plain a.txt b.txt"),
        ("mv a.txt plain", "a.txt plain/a.txt"),
        ("cp -r plain sub", "sub/plain"),
        ("cp a.txt b.txt", "b.txt"),
        ("cp a.txt link", "link sub/c.txt"),
        ("cd sub && rm c.txt", "sub/c.txt"),
        ("echo x > a.txt; date >> b.txt", "a.txt b.txt"),
        ("sed -i.old 's/a/b/' a.txt", "a.txt a.txt.old"),
        ("sort -o b.txt a.txt", "b.txt"),
        ("pytest > a.txt 2>&1", "a.txt"),
        ("python -c \"import shutil; shutil.rmtree('plain')\"", "plain"),
        ("bash -c 'rm a.txt'", "a.txt"),
        ("for f in a.txt b.txt; do rm $f; done", "a.txt b.txt"),
        ("mkdir -p x/y; touch x/y/z; ls", ""),
        ("make", ""),
    ],
)
def test_replaced_files_are_known_by_name(line: str, names: str, workspace: Workspace) -> None:
    result = effects(line, workspace)
    assert {path.relative_to(workspace.root) for path in result.replaced} == {
        Path(name) for name in names.split()
    }
    assert not result.doubt


@pytest.mark.parametrize(
    "line",
    """
    rm $X
    rm --unheard-of a.txt
    rm $(cat list)
    X=`ls`; rm $X
    find . -name x -delete
    find . -name x -exec rm {} +
    find . -name x | xargs rm -f
    ls | while read f; do rm "$f"; done
    echo x > $OUT
    shred a.txt
    dd if=a.txt of=b.txt
    rsync -a --delete plain/ sub/
    sed -i 's/a/b/' $(git ls-files)
    $CMD a.txt
    git reset --hard
    git reset HEAD~1
    git commit --ame
    git branch -D x
    git -C . stash drop
    git checkout -f main
    git clean -fd
    git rebase main
    git unheard-of
    pip uninstall -y x
    python -m pip uninstall x
    npm rm x
    cat /etc/hostname
    cd /etc && ls
    """.strip().splitlines(),
)
def test_doubtful_lines_say_why(line: str, workspace: Workspace) -> None:
    assert effects(line.strip(), workspace).doubt


@pytest.mark.parametrize(
    "line",
    """
    git add -A && git commit -m "x"
    git checkout -b new
    git stash pop
    git reset
    git reset HEAD a.txt
    git tag v1
    pytest -q | tail -3
    grep -rn "/api/v1" .
    """.strip().splitlines(),
)
def test_additions_raise_no_doubt(line: str, workspace: Workspace) -> None:
    assert effects(line.strip(), workspace).doubt == ""


@pytest.mark.parametrize(
    ("line", "need"),
    [
        ("curl -s x", "network"),
        ("env curl x", "network"),
        ("curl -s http://127.0.0.1:8000/x -H 'A: b'", ""),
        ("curl localhost:5173", ""),
        ("curl http://localhost.evil.org", "network"),
        ("curl http://localhost http://evil.org", "network"),
        ("redis-cli -h 127.0.0.1 ping", ""),
        ("ls | xargs curl", "network"),
        ("git -C sub push origin", "network"),
        ("python3 -m pip install x", "network"),
        ("uv pip sync r.txt", "network"),
        ("yarn", "network"),
        ("npm init vite", "network"),
        ("npm install --prefer-offline", "network"),
        ("npm init -y", ""),
        ("npm install --offline", ""),
        ("cargo update --offline", ""),
        ("uv sync --offline", ""),
        ("pip install --no-index --find-links wheels x", ""),
        ("rsync -a plain host:x", "network"),
        ("docker build .", "machine"),
        ("sudo ls", "machine"),
        ("kill -9 4711", "machine"),
        ("kill %1", ""),
        ("npm test", ""),
        ("go mod edit", ""),
        ("echo curl", ""),
    ],
)
def test_needs_from_outside_are_found(line: str, need: str, workspace: Workspace) -> None:
    assert effects(line, workspace).need == need


@pytest.mark.parametrize(
    "line",
    """
    mkdir x && cp a.txt x && mv b.txt x/c.txt
    rm -r plain; touch new.txt
    echo hi | cat > new.txt
    cp -r plain other
    sed -i 's/a/b/' a.txt
    """.strip().splitlines(),
)
def test_file_commands_do_nothing_more(line: str, workspace: Workspace) -> None:
    assert effects(line.strip(), workspace).more == ""


@pytest.mark.parametrize(
    "line",
    """
    make > a.txt
    ./rm a.txt
    PATH=. rm a.txt
    rm a.txt &
    rm() { ./x; }; rm a.txt
    bash -c 'rm a.txt'
    cp -r sub other
    cp /etc/hostname here
    cp a.txt ../x
    cat < ../x > b.txt
    sed -i '1e ./x' a.txt
    sed -i 'w b.txt' a.txt
    ls; cd sub; rm c.txt
    tee a.txt < b.txt
    ln -s a.txt c.txt
    chmod +x a.txt
    git add a.txt
    """.strip().splitlines(),
)
def test_other_lines_do_more_than_change_files(line: str, workspace: Workspace) -> None:
    assert effects(line.strip(), workspace).more
