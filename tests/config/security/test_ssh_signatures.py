"""Signatures of `ssh-keygen` and of RFC 8032 are taken, and nothing that differs by a bit."""

import base64
import shutil
import subprocess
from pathlib import Path

import pytest

from maxagent.config.security.ssh_signatures import (
    NAMESPACE,
    read_public_key,
    verify,
    verify_signature,
)

# RFC 8032, 7.1: public key, message, signature
VECTORS = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
        "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
        "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
]
needs_ssh = pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="ssh-keygen is not installed")


@pytest.mark.parametrize(("key", "message", "signature"), VECTORS)
def test_the_vectors_of_the_standard_hold(key: str, message: str, signature: str) -> None:
    parts = [bytes.fromhex(each) for each in (key, message, signature)]
    assert verify(*parts)
    for index in range(3):
        for bit in range(0, 8 * len(parts[index]), 37):
            changed = bytearray(parts[index])
            changed[bit // 8] ^= 1 << bit % 8
            assert not verify(*[*parts[:index], bytes(changed), *parts[index + 1 :]])
    high = int.from_bytes(parts[2][32:], "little") + 2**252 + 27742317777372353535851937790883648493
    assert not verify(parts[0], parts[1], parts[2][:32] + high.to_bytes(32, "little"))


def make_key(folder: Path, name: str, kind: str = "ed25519") -> Path:
    command = ["ssh-keygen", "-q", "-t", kind, "-N", "", "-f", str(folder / name)]
    subprocess.run(command, check=True)
    return folder / name


def sign(key: Path, content: bytes, namespace: str = NAMESPACE) -> bytes:
    command = ["ssh-keygen", "-Y", "sign", "-q", "-n", namespace, "-f", str(key)]
    return subprocess.run(command, input=content, capture_output=True, check=True).stdout


@needs_ssh
def test_what_ssh_keygen_signs_is_taken(tmp_path: Path) -> None:
    key = make_key(tmp_path, "key")
    public = read_public_key((tmp_path / "key.pub").read_text())
    for content in (b"", b"mode: ask\n", bytes(range(256)) * 999):
        verify_signature(content, sign(key, content), public)


@needs_ssh
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("content", "the content is not what was signed"),
        ("key", "it is signed with another key"),
        ("namespace", "it is signed for another purpose"),
        ("kind", "the key must be one of `ssh-ed25519`"),
        ("cut", "the signature is cut off"),
        ("empty", "the signature is not one of"),
        ("pgp", "the signature is not one of"),
        ("bit", "the content is not what was signed"),
    ],
)
def test_anything_else_is_not(tmp_path: Path, change: str, reason: str) -> None:
    key, content = make_key(tmp_path, "key"), b"mode: ask\n"
    public = read_public_key((tmp_path / "key.pub").read_text())
    signature = sign(key, content)
    body = base64.b64decode(b"".join(signature.splitlines()[1:-1]))
    match change:
        case "content":
            content += b"\n"
        case "key":
            signature = sign(make_key(tmp_path, "other"), content)
        case "namespace":
            signature = sign(key, content, "git")
        case "kind":
            signature = sign(make_key(tmp_path, "other", "ecdsa"), content)
        case "cut":
            signature = armor(body[:-20])
        case "empty":
            signature = b""
        case "pgp":
            signature = signature.replace(b"SSH", b"PGP")
        case _:
            signature = armor(body[:-1] + bytes([body[-1] ^ 1]))
    with pytest.raises(ValueError, match=reason):
        verify_signature(content, signature, public)


def armor(body: bytes) -> bytes:
    text = base64.b64encode(body)
    return b"-----BEGIN SSH SIGNATURE-----\n%s\n-----END SSH SIGNATURE-----\n" % text


@pytest.mark.parametrize(
    "line", ["", "ssh-rsa AAAA", "ssh-ed25519", "ssh-ed25519 !", "ssh-ed25519 AAAA", "RWQf6LRC"]
)
def test_a_key_that_is_none_is_refused(line: str) -> None:
    with pytest.raises(ValueError):
        read_public_key(line)
