"""Images in files, by Pillow: what is written is read again, in every mode."""

import io
from pathlib import Path

import numpy as np
import pytest

import wengert as wg

Image = pytest.importorskip("PIL.Image", reason="images are read and written by Pillow")
wg.ops.load_library("lib/torchvision/image.so")
ops = wg.ops.image
CHANNELS = {1: 1, 2: 2, 3: 3, 4: 4}


def encoded(picture: object, kind: str, **options: object) -> wg.Tensor:
    """A picture of Pillow as the bytes of a file."""
    file = io.BytesIO()
    picture.save(file, kind, **options)  # type: ignore[attr-defined]
    return wg.frombuffer(bytearray(file.getvalue()), dtype=wg.uint8)


def noise(*shape: int) -> wg.Tensor:
    return wg.from_numpy(np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8))


@pytest.mark.parametrize("channels", [1, 3])
def test_a_png_file_is_read_as_it_was_written(channels: int, tmp_path: Path) -> None:
    image = noise(channels, 5, 7)
    data = ops.encode_png(image, 6)
    ops.write_file(str(tmp_path / "image.png"), data)
    assert wg.equal(ops.read_file(str(tmp_path / "image.png")), data)
    assert wg.equal(ops.decode_png(data, 0), image)
    assert wg.equal(ops.decode_image(data, 0), image)


@pytest.mark.parametrize("mode", CHANNELS)
@pytest.mark.parametrize("source", ["L", "LA", "RGB", "RGBA", "P", "1"])
def test_modes_give_their_number_of_channels(mode: int, source: str) -> None:
    picture = Image.fromarray(noise(6, 4, 3).numpy()).convert(source)
    image = ops.decode_png(encoded(picture, "PNG"), mode)
    assert (image.dtype, image.shape) == (wg.uint8, (CHANNELS[mode], 6, 4))


def test_a_jpeg_file_is_nearly_what_was_written() -> None:
    row = wg.arange(0, 160, 10, dtype=wg.uint8)
    image = (row[:, None] // 2 + row // 2).expand(3, -1, -1).contiguous()
    result = ops.decode_jpeg(ops.encode_jpeg(image, 100), 0)
    assert (result.int() - image.int()).abs().max() <= 3


def test_png_of_16_bits_keeps_them() -> None:
    values = np.array([[0, 1000], [65535, 7]], np.uint16)
    assert ops.decode_png(encoded(Image.fromarray(values), "PNG"), 0).tolist() == [values.tolist()]


def test_gif_gives_all_frames() -> None:
    frames = [Image.new("RGB", (4, 3), color) for color in ((255, 0, 0), (0, 0, 255))]
    many = ops.decode_gif(encoded(frames[0], "GIF", save_all=True, append_images=frames[1:]))
    assert many.shape == (2, 3, 3, 4)
    assert many[:, :, 0, 0].tolist() == [[255, 0, 0], [0, 0, 255]]
    assert ops.decode_image(encoded(frames[0], "GIF"), 0).shape == (3, 3, 4)


def test_the_orientation_of_a_camera_is_followed_if_asked() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    data = encoded(Image.new("RGB", (8, 4)), "JPEG", exif=exif)
    assert ops.decode_jpeg(data, 3, False).shape == (3, 4, 8)
    assert ops.decode_jpeg(data, 3, True).shape == (3, 8, 4)


def test_what_is_no_image_is_refused() -> None:
    with pytest.raises(RuntimeError, match="decoding failed: the data is no JPEG image"):
        ops.decode_jpeg(ops.encode_png(noise(1, 2, 2), 1), 0)
    with pytest.raises(RuntimeError, match="non empty 1-dimensional tensor"):
        ops.decode_png(wg.zeros(4), 0)
    with pytest.raises(RuntimeError, match="channels should be 1 or 3"):
        ops.encode_png(noise(2, 3, 3), 6)
