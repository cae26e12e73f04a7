"""Nothing that the repository configures runs while its work is published; the user's own does."""

from pathlib import Path

import pytest
from git_checkout import GitCheckout
from hosting_server import NAME, OWNER, TOKEN, HostingServer

from maxagent import trust
from maxagent.config.errors import UsageError
from maxagent.memory.threads.pull_requests import PullRequestRecord
from maxagent.sdk.pull_requests.execution import Execution
from maxagent.sdk.pull_requests.proposal import Proposal
from maxagent.sdk.pull_requests.publication import check_publication
from maxagent.sdk.pull_requests.user_commit import plan_whole_commit
from maxagent.tools.git.commits import Identity
from maxagent.tools.git.hooks import HooksChangedError, find_hooks
from maxagent.tools.git.isolated_git import open_isolated_git
from maxagent.tools.git.object_scan import SecretsFoundError

BRANCH = "mcode/x"
ADA = Identity("Ada", "ada@example.com", "1700000000 +0000")
SSH_URL = f"git@github.com:{OWNER}/{NAME}.git"
PROGRAMS = (
    *("gpg.program", "gpg.openpgp.program", "gpg.ssh.program", "gpg.ssh.defaultKeyCommand"),
    *("gpg.x509.program", "core.sshCommand", "core.askPass", "core.editor", "core.pager"),
    *("core.fsmonitor", "core.alternateRefsCommand", "core.gitProxy", "credential.helper"),
    *("credential.https://github.com.helper", "remote.origin.receivepack"),
    *("remote.origin.uploadpack", "filter.x.clean", "filter.x.smudge", "filter.x.process"),
    *("diff.external", "diff.x.command", "diff.x.textconv", "merge.x.driver", "sequence.editor"),
    *("pager.log", "pager.show", "pager.config", "trailer.x.command", "interactive.diffFilter"),
    *("uploadpack.packObjectsHook", "gc.recentObjectsHook", "hook.x.command"),
)
ALIASES = ("push", "commit", "commit-tree", "rev-list", "fetch")
# Hooks that git runs at its own accord; none of them is run by us
OTHER_HOOKS = ("reference-transaction", "post-index-change", "post-checkout", "pre-auto-gc")
GPG = """#!/bin/sh
echo gpg >> {canary}
cat > /dev/null
printf -- '-----BEGIN PGP SIGNATURE-----\\n\\nAA==\\n-----END PGP SIGNATURE-----\\n'
echo '[GNUPG:] SIG_CREATED ' >&2
"""
SSH = """#!/bin/sh
echo ssh >> {canary}
for command; do :; done
exec ${{command%% *}} {bare}
"""


class World:
    """A repository that names a program wherever it can, and a user who has own ones."""

    def __init__(self, target_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.home, self.canary, self.own = (
            target_path / "home",
            target_path / "canary",
            target_path / "own",
        )
        self.place = target_path
        monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
        monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(target_path / "gitconfig"))
        self.checkout = GitCheckout(target_path / "project", target_path / "remote.git")
        self.second = GitCheckout(target_path / "other", target_path / "second.git")
        self.checkout.write("a.txt", "one\n")
        self.base = self.checkout.commit()
        self.configure_user()

    def configure_user(self) -> None:
        """Give the user a program that signs, and one that connects."""
        lines = list[str]()
        for key, script in (("gpg.program", GPG), ("core.sshCommand", SSH)):
            file = self.place / f"own-{key}"
            file.write_text(script.format(canary=self.own, bare=self.second.bare))
            file.chmod(0o755)
            section, _, name = key.partition(".")
            lines.append(f"[{section}]\n\t{name} = {file}\n")
        lines.append("[commit]\n\tgpgsign = true\n")
        (self.place / "gitconfig").write_text("".join(lines))

    def write_program(self, name: str) -> str:
        file = self.place / "programs" / name.replace("/", "-")
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\necho {name} >> {self.canary}\nexit 1\n")
        file.chmod(0o755)
        return str(file)

    def configure_repository(self) -> None:
        """Name a program in every setting, also in an included file, and as a hook."""
        git = self.checkout.git
        for key in PROGRAMS:
            git("config", key, self.write_program(key))
        for name in ALIASES:
            git("config", f"alias.{name}", f"!{self.write_program(f'alias-{name}')}")
        git("config", "hook.x.event", "reference-transaction")
        included = self.place / "project" / ".git" / "more"
        included.write_text(f"[gpg]\n\tprogram = {self.write_program('included')}\n")
        git("config", "include.path", "more")
        for name in OTHER_HOOKS:
            self.checkout.hook(name, f"echo {name} >> {self.canary}")
        self.checkout.write(".git/info/attributes", "*.sh filter=x diff=x merge=x\n")

    def plan(self) -> Proposal:
        """Return a proposal for a new file, as it is approved."""
        index = {"GIT_INDEX_FILE": str(self.place / "index")}
        git = self.checkout.git
        self.place.joinpath("new").write_text("new\n")
        blob = git("hash-object", "-w", "--no-filters", str(self.place / "new"))
        git("read-tree", self.base, env=index)
        git("update-index", "--add", "--cacheinfo", f"100644,{blob},b.sh", env=index)
        tree = git("-c", "core.fsmonitor=false", "write-tree", env=index)
        fields = dict.fromkeys(("base_branch", "title", "body"), "x")
        return Proposal(
            repository=f"github.com/{OWNER}/{NAME}",
            remote="origin",
            branch=BRANCH,
            base=self.base,
            tree=tree,
            message="new\n",
            author=ADA,
            committer=ADA,
            files=({"path": "b.sh", "kind": "added"},),
            diff="",
            last_entry=0,
            **fields,
        )

    async def publish(self, proposal: Proposal) -> PullRequestRecord:
        """Commit and push; the pull request itself is not opened."""
        publication = await check_publication(self.checkout.folder, self.home)
        execution = Execution(publication, proposal, self.place / "commits")
        record = PullRequestRecord("t", "approved")
        try:
            while record.state != "pushed":
                record = await execution.advance(record)
        finally:
            await execution.close()
        return record

    async def agree_to_hooks(self, proposal: Proposal) -> Proposal:
        publication = await check_publication(self.checkout.folder, self.home)
        async with open_isolated_git(publication.git) as isolated:
            return proposal.with_hooks(await find_hooks(isolated.repository, isolated.settings))

    def read(self, file: Path) -> list[str]:
        return sorted(set(file.read_text().split())) if file.exists() else []


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(tmp_path, monkeypatch)


@pytest.fixture
def hosting(monkeypatch: pytest.MonkeyPatch):
    with HostingServer() as server:
        monkeypatch.setenv("GITHUB_API_URL", server.url)
        yield server


@pytest.mark.usefixtures("hosting")
async def test_only_programs_of_the_user_run(world: World) -> None:
    world.checkout.git("config", "--add", "remote.origin.pushurl", SSH_URL)
    proposal = world.plan()
    world.configure_repository()
    trust(world.checkout.folder, world.home)
    record = await world.publish(proposal)
    assert world.read(world.canary) == []
    assert world.read(world.own) == ["gpg", "ssh"]
    assert "PGP SIGNATURE" in world.checkout.remote("cat-file", "commit", record.commit)
    assert (world.checkout.branches, world.second.branches) == ([BRANCH], [BRANCH])


async def test_commit_of_the_user_runs_only_own_programs(world: World) -> None:
    world.configure_repository()
    world.checkout.write(".git/info/attributes", "")
    world.checkout.write("b.txt", "new\n")
    trust(world.checkout.folder, world.home)
    planned = await plan_whole_commit(world.checkout.folder, world.home)
    await planned.make("new\n")
    assert (world.read(world.canary), world.read(world.own)) == ([], ["gpg"])
    head = world.checkout.git("-c", "core.pager=cat", "cat-file", "commit", "HEAD")
    assert "PGP SIGNATURE" in head


async def test_filter_of_the_repository_alone_is_denied(world: World) -> None:
    world.checkout.git("config", "filter.x.clean", "tr a-z A-Z")
    world.checkout.write("b.sh", "new\n")
    world.checkout.write(".gitattributes", "*.sh filter=x\n")
    trust(world.checkout.folder, world.home)
    with pytest.raises(UsageError, match=r"`b\.sh` needs the filter `x`"):
        await plan_whole_commit(world.checkout.folder, world.home)
    with (world.place / "gitconfig").open("a") as file:
        file.write('[filter "x"]\n\tclean = sed s/new/clean/\n')
    planned = await plan_whole_commit(world.checkout.folder, world.home)
    assert "+clean" in planned.diff


HOOKS = "pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-push"


@pytest.mark.usefixtures("hosting")
async def test_hooks_of_the_question_run_in_order(world: World) -> None:
    for name in HOOKS:
        world.checkout.hook(name, f"cat >&2; echo {name} $GIT_INDEX_FILE >> {world.canary}")
    world.checkout.hook("commit-msg", f"echo commit-msg >> {world.canary}; echo more >> $1")
    trust(world.checkout.folder, world.home)
    proposal = await world.agree_to_hooks(world.plan())
    record = await world.publish(proposal)
    ran = [line.split()[0] for line in world.canary.read_text().splitlines()]
    assert ran == list(HOOKS)
    assert world.checkout.remote("log", "-1", "--format=%B", record.commit) == "new\nmore"


CHANGES = {
    "another content": ".git/hooks/pre-commit",
    "another script that it names": "lint.sh",
    "another file beside it": ".git/hooks/shared",
    "a new hook": ".git/hooks/commit-msg",
}


@pytest.mark.parametrize("change", CHANGES)
async def test_hook_that_changed_is_not_run(change: str, world: World) -> None:
    world.checkout.write("lint.sh", "exit 0\n")
    world.checkout.write(".git/hooks/shared", "exit 0\n")
    world.checkout.hook("pre-commit", f"sh lint.sh; echo ran >> {world.canary}")
    trust(world.checkout.folder, world.home)
    proposal = await world.agree_to_hooks(world.plan())
    world.checkout.write(CHANGES[change], f"#!/bin/sh\necho ran >> {world.canary}\n").chmod(0o755)
    trust(world.checkout.folder, world.home)
    with pytest.raises(HooksChangedError):
        await world.publish(proposal)
    assert world.read(world.canary) == []


async def test_hooks_path_of_the_repository_is_named(world: World) -> None:
    hook = world.checkout.write("husky/_/pre-commit", '#!/bin/sh\n. "$(dirname "$0")/h"\n')
    hook.chmod(0o755)
    world.checkout.write("husky/pre-commit", "npm test\n")
    world.checkout.git("config", "core.hooksPath", "husky/_")
    trust(world.checkout.folder, world.home)
    proposal = await world.agree_to_hooks(world.plan())
    assert (proposal.list_hooks(), proposal.hooks_path) == (["husky/_/pre-commit"], "husky/_")
    assert proposal.needs_answer
    world.checkout.write("husky/pre-commit", "echo other\n")
    trust(world.checkout.folder, world.home)
    assert (await world.agree_to_hooks(proposal)).hooks != proposal.hooks


@pytest.mark.usefixtures("hosting")
async def test_secret_that_a_hook_adds_is_not_pushed(world: World) -> None:
    script = 'echo "ghp_$(printf aB3d%.0s 1 2 3 4 5 6 7 8 9)" >> b.sh; git add b.sh'
    world.checkout.hook("pre-commit", script)
    trust(world.checkout.folder, world.home)
    proposal = await world.agree_to_hooks(world.plan())
    with pytest.raises(SecretsFoundError, match=r"b\.sh:2"):
        await world.publish(proposal)
    assert world.checkout.branches == []
