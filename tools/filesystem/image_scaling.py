"""Images made fit for a request: decoded as a whole, and no larger than every provider takes.

A provider that refuses an image refuses every later request of the thread, which has it, too.
"""

import io
import warnings
import zlib

from PIL import Image, ImageOps, UnidentifiedImageError

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
_PNG_HEAD = b"\x89PNG\r\n\x1a\n"


def fit_image(name: str, data: bytes) -> bytes:
    """Return the image, made smaller where it is too large for a request; else the same bytes.

    Raises ToolError for one that cannot be decoded; of an animation the first picture counts.
    """
    data = _drop_damaged_notes(data)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a large image: the limit is ours
            image = Image.open(io.BytesIO(data), formats=_TYPES)
            if image.width * image.height > MAX_PIXELS:
                raise ToolError(
                    f"`{name}` has {image.width:,} x {image.height:,} pixels, too many to show"
                )
            image.load()
    except UnidentifiedImageError as error:
        raise ToolError(f"`{name}` cannot be shown: the image is damaged at its head") from error
    except (OSError, ValueError, SyntaxError, EOFError) as error:
        raise ToolError(f"`{name}` cannot be shown: the image is damaged ({error})") from error
    except Image.DecompressionBombError as error:
        raise ToolError(f"`{name}` has too many pixels to show") from error
    is_still = getattr(image, "n_frames", 1) == 1
    if is_still and len(data) <= MAX_BYTES and _fits(image):
        return data
    return _encode(_scale(ImageOps.exif_transpose(image)))


def _drop_damaged_notes(data: bytes) -> bytes:
    """Return a PNG without chunks that a picture does not need and whose checksum is wrong.

    Browsers show such a picture; Pillow, and so a provider, refuses it.
    """
    if not data.startswith(_PNG_HEAD):
        return data
    chunks, offset = [_PNG_HEAD], len(_PNG_HEAD)
    while offset < len(data):
        end = offset + 12 + int.from_bytes(data[offset : offset + 4], "big")
        chunk = data[offset:end]
        is_critical = chunk[4:5].isupper()  # so PNG marks them
        if is_critical or zlib.crc32(chunk[4:-4]).to_bytes(4, "big") == chunk[-4:]:
            chunks.append(chunk)
        offset = end
    return b"".join(chunks)


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
