"""A secret in any form that a push would send is found, whatever the repository says."""

import asyncio
import base64
import bz2
import gzip
import io
import lzma
import re
import subprocess
import tarfile
import zipfile
from collections import defaultdict
from dataclasses import dataclass, field

import pytest
from git_checkout import GitCheckout

from maxagent.tools.git import object_scan
from maxagent.tools.git.isolated_git import open_isolated_git
from maxagent.tools.git.object_scan import ScanResult, scan_objects
from maxagent.tools.git.user_git import UserGit

TOKEN = "ghp_" + "aB3d" * 9
LINE = f"token = {TOKEN}\n"
HALVES = TOKEN[:20], TOKEN[20:]
THIRDS = TOKEN[:14], TOKEN[14:27], TOKEN[27:]
KEY = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n"
NOISE = bytes(range(256)) * 4
PNG = b"\x89PNG\r\n\x1a\n" + NOISE


def pack_zip(content: bytes, name: str = "a.txt") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return file.getvalue()


def pack_tar(content: bytes) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        info = tarfile.TarInfo("a.txt")
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return file.getvalue()


@dataclass(frozen=True)
class Form:
    """A commit that hides a secret; `first` are the files of a commit before it."""

    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    message: str = "change"
    author: str = "Ada <ada@example.com>"
    committer: str = "Ada <ada@example.com>"
    first: dict[str, bytes] = field(default_factory=dict[str, bytes])
    mode: str = "100644"


CONTENTS: dict[str, bytes] = {
    "plain": LINE.encode(),
    "no line end": TOKEN.encode(),
    "crlf": f"a\r\n{LINE.strip()}\r\n".encode(),
    "utf-8 mark": b"\xef\xbb\xbf" + LINE.encode(),
    "utf-16": LINE.encode("utf-16"),
    "utf-16 big": b"\xfe\xff" + LINE.encode("utf-16-be"),
    "utf-16 little, no mark": LINE.encode("utf-16-le"),
    "utf-16 big, no mark": LINE.encode("utf-16-be"),
    "utf-16 with other letters": f"令牌是 {TOKEN}，不要外传。".encode("utf-16"),
    "utf-32": LINE.encode("utf-32"),
    "utf-16 in a binary": PNG + LINE.encode("utf-16-le") + NOISE,
    "nul before": b"\0" + LINE.encode(),
    "nul after": LINE.encode() + b"\0",
    "nul inside": f"{'a word ' * 20}{HALVES[0]}\0{HALVES[1]}".encode(),
    "image": PNG + LINE.encode() + NOISE,
    "program": b"\x7fELF" + NOISE + b"\0" + TOKEN.encode() + b"\0" + NOISE,
    "latin-1": f"clé = {TOKEN}\n".encode("latin-1"),
    "gbk": f"令牌 {TOKEN}\n".encode("gbk"),
    "far behind": b"x\n" * 100_000 + LINE.encode(),
    "long line": b"x " * 100_000 + TOKEN.encode(),
    "two lines": f"token = {HALVES[0]}\n{HALVES[1]}\n".encode(),
    "two lines, crlf": f"token = {HALVES[0]}\r\n{HALVES[1]}\r\n".encode(),
    "two lines at their begin": f"a\n{HALVES[0]}\n{HALVES[1]}\n".encode(),
    "three lines": "\n  ".join(["token: >", *THIRDS]).encode(),
    "backslash": f"TOKEN={HALVES[0]}\\\n{HALVES[1]}\n".encode(),
    "strings": f't = "{HALVES[0]}" +\n    "{HALVES[1]}"\n'.encode(),
    "strings, sign first": f"t = '{HALVES[0]}'\n    . '{HALVES[1]}';\n".encode(),
    "comment": f"# {HALVES[0]}\n# {HALVES[1]}\n".encode(),
    "two lines in utf-16": f"token = {HALVES[0]}\n{HALVES[1]}\n".encode("utf-16"),
    "base64": base64.b64encode(LINE.encode()),
    "base64 in lines": base64.encodebytes(b'{"a": "' + b"x" * 90 + LINE.encode() + b'"}'),
    "base64 for addresses": base64.urlsafe_b64encode(b"?>?>" + LINE.encode()),
    "private key": KEY.encode(),
    "private key, crlf": KEY.replace("\n", "\r\n").encode(),
    "private key in utf-16": KEY.encode("utf-16"),
    "private key in an image": PNG + KEY.encode(),
    "json": f'{{"token": "{TOKEN}"}}'.encode(),
    "zip": pack_zip(LINE.encode()),
    "zip, by name": pack_zip(b"x", f"{TOKEN}.txt"),
    "zip in a zip": pack_zip(pack_zip(LINE.encode())),
    "gzip": gzip.compress(LINE.encode()),
    "gzip, second part": gzip.compress(b"x") + gzip.compress(LINE.encode()),
    "tar": pack_tar(LINE.encode()),
    "bzip2": bz2.compress(LINE.encode()),
    "xz": lzma.compress(LINE.encode()),
    "lfs pointer": f"version https://git-lfs.github.com/spec/v1\noid {TOKEN}\n".encode(),
}
ATTRIBUTES = {
    "-diff": "*.cfg -diff",
    "binary": "* binary",
    "diff driver": "*.cfg diff=hide",
    "filter": "*.cfg filter=hide",
    "-text": "*.cfg -text -crlf",
    "export-ignore": "*.cfg export-ignore",
    "encoding": "*.cfg working-tree-encoding=UTF-16",
    "generated": "*.cfg linguist-generated -diff -merge",
}
FORMS: dict[str, Form] = {
    **{name: Form({"a.cfg": content}) for name, content in CONTENTS.items()},
    **{
        f"attribute {name}": Form({"a.cfg": LINE.encode(), ".gitattributes": f"{line}\n".encode()})
        for name, line in ATTRIBUTES.items()
    },
    "attribute below": Form({"d/a.cfg": LINE.encode(), "d/.gitattributes": b"* -diff\n"}),
    "name of a file": Form({f"{TOKEN}.txt": b"x"}),
    "name of a folder": Form({f"d/{TOKEN}/a.txt": b"x"}),
    "name with a line break": Form({f'"{HALVES[0]}\\n{HALVES[1]}"': b"x"}),
    "name that is not utf-8": Form({f'"\\377 {TOKEN}"': b"x"}),
    "link": Form({"link": TOKEN.encode()}, mode="120000"),
    "program's mode": Form({"a.sh": LINE.encode()}, mode="100755"),
    "subject": Form(message=f"use {TOKEN}"),
    "body": Form(message=f"use it\n\n{LINE}"),
    "body in two lines": Form(message=f"use it\n\n{HALVES[0]}\n{HALVES[1]}\n"),
    "trailer": Form(message=f"use it\n\nToken: {TOKEN}\n"),
    "author": Form(author=f"{TOKEN} <ada@example.com>"),
    "author's address": Form(author=f"Ada <{TOKEN}@example.com>"),
    "committer": Form(committer=f"{TOKEN} <ada@example.com>"),
    "committer's address": Form(committer=f"Ada <{TOKEN}@example.com>"),
    "earlier commit": Form({"a.cfg": b"clean\n"}, first={"a.cfg": LINE.encode()}),
    "earlier file": Form({"b.cfg": b"clean\n"}, first={"a.cfg": LINE.encode()}),
    "submodule's address": Form({".gitmodules": f'[submodule "x"]\n\turl={LINE}'.encode()}),
}
SETTINGS = {
    "core.bigFileThreshold": "1",
    "diff.external": "true",
    "diff.hide.textconv": "true",
    "diff.hide.binary": "true",
    "filter.hide.clean": "true",
    "i18n.logOutputEncoding": "UTF-16",
    "log.showSignature": "true",
    "core.attributesFile": "/dev/null",
}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> GitCheckout:
    """A repository with a branch for each form, and with all that could hide one."""
    location = tmp_path_factory.mktemp("scan")
    checkout = GitCheckout(location / "project", location / "remote.git")
    checkout.write("base.txt", "base\n")
    checkout.commit()
    subprocess.run(
        ["git", "fast-import", "--quiet"],
        cwd=checkout.folder,
        input=b"".join(render(number, form) for number, form in enumerate(FORMS.values())),
        check=True,
    )
    for key, value in SETTINGS.items():
        checkout.git("config", key, value)
    checkout.write(".git/info/attributes", "* -diff\n")
    return checkout


def render(number: int, form: Form) -> bytes:
    """Return the form's commits for `git fast-import`."""
    lines = list[bytes]()
    for files, message in ((form.first, "first"), (form.files, form.message)):
        if not files and message == "first":
            continue
        parent = b"from refs/heads/main^0\n" if not lines else b""
        lines += [
            f"commit refs/heads/form-{number}\nauthor {form.author} 1700000000 +0000\n".encode(),
            f"committer {form.committer} 1700000000 +0000\n".encode(),
            b"data %d\n%s\n" % (len(message), message.encode()),
            parent,
        ]
        for path, content in files.items():
            if number >= len(CONTENTS):  # each form has an object of its own
                content += b"\n%d" % number
            quote, name = ('"', path[1:]) if path.startswith('"') else ("", path)
            lines.append(f"M {form.mode} inline {quote}{number}/{name}\n".encode())
            lines += [b"data %d\n" % len(content), content, b"\n"]
    return b"".join(lines)


async def scan(checkout: GitCheckout, tip: str, text: str = "main") -> ScanResult:
    tips = checkout.git("rev-parse", tip).split("\n")
    async with open_isolated_git(UserGit(checkout.folder)) as isolated:
        return await scan_objects(isolated, tips, (checkout.git("rev-parse", text),))


@pytest.fixture(scope="module")
def places(checkout: GitCheckout) -> dict[int, set[str]]:
    """The places with secrets, by the number of the form; all forms are searched at once."""
    text = "--format=%(objectname) %(refname:lstrip=2)"
    parts = checkout.git("for-each-ref", text, "refs/heads/form-*").split("\n")
    forms = {commit[:10]: int(name.split("-")[1]) for commit, name in map(str.split, parts)}
    result = asyncio.run(scan(checkout, "--all"))
    assert result.unsearched == ()
    assert TOKEN not in repr(result)
    outcome = defaultdict[int, set[str]](set)
    for secret in result.secrets:
        number = re.search(r"(?:^|`)(\d+)\b", secret.place)
        commit = secret.place.removeprefix("commit ")
        outcome[int(number[1]) if number else forms[commit]].add(secret.place)
    return outcome


@pytest.mark.parametrize("name", FORMS)
def test_hidden_secret_is_found(name: str, places: dict[int, set[str]]) -> None:
    assert places[list(FORMS).index(name)]


async def test_secret_in_a_header_of_a_commit_is_found(checkout: GitCheckout) -> None:
    head = checkout.git("cat-file", "commit", "main")
    forged = head.replace("\ncommitter", f"\nx-note {TOKEN}\ncommitter", 1)
    file = checkout.write("../commit", forged + "\n")
    commit = checkout.git("hash-object", "-t", "commit", "-w", "--literally", str(file))
    [secret] = (await scan(checkout, commit)).secrets
    assert str(secret) == f"commit {commit[:10]} (GitHub token)"


async def test_own_content_of_a_merge_is_found(checkout: GitCheckout) -> None:
    base = checkout.git("rev-parse", "main")
    blob = checkout.git("hash-object", "-w", str(checkout.write("../blob", LINE)))
    tree = checkout.git("rev-parse", "main^{tree}")
    env = {"GIT_INDEX_FILE": str(checkout.folder / "../merge-index")}
    checkout.git("read-tree", tree, env=env)
    checkout.git("update-index", "--add", "--cacheinfo", f"100644,{blob},m.txt", env=env)
    side = checkout.git("commit-tree", "-p", base, "-m", "side", tree)
    merge = checkout.git(
        "commit-tree", "-p", base, "-p", side, "-m", "merge", checkout.git("write-tree", env=env)
    )
    assert [secret.place for secret in (await scan(checkout, merge)).secrets] == ["m.txt"]


LIES = {
    "forged reference": "git update-ref refs/remotes/origin/main form-0",
    "shallow end": "git rev-parse form-0 > .git/shallow",
    "replaced content": "git replace form-0:0/a.cfg main:base.txt",
    "replaced commit": "git replace -f form-0 main",
    "graft": "echo $(git rev-parse form-0) > .git/info/grafts",
    "tag": "git tag known form-0",
    "commit graph": "git commit-graph write --reachable",
}


@pytest.mark.parametrize("lie", LIES)
async def test_repository_hides_no_object(lie: str, checkout: GitCheckout) -> None:
    commit = checkout.git("rev-parse", "form-0")
    subprocess.run(["sh", "-ce", LIES[lie]], cwd=checkout.folder, check=True)
    try:
        result = await scan(checkout, commit)
    finally:
        undo = "rm -rf .git/shallow .git/info/grafts .git/refs/replace; git tag -d known || true"
        subprocess.run(["sh", "-c", undo], cwd=checkout.folder, check=True, capture_output=True)
    assert [str(secret) for secret in result.secrets] == ["0/a.cfg:1 (GitHub token)"]


@pytest.mark.parametrize(
    "content",
    [b"7z\xbc\xaf\x27\x1c" + NOISE, pack_zip(b"x")[:-8], b"\x1f\x8b" + NOISE],
    ids=["unknown", "damaged zip", "damaged gzip"],
)
async def test_unreadable_archive_is_named(content: bytes, checkout: GitCheckout) -> None:
    file = checkout.folder / "../archive"
    file.write_bytes(content)
    blob = checkout.git("hash-object", "-w", str(file))
    async with open_isolated_git(UserGit(checkout.folder)) as isolated:
        result = await scan_objects(isolated, (blob,), ())
    assert len(result.unsearched) == 1


async def test_large_content_is_named(
    checkout: GitCheckout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(object_scan, "MAX_OBJECT", 100_000)
    [name] = (await scan(checkout, f"form-{list(FORMS).index('far behind')}")).unsearched
    assert name.endswith("/a.cfg (0.2 MB)")


async def test_what_the_remote_has_is_not_searched(checkout: GitCheckout) -> None:
    assert (await scan(checkout, "form-0", "form-0")).secrets == ()


async def test_content_that_the_known_commit_has_is_not_searched(checkout: GitCheckout) -> None:
    assert (await scan(checkout, "main", "form-1")).secrets == ()
