"""A commit made from an index: its hooks, its message, its signature; no branch is moved."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from .git_settings import find_value
from .hooks import GitHooks
from .isolated_git import IsolatedGit
from .user_git import GitError, UserGit

_TRUE = ("true", "yes", "on", "1", "")


@dataclass(frozen=True)
class Identity:
    """Who writes a commit, and when: the same again makes the same commit."""

    name: str
    email: str
    date: str
    """Seconds since the epoch and the time zone, as git writes them."""


@dataclass(frozen=True)
class CommitDraft:
    """What a commit is made of."""

    parent: str
    message: str
    identities: tuple[Identity, Identity] | None = None
    """Author and committer; None: the user, now."""


async def create_commit(
    isolated: IsolatedGit, hooks: GitHooks, checkout: UserGit, draft: CommitDraft
) -> str:
    """Run the hooks before a commit and make it of the checkout's index; return its ID.

    Raises GitError if a hook fails.
    """
    identities = _build_variables(draft.identities)
    with TemporaryDirectory(prefix="mcode-") as place:
        file = Path(place, "COMMIT_EDITMSG")
        file.write_text(draft.message, encoding="utf-8")
        await hooks.run("pre-commit", checkout, env=identities)
        await hooks.run("prepare-commit-msg", checkout, (str(file), "message"), env=identities)
        await hooks.run("commit-msg", checkout, (str(file),), env=identities)
        message = await isolated.git.read("stripspace", input=file.read_bytes())
    if not message:
        raise GitError("the commit has no message", hint="a git hook may have emptied it")
    tree = (await checkout.read("write-tree")).decode().strip()
    sign = ("-S",) if _is_signed(isolated) else ()
    arguments = ("commit-tree", *sign, "-p", draft.parent, tree)
    commit = await isolated.git.read(*arguments, env=identities, input=message)
    return commit.decode().strip()


def _is_signed(isolated: IsolatedGit) -> bool:
    setting = find_value(isolated.settings, "commit.gpgsign")
    return setting is not None and setting.value.lower() in _TRUE


async def read_identities(git: UserGit) -> tuple[Identity, Identity]:
    """Return author and committer with the current time; raises GitError if git knows no name."""
    author = await git.read_text("var", "GIT_AUTHOR_IDENT")
    return _parse_identity(author), _parse_identity(
        await git.read_text("var", "GIT_COMMITTER_IDENT")
    )


def _build_variables(identities: tuple[Identity, Identity] | None) -> dict[str, str]:
    return {
        f"GIT_{role}_{field_name}": value
        for role, identity in zip(("AUTHOR", "COMMITTER"), identities or (), strict=False)
        for field_name, value in (
            ("NAME", identity.name),
            ("EMAIL", identity.email),
            ("DATE", identity.date),
        )
    }


def _parse_identity(line: str) -> Identity:
    name_and_email, _, date = line.rpartition("> ")
    name, _, email = name_and_email.partition(" <")
    return Identity(name, email, date)
