"""A pull request as the user sees and approves it; only what it contains is done."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, cast

from ...config.security.provenance import Provenance
from ...config.security.redaction import redact
from ...config.text import join_texts, text
from ...memory.checkpoints.open_questions import OpenQuestion
from ...memory.threads.pull_requests import PULL_REQUEST, PullRequestRecord
from ...tools.git.branch_commit import BranchCommit
from ...tools.git.commits import Identity
from ...tools.git.hooks import GitHooks
from ...tools.git.object_scan import scan_texts
from ..events import Question
from .publication import Publication

# Commits of the user's own that are shown
MAX_COMMITS = 20

APART_NOTE = (
    "these files also have changes that are not the thread's; only its own are committed: {files}"
)
WHOLE_NOTE = (
    "these files also have changes that are not the thread's; they cannot be separated, so they "
    "are committed as well: {files}"
)
LEFT_OUT_NOTE = "not committed, because git ignores them or they are in a submodule: {files}"
HOOKS = "git hooks run outside the sandbox: {hooks}"
HOOKS_OF_REPOSITORY = (
    "the repository's own setting `core.hooksPath` names git hooks, which run outside the sandbox: "
    "{hooks}"
)
ADDRESSES = "it is pushed to {count} addresses: {addresses}"
UNSEARCHED = "not searched for secrets: {files}"
COMMITS = "commits of yours that `{remote}` does not have are pushed as well: {count}"
# Fields, also of the question, with which `--pr=yes` is no answer
NEED_ANSWER = ("mixed", "hooks_path", "unsearched")
# Fields that an older MaxAgent did not have
_LATER_FIELDS = ("push_address", "push_addresses", "hooks", "hooks_path", "unsearched")


@dataclass(frozen=True)
class Proposal:
    """One commit on one branch, and the request for it."""

    repository: str
    """Host, owner and name."""
    remote: str
    branch: str
    base_branch: str
    """Branch that the request is to be merged into; empty: the repository's default branch."""
    base: str
    """Commit that the new one follows."""
    tree: str
    title: str
    body: str
    message: str
    """The commit's."""
    author: Identity
    committer: Identity
    files: tuple[Mapping[str, str], ...]
    diff: str
    last_entry: int
    """Number of the last entry of the file history that is in it."""
    mixed: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    """Commits of the user that the remote does not have, and that are pushed with it."""
    is_first: bool = True
    """Whether it begins the branch."""
    push_address: str = ""
    """Where the push goes, if it is not `repository`."""
    push_addresses: tuple[str, ...] = ()
    """All addresses that are pushed to, as they are shown."""
    hooks: tuple[Provenance, ...] = ()
    """Git hooks that run."""
    hooks_path: str = ""
    """Their folder, if the repository's own `core.hooksPath` names it."""
    unsearched: tuple[str, ...] = ()
    """What is too large, or cannot be read, for the search for secrets."""

    @property
    def question_id(self) -> str:
        """ID of the question: another proposal is another question."""
        fields = asdict(self)
        for name in _LATER_FIELDS:  # a question of an older MaxAgent keeps its ID
            if not fields[name]:
                del fields[name]
        packed = json.dumps(fields, sort_keys=True).encode()
        return hashlib.sha256(packed).hexdigest()[:32]

    @property
    def needs_answer(self) -> bool:
        """Whether only the user can answer the question, not `--pr=yes`."""
        return any(getattr(self, name) for name in NEED_ANSWER)

    def goes_to(self, publication: Publication) -> bool:
        """Return whether the repository and the addresses of the push are those of the question."""
        addresses = self.push_addresses or publication.shown_addresses  # of an older MaxAgent
        return (self.repository, self.push_address, addresses) == (
            publication.repository,
            publication.push_address,
            publication.shown_addresses,
        )

    def refuse_secrets(self) -> None:
        """Raise SecretsFoundError if a text that is published contains what looks like a secret."""
        texts = {"title": self.title, "body": self.body, "message": self.message}
        scan_texts({**texts, "branch": self.branch}).refuse_secrets()

    def with_hooks(self, hooks: GitHooks) -> "Proposal":
        """Return the proposal with the hooks that run now."""
        return replace(self, hooks=hooks.provenances, hooks_path=hooks.used_setting)

    def list_hooks(self) -> list[str]:
        """Return the files of the git hooks that run."""
        return [hook.source for hook in self.hooks]

    def to_json(self) -> dict[str, Any]:
        """Return it for the record."""
        return asdict(self)

    def to_commit(self) -> BranchCommit:
        """Return the commit to make."""
        return BranchCommit(
            self.branch,
            self.base,
            self.tree,
            self.message,
            self.author,
            self.committer,
            frozenset(file["path"] for file in self.files),
            is_first=self.is_first,
        )


def read_proposal(packed: Mapping[str, Any]) -> Proposal:
    """Return the proposal of a record."""
    fields: dict[str, Any] = {
        name: tuple(cast("list[Any]", value)) if isinstance(value, list) else value
        for name, value in packed.items()
    }
    for role in ("author", "committer"):
        fields[role] = Identity(**fields[role])
    fields["hooks"] = tuple(Provenance(**hook) for hook in fields.get("hooks", ()))
    return Proposal(**fields)


def build_question(thread_id: str, proposal: Proposal, usage: Mapping[str, Any]) -> Question:
    """Return the question that shows the whole proposal, without secrets."""
    request = {
        "name": PULL_REQUEST,
        "args": _list_arguments(proposal),
        "description": join_texts("; ", _describe_notes(proposal)),
        "diff": redact(proposal.diff),
    }
    config = {"action_name": PULL_REQUEST, "allowed_decisions": ["approve", "reject"]}
    return Question(
        thread_id=thread_id,
        id=proposal.question_id,
        kind=PULL_REQUEST,
        action_requests=[request],
        review_configs=[config],
        usage=usage,
    )


def _list_arguments(proposal: Proposal) -> dict[str, Any]:
    """Return what the question shows of it; what is empty may be left out."""
    always = {
        "repository": proposal.repository,
        "remote": proposal.remote,
        "branch": proposal.branch,
        "title": proposal.title,
        "body": proposal.body,
        "commit_message": proposal.message,
    }
    sometimes = {
        "push_address": proposal.push_address,
        "push_addresses": list(proposal.push_addresses if len(proposal.push_addresses) > 1 else ()),
        "hooks": proposal.list_hooks(),
        "hooks_path": proposal.hooks_path,
        "unsearched": list(proposal.unsearched),
        "into": proposal.base_branch,
        "mixed": list(proposal.mixed),
        "left_out": list(proposal.left_out),
        "commits": list(proposal.commits),
    }
    return {**always, **{name: value for name, value in sometimes.items() if value}}


def build_open_question(record: PullRequestRecord) -> OpenQuestion:
    """Return the question of a record in the form of a checkpoint's, for the list of threads."""
    question = build_question(record.thread_id, read_proposal(record.proposal), {})
    requests = tuple(dict(request) for request in question.action_requests)
    configs = tuple(dict(config) for config in question.review_configs)
    return OpenQuestion(question.id, "", requests, configs)


def _describe_notes(proposal: Proposal) -> list[str]:
    """Return what the user should know before approving."""
    apart = [path for path in proposal.mixed if path not in proposal.whole]
    notes = ["it commits, pushes a branch and opens a pull request"]
    if apart:
        notes.append(text(APART_NOTE, files=", ".join(apart)))
    if proposal.whole:
        notes.append(text(WHOLE_NOTE, files=", ".join(proposal.whole)))
    if proposal.left_out:
        notes.append(text(LEFT_OUT_NOTE, files=", ".join(proposal.left_out)))
    if len(proposal.push_addresses) > 1:
        addresses = ", ".join(proposal.push_addresses)
        notes.append(text(ADDRESSES, count=len(proposal.push_addresses), addresses=addresses))
    if proposal.hooks:
        template = HOOKS_OF_REPOSITORY if proposal.hooks_path else HOOKS
        notes.append(text(template, hooks=", ".join(proposal.list_hooks())))
    if proposal.unsearched:
        notes.append(text(UNSEARCHED, files=", ".join(proposal.unsearched)))
    if proposal.commits:
        notes.append(text(COMMITS, remote=proposal.remote, count=len(proposal.commits)))
    return notes
