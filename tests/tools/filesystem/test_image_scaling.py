import io
from functools import partial

import pytest
from pictures import PNG, build_png
from PIL import Image

from maxagent.tools.filesystem.image_scaling import MAX_BYTES, MAX_SIDE, MIN_SIDE, fit_image
from maxagent.tools.result import ToolError


def draw(width: int, height: int, mode: str = "RGB", form: str = "PNG", **more: object) -> bytes:
    file = io.BytesIO()
    Image.effect_noise((width, height), 90).convert(mode).save(file, form, **more)
    return file.getvalue()


KEPT = {
    "small PNG": partial(bytes, PNG),
    "photo": partial(draw, 640, 480, form="JPEG"),
    "with alpha": partial(draw, 100, 100, "RGBA"),
    "palette": partial(draw, 50, 60, "P"),
    "grey": partial(draw, 30, 30, "L", "WEBP"),
    "still GIF": partial(draw, 20, 20, "P", "GIF"),
    "CMYK": partial(draw, 40, 40, "CMYK", "JPEG"),
}
SCALED = {
    "too wide": partial(build_png, 9_000, 100),
    "too high": partial(build_png, 30, 6_750),
    "of a retina screen": partial(draw, 2_880, 1_800, "L"),
    "too many bytes": partial(draw, 1_500, 1_500),
    "one pixel": partial(build_png, 1, 1),
    "a line": partial(build_png, 300, 2),
    "palette too large": partial(draw, 3_000, 40, "P"),
    "alpha too large": partial(draw, 40, 3_000, "RGBA"),
    "turned": partial(draw, 2_100, 700, form="JPEG", exif=bytes(Image.Exif().tobytes())),
}


@pytest.mark.parametrize("name", KEPT)
def test_fitting_image_stays_as_it_is(name: str) -> None:
    data = KEPT[name]()
    assert fit_image("a", data) == data


@pytest.mark.parametrize("name", SCALED)
def test_image_is_scaled_to_what_providers_take(name: str) -> None:
    data = fit_image("a", SCALED[name]())
    image = Image.open(io.BytesIO(data))
    image.load()
    assert max(image.size) <= MAX_SIDE and min(image.size) >= MIN_SIDE
    assert len(data) <= MAX_BYTES


def test_first_picture_of_an_animation_counts() -> None:
    file = io.BytesIO()
    frames = [Image.new("P", (20, 20), color) for color in (1, 2, 3)]
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:])
    assert getattr(Image.open(io.BytesIO(fit_image("a", file.getvalue()))), "n_frames", 1) == 1


@pytest.mark.parametrize(
    "data",
    [
        draw(200, 200)[:5_000],
        draw(200, 200, form="JPEG")[:2_000],
        draw(200, 200, form="WEBP")[:300],
        b"\x89PNG\r\n\x1a\n" + b"pixels" * 50,
        b"GIF89a",
        b"\xff\xd8\xff\xe0",
        b"RIFF1234WEBPVP8 ",
        PNG[:40] + b"x" + PNG[41:],
    ],
)
def test_damaged_image_is_refused(data: bytes) -> None:
    with pytest.raises(ToolError, match="`a` cannot be shown: the image is damaged"):
        fit_image("a", data)


def add_chunk(data: bytes, kind: bytes, content: bytes, checksum: int) -> bytes:
    """Put a chunk behind the head of a PNG."""
    chunk = len(content).to_bytes(4, "big") + kind + content + checksum.to_bytes(4, "big")
    return data[:33] + chunk + data[33:]


@pytest.mark.parametrize("kind", [b"iCCP", b"tEXt", b"eXIf", b"gAMA", b"pHYs", b"iTXt", b"zzZz"])
def test_damaged_note_of_a_picture_is_left_out(kind: bytes) -> None:
    assert fit_image("a", add_chunk(PNG, kind, b"something", 1)) == PNG


@pytest.mark.parametrize("kind", [b"IHDR", b"PLTE", b"IDAT", b"ABCD"])
def test_damaged_part_of_a_picture_is_not(kind: bytes) -> None:
    with pytest.raises(ToolError, match="the image is damaged"):
        fit_image("a", add_chunk(PNG, kind, b"something", 1))


@pytest.mark.parametrize("size", [(60_000, 60_000), (20_000, 6_000), (200_000, 1_000)])
def test_bomb_is_refused_before_it_is_decoded(size: tuple[int, int]) -> None:
    head = build_png(1, 1)
    bomb = head[:16] + size[0].to_bytes(4, "big") + size[1].to_bytes(4, "big") + head[24:]
    with pytest.raises(ToolError):
        fit_image("a", bomb)
