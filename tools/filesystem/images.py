"""Images that a model may look at: PNG, JPEG, GIF, WebP. Each is stored once, by its hash."""

import hashlib
import re
from pathlib import Path

from typing_extensions import TypedDict

from ...config.security.private_files import make_private_folder, replace_file

# Most bytes of a file that is opened as an image
MAX_IMAGE_BYTES = 20_000_000
SUFFIXES = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
}
_STORED_NAME = re.compile(r"[0-9a-f]{64}\.(png|jpg|gif|webp)")


class ImageReference(TypedDict):
    """An image of a message; its bytes are in the thread's folder of outputs."""

    id: str
    """The file's name: hash and suffix."""
    mime_type: str
    name: str
    """The image's path, for people."""


def detect_image(data: bytes) -> str:
    """Return the media type of an image by its first bytes; empty for anything else."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp"
    return ""


def has_image_suffix(path: str) -> bool:
    """Return whether the name ends like an image's."""
    return path.lower().endswith((*SUFFIXES.values(), ".jpeg"))


def describe_image(name: str, data: bytes) -> str:
    """Return what stands in the text for an image."""
    return f"[image {name}: {detect_image(data)}, {len(data):,} bytes]"


def store_image(folder: Path, name: str, data: bytes) -> ImageReference:
    """Keep the image in the folder, small enough for every model, unless it is there already.

    Raises ToolError for an image that cannot be decoded, and OSError.
    """
    from .image_scaling import fit_image  # brings Pillow

    data = fit_image(name, data)
    mime_type = detect_image(data)
    file = folder / (hashlib.sha256(data).hexdigest() + SUFFIXES[mime_type])
    if not file.exists():
        make_private_folder(folder)
        replace_file(file, data)
    return ImageReference(id=file.name, mime_type=mime_type, name=name)


def load_image(folder: Path, image: ImageReference) -> bytes | None:
    """Return the bytes of a stored image; None if it is gone."""
    if not _STORED_NAME.fullmatch(image["id"]):  # an imported thread may name any file
        return None
    try:
        return (folder / image["id"]).read_bytes()
    except OSError:
        return None
