"""Images that a model may look at: PNG, JPEG, GIF, WebP. Each is stored once, by its hash."""

import hashlib
import io
import re
import warnings
from pathlib import Path

from PIL import Image, ImageOps, UnidentifiedImageError
from typing_extensions import TypedDict

from ...config.security.private_files import make_private_folder, replace_file
from ..result import ToolError

# Anthropic refuses more pixels on a side where a request has many images
MAX_SIDE = 2_000
# Anthropic counts 5 MB of base64
MAX_BYTES = 3_700_000
# Qwen refuses less
MIN_SIDE = 11
# Most pixels that are decoded: 3 bytes of memory each
MAX_PIXELS = 100_000_000
_QUALITIES = (85, 60, 30)
_TYPES = ("PNG", "JPEG", "GIF", "WEBP")
# Most bytes of a file that is opened as an image
MAX_IMAGE_BYTES = 20_000_000
SUFFIXES = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
}
_STORED_NAME = re.compile(r"[0-9a-f]{64}\.(png|jpg|gif|webp)")


def fit_image(name: str, data: bytes) -> bytes:
    """Return the image, made smaller where it is too large for a request; else the same bytes.

    Raises ToolError for one that cannot be decoded; of an animation the first picture counts.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a large image: the limit is ours
            image = Image.open(io.BytesIO(data), formats=_TYPES)
            if image.width * image.height > MAX_PIXELS:
                raise ToolError(
                    f"`{name}` has {image.width:,} x {image.height:,} pixels, too many to show"
                )
            image.load()
    except (OSError, UnidentifiedImageError, ValueError, SyntaxError, EOFError) as error:
        raise ToolError(f"`{name}` cannot be shown: the image is damaged ({error})") from error
    except Image.DecompressionBombError as error:
        raise ToolError(f"`{name}` has too many pixels to show") from error
    is_still = getattr(image, "n_frames", 1) == 1
    if is_still and len(data) <= MAX_BYTES and _fits(image):
        return data
    return _encode(_scale(ImageOps.exif_transpose(image)))


def _fits(image: Image.Image) -> bool:
    return min(image.size) >= MIN_SIDE and max(image.size) <= MAX_SIDE


def _scale(image: Image.Image) -> Image.Image:
    """Return the image within the sides that are accepted; a narrow one gets a margin."""
    if image.mode not in ("L", "RGB", "RGBA"):
        has_alpha = "A" in image.getbands() or "transparency" in image.info
        image = image.convert("RGBA" if has_alpha else "RGB")
    if max(image.size) > MAX_SIDE:
        image.thumbnail((MAX_SIDE, MAX_SIDE))
    if min(image.size) < MIN_SIDE:
        size = (max(image.width, MIN_SIDE), max(image.height, MIN_SIDE))
        canvas = Image.new(image.mode, size, "white")
        canvas.paste(image)
        image = canvas
    return image


def _encode(image: Image.Image) -> bytes:
    """Encode without loss if that is small enough, else with less and less quality."""
    file = io.BytesIO()
    image.save(file, "PNG", optimize=False)
    for quality in _QUALITIES:
        if file.tell() <= MAX_BYTES:
            break
        file = io.BytesIO()
        image.convert("RGB").save(file, "JPEG", quality=quality)
    return file.getvalue()


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
