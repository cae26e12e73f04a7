"""Signatures of `ssh-keygen -Y sign` with an Ed25519 key, checked without a program or a library.

The arithmetic is that of RFC 8032, section 6. It checks what is public, so it need not hide its
time; a check takes some milliseconds.
"""

import base64
import binascii
import hashlib
import re

from ..text import text

# What a signature is for: one that was made for another purpose is not taken
NAMESPACE = "maxagent-policy"
KEY_TYPE = b"ssh-ed25519"
_MAGIC = b"SSHSIG"
_ARMOR = re.compile(
    rb"-----BEGIN SSH SIGNATURE-----\r?\n([A-Za-z0-9+/=\s]+)\n-----END SSH SIGNATURE-----"
)
_PRIME = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_CURVE = -121665 * pow(121666, -1, _PRIME) % _PRIME
_ROOT = pow(2, (_PRIME - 1) // 4, _PRIME)
# Extended coordinates: X, Y, Z, T
_Point = tuple[int, int, int, int]


def read_public_key(line: str) -> bytes:
    """Return the key of a line of `id_ed25519.pub`; raises ValueError."""
    kind, _, encoded = line.strip().partition(" ")
    if kind.encode() != KEY_TYPE:
        raise ValueError(text("the key must be one of `ssh-ed25519`"))
    return _read_key(_decode_base64(encoded.partition(" ")[0].encode()))


def verify_signature(content: bytes, armored: bytes, key: bytes) -> None:
    """Raise ValueError unless the signature is that of the key for this content."""
    match = _ARMOR.fullmatch(armored.strip())
    if not match:
        raise ValueError(text("the signature is not one of `ssh-keygen -Y sign`"))
    fields = _Fields(_decode_base64(b"".join(match[1].split())))
    if fields.take(len(_MAGIC)) != _MAGIC or fields.take(4) != b"\0\0\0\1":
        raise ValueError(text("the signature is not one of `ssh-keygen -Y sign`"))
    own_key, namespace, reserved, algorithm, signature = [fields.take_string() for _ in range(5)]
    if _read_key(own_key) != key:
        raise ValueError(text("it is signed with another key"))
    if namespace != NAMESPACE.encode() or reserved:
        raise ValueError(text("it is signed for another purpose than `{name}`", name=NAMESPACE))
    if algorithm not in (b"sha256", b"sha512") or fields.rest:
        raise ValueError(text("the signature is not one of `ssh-keygen -Y sign`"))
    digest = hashlib.new(algorithm.decode(), content).digest()
    parts = (namespace, reserved, algorithm, digest)
    message = _MAGIC + b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    inner = _Fields(signature)
    if inner.take_string() != KEY_TYPE or not verify(key, message, inner.take_string()):
        raise ValueError(text("the content is not what was signed"))


class _Fields:
    """Reads the fields of SSH's encoding."""

    def __init__(self, content: bytes) -> None:
        self.rest = content

    def take(self, size: int) -> bytes:
        """Return so many bytes; raises ValueError if there are fewer."""
        if size > len(self.rest):
            raise ValueError(text("the signature is cut off"))
        part, self.rest = self.rest[:size], self.rest[size:]
        return part

    def take_string(self) -> bytes:
        """Return a field with its length before it."""
        return self.take(int.from_bytes(self.take(4), "big"))


def _read_key(blob: bytes) -> bytes:
    fields = _Fields(blob)
    kind, key = fields.take_string(), fields.take_string()
    if kind != KEY_TYPE or len(key) != 32 or fields.rest:
        raise ValueError(text("the key must be one of `ssh-ed25519`"))
    return key


def _decode_base64(content: bytes) -> bytes:
    try:
        return base64.b64decode(content, validate=True)
    except binascii.Error as error:
        raise ValueError(text("it is not base64")) from error


def verify(key: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether an Ed25519 signature is valid: RFC 8032, 5.1.7, without the cofactor."""
    if len(key) != 32 or len(signature) != 64:
        return False
    public, commitment = _decompress(key), _decompress(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if public is None or commitment is None or scalar >= _ORDER:
        return False
    hashed = hashlib.sha512(signature[:32] + key + message).digest()
    challenge = int.from_bytes(hashed, "little") % _ORDER
    return _is_equal(_multiply(scalar, _BASE), _add(commitment, _multiply(challenge, public)))


def _add(first: _Point, second: _Point) -> _Point:
    a = (first[1] - first[0]) * (second[1] - second[0]) % _PRIME
    b = (first[1] + first[0]) * (second[1] + second[0]) % _PRIME
    c = 2 * first[3] * second[3] * _CURVE % _PRIME
    d = 2 * first[2] * second[2] % _PRIME
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _PRIME, g * h % _PRIME, f * g % _PRIME, e * h % _PRIME


def _multiply(scalar: int, point: _Point) -> _Point:
    result: _Point = (0, 1, 1, 0)
    while scalar > 0:
        if scalar & 1:
            result = _add(result, point)
        point = _add(point, point)
        scalar >>= 1
    return result


def _is_equal(first: _Point, second: _Point) -> bool:
    return (
        not (first[0] * second[2] - second[0] * first[2]) % _PRIME
        and not (first[1] * second[2] - second[1] * first[2]) % _PRIME
    )


def _decompress(encoded: bytes) -> _Point | None:
    y = int.from_bytes(encoded, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    if y >= _PRIME:
        return None
    square = (y * y - 1) * pow(_CURVE * y * y + 1, -1, _PRIME) % _PRIME
    x = pow(square, (_PRIME + 3) // 8, _PRIME)
    if (x * x - square) % _PRIME:
        x = x * _ROOT % _PRIME
    if (x * x - square) % _PRIME or (not x and sign):
        return None
    if x & 1 != sign:
        x = _PRIME - x
    return x, y, 1, x * y % _PRIME


def _find_base() -> _Point:
    point = _decompress((4 * pow(5, -1, _PRIME) % _PRIME).to_bytes(32, "little"))
    assert point
    return point


_BASE = _find_base()
