"""A consent covers all that decides what a hook does, or it covers nothing."""

import asyncio
from pathlib import Path

import pytest
from git_checkout import GitCheckout

from maxagent.config.security.provenance import find_provenance_changes
from maxagent.tools.git.hooks import MAX_FILES, GitHooks, find_hooks
from maxagent.tools.git.user_git import UserGit


@pytest.fixture
def checkout(tmp_path: Path) -> GitCheckout:
    return GitCheckout(tmp_path / "project", tmp_path / "bare")


def find(checkout: GitCheckout) -> GitHooks:
    return asyncio.run(find_hooks(UserGit(checkout.folder), [], ("pre-commit",)))


def write(folder: Path, *names: str, content: str = "1\n") -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
        (folder / name).chmod(0o755)


DECOYS = [f"decoys/{number}.txt" for number in range(MAX_FILES + 1)]
TOO_MUCH = {
    "files beside it": ("./run.sh\n", [f".git/hooks/{number}" for number in range(MAX_FILES + 1)]),
    "files named by it": (f"cat {' '.join(DECOYS)}\n./run.sh\n", DECOYS),
    "files named twice": (f"cat {' '.join(DECOYS)}\n" * 2, DECOYS),
}


@pytest.mark.parametrize(("script", "others"), TOO_MUCH.values(), ids=TOO_MUCH)
def test_hook_of_too_many_files_is_never_covered(
    checkout: GitCheckout, script: str, others: list[str]
) -> None:
    write(checkout.folder, *others, "run.sh")
    write(checkout.folder, ".git/hooks/pre-commit", content=script)
    hooks = find(checkout)
    assert [item.digest for item in hooks.provenances] == [""]
    assert find_provenance_changes(hooks.provenances, hooks.provenances)


CHANGES = {
    "the hook": ".git/hooks/pre-commit",
    "a file beside it": ".git/hooks/199",
    "a file after many words": "run.sh",
    "a named file": "decoys/0.txt",
    "the last named file": "decoys/150.txt",
}


@pytest.mark.parametrize("path", CHANGES.values(), ids=CHANGES)
def test_any_file_of_a_hook_changes_its_digest(checkout: GitCheckout, path: str) -> None:
    write(
        checkout.folder, *DECOYS[:151], "run.sh", *(f".git/hooks/{number}" for number in (7, 199))
    )
    text = " ".join(f"no.{number}" for number in range(10 * MAX_FILES + 10))
    script = f"cat {' '.join(DECOYS[:151])} {text} {'x' * 300}.y\n./run.sh\n"
    write(checkout.folder, ".git/hooks/pre-commit", content=script)
    before = find(checkout).provenances
    assert before[0].digest and find(checkout).provenances == before
    write(checkout.folder, path, content="2\n")
    assert find(checkout).provenances != before
