"""Images are known by their first bytes and stored once."""

from pathlib import Path

import pytest
from pictures import PNG

from maxagent.tools.filesystem.images import (
    ImageReference,
    detect_image,
    has_image_suffix,
    load_image,
    store_image,
)


@pytest.mark.parametrize(
    ("data", "mime_type"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF1234WEBPVP8 ", "image/webp"),
        (b"RIFF1234WAVE", ""),
        (b"PNG", ""),
        (b"", ""),
    ],
)
def test_first_bytes_say_the_type(data: bytes, mime_type: str) -> None:
    assert detect_image(data) == mime_type


def test_suffix_says_image_in_any_case() -> None:
    assert all(map(has_image_suffix, ("a.png", "B.JPEG", "c.jpg", "d.webp", "e.gif")))
    assert not has_image_suffix("a.svg")


def test_same_image_is_stored_once(tmp_path: Path) -> None:
    folder = tmp_path / "outputs"
    first, second = (store_image(folder, name, PNG) for name in ("a.png", "b.png"))
    assert first["id"] == second["id"]
    assert [file.name for file in folder.iterdir()] == [first["id"]]
    assert (folder / first["id"]).stat().st_mode & 0o777 == 0o600
    assert load_image(folder, first) == PNG


@pytest.mark.parametrize("name", ["../secret.png", "/etc/passwd", "0" * 64 + ".png", "a.png"])
def test_only_stored_images_are_loaded(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.png").write_bytes(PNG)
    image = ImageReference(id=name, mime_type="image/png", name="a.png")
    assert load_image(tmp_path, image) is None
