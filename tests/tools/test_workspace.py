"""Which paths are inside a project, and which may be touched."""

import os
from pathlib import Path

import pytest

from maxagent.config.errors import UsageError
from maxagent.tools.result import ToolError
from maxagent.tools.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src/a.py").write_text("a\n")
    return Workspace(root)


@pytest.mark.parametrize(
    ("path", "real"),
    [
        ("src/a.py", "src/a.py"),
        ("./src//a.py", "src/a.py"),
        ("src/../src/a.py", "src/a.py"),
        ("../project/src/a.py", "src/a.py"),
        (".", "."),
        ("new/folder/file.txt", "new/folder/file.txt"),
        ("-rf", "-rf"),
        ("文件.txt", "文件.txt"),
        ("two\nlines", "two\nlines"),
        ("./~notes", "~notes"),
        ("..hidden", "..hidden"),
        ("$HOME", "$HOME"),
        ("a b", "a b"),
    ],
)
def test_a_path_inside_is_found(workspace: Workspace, path: str, real: str) -> None:
    assert workspace.to_relative(workspace.resolve(path)) == real


def test_an_absolute_path_inside_is_found(workspace: Workspace) -> None:
    assert workspace.resolve(str(workspace.root / "src/a.py")) == workspace.root / "src/a.py"


def test_the_root_may_be_named_through_a_link(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(workspace.root)
    through_link = Workspace(tmp_path / "alias")
    assert through_link.root == workspace.root
    assert through_link.resolve(str(tmp_path / "alias/src/a.py")) == workspace.root / "src/a.py"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("", "empty"),
        ("  ", "empty"),
        ("a\0b", "no file name can have"),
        ("a\ud800b", "no file name can have"),
        ("a\udcffb", "no file name can have"),
        ("~", "not expanded"),
        ("~/x", "not expanded"),
        ("~root/x", "not expanded"),
        ("x" * 256, "too long"),
        ("文" * 86, "too long"),
        ("x/" * 2049, "too long"),
        ("..", "outside"),
        ("../x", "outside"),
        ("src/../../x", "outside"),
        ("../project-too/x", "outside"),
        ("/etc/passwd", "outside"),
        ("//etc/passwd", "outside"),
        ("/proc/self/root/etc/passwd", "outside"),
        ("/proc/1/root/etc/passwd", "outside"),
        ("..\\x", "not a path inside"),
        ("src\\..\\..\\x", "not a path inside"),
        ("src/..\\x", "not a path inside"),
        ("C:\\x", "not a path inside"),
        ("c:/x", "not a path inside"),
        ("\\\\server\\share", "not a path inside"),
        ("file:///etc/passwd", "not a path inside"),
        ("FILE:/etc/passwd", "not a path inside"),
        ("https://example.org/x", "not a path inside"),
    ],
)
def test_any_other_path_is_refused(workspace: Workspace, path: str, reason: str) -> None:
    with pytest.raises(ToolError, match=reason):
        workspace.resolve(path)


@pytest.mark.slow
def test_a_path_of_many_folders_is_no_trouble(workspace: Workspace) -> None:
    assert workspace.resolve("x/" * 2000).name == "x"


def test_links_that_lead_outside_are_refused(workspace: Workspace, tmp_path: Path) -> None:
    root, outside = workspace.root, tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("secret")
    (root / "file").symlink_to(outside / "file")
    (root / "folder").symlink_to(outside)
    (root / "relative").symlink_to("../outside/file")
    (root / "dangling").symlink_to(outside / "not-yet")
    (root / "hop").symlink_to("file")
    for name in ["file", "folder/file", "folder/new", "relative", "dangling", "hop", "folder"]:
        with pytest.raises(ToolError, match="outside"):
            workspace.resolve(name)
    assert workspace.is_hidden(root / "hop") and workspace.is_hidden(root / "folder")


def test_links_that_stay_inside_lead_to_their_target(workspace: Workspace) -> None:
    root = workspace.root
    (root / "one").symlink_to("src/a.py")
    (root / "two").symlink_to("one")
    (root / "dir").symlink_to("src", target_is_directory=True)
    (root / "new").symlink_to("src/not-yet")
    assert workspace.resolve("two") == root / "src/a.py"
    assert workspace.resolve("dir/a.py") == root / "src/a.py"
    assert workspace.resolve("new") == root / "src/not-yet"
    assert not workspace.is_hidden(root / "two")


def test_a_link_to_itself_does_not_hang(workspace: Workspace) -> None:
    (workspace.root / "loop").symlink_to("loop")
    assert workspace.resolve("loop") == workspace.root / "loop"


def test_link_to_name_outside_utf8_is_refused(workspace: Workspace) -> None:
    os.symlink(b"na\xffme", os.fsencode(workspace.root / "link"))
    with pytest.raises(ToolError, match="outside|no file name"):
        workspace.resolve("link")


IGNORED = [
    ".env",
    ".ENV",
    ".env.local",
    ".Env.Production",
    "deep/er/.env",
    "line\nbreak/.env",
    ".env/inside",
    ".env/.env.example",
    ".env.example/.env",
    "server.pem",
    "SERVER.PEM",
    "id.key",
    "id.p12",
    "secrets",
    "secrets/a.txt",
    "Secrets/a.txt",
    "a/secrets/b/c.txt",
    "secrets/.env.example",
    "credentials/x",
    "CREDENTIALS",
    ".git/config",
    "vendor/lib/.git/config",
    ".GIT/Config",
    ".git/config.worktree",
    ".git/modules/lib/config",
    ".env.",
    ".env ",
    ".env::$DATA",
    "\uff0eenv",
    ".e\u200bnv",
    "src\\.env",
    "secrets\\a.txt",
    "secrets /a.txt",
    ".env~",
    ".envrc",
    "a/id_rsa",
    "id_rsa_work",
    "id_rsa.bak",
    "id_rsa.old",
    "id_rsa_work.bak",
    "id_ed25519.work",
    "id_ecdsa.2026-11-28",
    "a/id_dsa.orig",
    "id_ed25519.pub.bak",
    "ID_RSA.BACKUP",
    "AuthKey_A1B2.p8",
    "server.key.bak",
    "server.key.old",
    "secrets.tfvars",
    "prod.secret.auto.tfvars",
    "credentials.tfrc.json",
    ".cargo/credentials.toml",
    "a/.cargo/credentials",
    ".gem/credentials",
    "ID_ED25519",
    "id_token.key",
    ".ssh/known_hosts",
    ".aws/x",
    ".gnupg/x",
    ".kube/config",
    ".docker/config.json",
    "a/.docker/config.json",
    ".npmrc",
    ".pypirc",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".git-credentials",
    ".htpasswd",
    "a.pfx",
    "a.kdbx",
    "a.jks",
    "credentials.json",
    "config/Credentials.json",
    "application_default_credentials.json",
    "client_secret_12.apps.example.org.json",
    "client_secrets.json",
    "service-account.json",
    "deploy/service-account-prod.json",
    "service_account_key.json",
    "secrets.json",
    "release.keystore",
    "work.ppk",
    "terraform.tfstate",
    "infra/prod.tfstate.backup",
    ".my.cnf",
    ".vault-token",
    ".s3cfg",
    ".boto",
    ".dockercfg",
]
FREE = [
    ".env.example",
    ".env.sample",
    "a/.env.template",
    ".env.dist",
    ".environment",
    "example.env",
    "secrets.py",
    "my_secrets/a.txt",
    "credentials.md",
    "credentials.ts",
    "credentials.json.md",
    "credentials.schema.json",
    "test_credentials.json",
    "secrets.yaml",
    "secrets.test.ts",
    "service-account.yaml",
    "service_account.py",
    "android/app/debug.keystore",
    "keystore.py",
    "main.tf",
    "prod.tfvars",
    "tfstate.go",
    "boto.py",
    "keys.py",
    "monkey",
    "pem.txt",
    ".git/HEAD",
    ".gitignore",
    "environment.py",
    "env",
    ".env-notes",
    "id_map.py",
    "id_rsa.pub",
    "id_rsa_parser.py",
    "id_ed25519.pub",
    "id_rsa.md",
    "id_ecdsa.go",
    "id_dsa.c",
    "id_rsa_keys.yaml",
    ".cargo/config.toml",
    "i18n.key.ts",
    "terraform.tfvars",
    "a.p8.md",
    "credentials_test.go",
    "public.pem.md",
    "keyboard.py",
    "a.keys",
    "docker/config.json",
    ".docker/Dockerfile",
    "src/config",
    "sshd/.sshrc",
    "awesome/x",
    "ns::name.txt",
]


@pytest.mark.parametrize("path", IGNORED)
def test_ignored_path_is_refused_and_hidden(workspace: Workspace, path: str) -> None:
    with pytest.raises(ToolError, match="ignore patterns"):
        workspace.resolve(path)
    assert workspace.is_hidden(workspace.root / path)


@pytest.mark.parametrize("path", FREE)
def test_names_that_only_look_alike_stay_usable(workspace: Workspace, path: str) -> None:
    assert workspace.resolve(path) == workspace.root / path


def test_git_s_own_folder_is_never_listed(workspace: Workspace) -> None:
    assert workspace.is_hidden(workspace.root / ".git")
    assert workspace.is_hidden(workspace.root / "sub/.GIT/HEAD")
    assert not workspace.is_hidden(workspace.root / ".gitignore")


def test_an_ignored_file_is_refused_under_any_name(workspace: Workspace) -> None:
    root = workspace.root
    (root / ".env").write_text("KEY=1")
    (root / "harmless.txt").symlink_to(".env")
    (root / "hop").symlink_to("harmless.txt")
    (root / "plain").write_text("x")
    (root / "link.pem").symlink_to("plain")
    for name in ["harmless.txt", "hop", "link.pem", "src/../.env", str(root / ".env")]:
        with pytest.raises(ToolError, match="ignore patterns"):
            workspace.resolve(name)
    assert workspace.is_hidden(root / "hop")


@pytest.mark.parametrize(
    ("root", "own", "kept", "free"),
    [
        ("dots", "way", ["llc", "llc/a", "llc/new/b", "LLC/a"], ["llc2/a", ".", "a"]),
        ("dots", "dots/llc", ["llc/config.yaml"], [".llc/agents/x.md"]),
        ("dots", "dots/new", ["new", "new/x"], ["llc/a", ".llc/plans/x.md"]),
        (".", "way", ["dots/llc/a", "way", "way/new"], ["dots/a"]),
        (".", "dots/.llc", ["dots/.llc/notes.md"], ["dots/llc/a", "dots/.llc/plans/x.md"]),
        ("dots", "dots/.llc", [".llc", ".llc/plan", ".llc/plans2/x"], [".llc/plans/x.md"]),
        ("dots/llc", "way", [".", "a", "new"], ["plans/x.md"]),
        ("dots/llc/sub", "way", [".", "a"], []),
        ("dots/llc/plans", "way", [], [".", "x.md"]),
        ("/", "way", ["{place}/dots/llc/a"], ["{place}/dots/a"]),
    ],
)
def test_nothing_touches_our_own_folder_wherever_it_lies(
    tmp_path: Path, root: str, own: str, kept: list[str], free: list[str]
) -> None:
    (tmp_path / "dots/llc/sub").mkdir(parents=True)
    (tmp_path / "way").symlink_to("dots/llc")
    workspace = Workspace(tmp_path / root, own=tmp_path / own)
    for name in (one.format(place=tmp_path).lstrip("/") for one in kept):
        with pytest.raises(ToolError, match="MaxAgent's own folder"):
            workspace.resolve(name)
        assert workspace.is_hidden(workspace.root / name) and workspace.is_ignored(name)
    for name in (one.format(place=tmp_path).lstrip("/") for one in free):
        assert workspace.resolve(name) == workspace.root / name
        assert not workspace.is_hidden_name(name) and not workspace.is_ignored(name)


def test_error_for_hidden_name_does_not_reveal_existence(
    workspace: Workspace, tmp_path: Path
) -> None:
    root, said = workspace.root, set[str]()
    (root / "elsewhere").symlink_to(tmp_path)
    for make in [lambda: None, (root / ".env").touch, lambda: (root / ".env").symlink_to(tmp_path)]:
        (root / ".env").unlink(missing_ok=True)
        make()
        with pytest.raises(ToolError) as refusal:
            workspace.resolve(".env")
        said.add(str(refusal.value))
    assert len(said) == 1
    with pytest.raises(ToolError, match="ignore patterns"):
        workspace.resolve("elsewhere/.env")


def test_link_target_is_given_only_when_visible(workspace: Workspace, tmp_path: Path) -> None:
    root = workspace.root
    for name, target in {"in": "src/a.py", "out": tmp_path, "env": ".env", "git": ".git"}.items():
        (root / name).symlink_to(target)
    targets = {
        name: workspace.find_link_target(root / name) for name in ["in", "out", "env", "git"]
    }
    assert targets == {"in": "src/a.py", "out": None, "env": None, "git": None}


def test_the_patterns_are_the_workspace_s_own(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, ignore=("*.LOG", "!keep.log", "/build/"))
    with pytest.raises(ToolError):
        workspace.resolve("a/debug.log")
    with pytest.raises(ToolError):
        workspace.resolve("build/x")
    assert workspace.resolve("Keep.log") and workspace.resolve("src/build/x")
    assert workspace.resolve(".env")


@pytest.mark.parametrize("pattern", ["!", "[z-a]", "[[:alpha:]]", r"[a\]b].key", r"x/[!\-]"])
def test_invalid_pattern_fails_immediately(tmp_path: Path, pattern: str) -> None:
    with pytest.raises(UsageError, match="ignore_patterns"):
        Workspace(tmp_path, ignore=(".env", pattern))


def test_composed_and_decomposed_names_are_one(tmp_path: Path) -> None:
    with pytest.raises(ToolError):
        Workspace(tmp_path, ignore=("caf\u00e9",)).resolve("cafe\u0301")


def test_readable_folder_outside_is_read_but_never_written(tmp_path: Path) -> None:
    project, own = tmp_path / "project", tmp_path / "home"
    skill = own / "skills" / "night"
    for folder in (project, skill, own / "data"):
        folder.mkdir(parents=True)
    (skill / ".env").write_text("x")
    (skill / "out").symlink_to(own / "data")
    workspace = Workspace(project, (".env",), own, readable=(skill,))
    place = workspace.select_readable(str(skill / "a.md"))
    assert place.resolve(str(skill / "a.md")) == skill / "a.md"
    assert (place.to_shown("a.md"), workspace.to_shown("a.md")) == (str(skill / "a.md"), "a.md")
    for path in (skill / ".env", skill / "out/x"):
        with pytest.raises(ToolError):
            workspace.select_readable(str(path)).resolve(str(path))
    for path in (skill / "../other/a.md", f"{skill}er/a.md", own / "data/x", "a.md"):
        assert workspace.select_readable(str(path)) is workspace
    with pytest.raises(ToolError, match="outside the project"):
        workspace.resolve(str(skill / "a.md"))
