"""Operators in the namespace `image`: reading, writing, decoding and encoding of image files by Pillow.

Importing this module declares them. Pillow (`pip install pillow`) is imported when an image is first decoded or
encoded. Images are uint8 tensors of shape (channels, height, width), or uint16 for PNG files of 16 bits.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np

import wengert as wg
from wengert._tensor import Tensor
from wengert.library import Library

MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}
"""`torchvision.io.ImageReadMode` -> Pillow's mode; 0 leaves an image as it is."""

ROTATED = 0x0112  # the EXIF tag of the orientation


def pillow() -> Any:
    """Return Pillow's module `Image`.

    Raises:
        ImportError: if Pillow is not installed.
    """
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError("torchvision.io reads and writes images by Pillow here: pip install pillow") from error
    return Image


def read_file(filename: str) -> Tensor:
    """Return the bytes of a file as a uint8 tensor."""
    return wg.from_numpy(np.frombuffer(Path(filename).read_bytes(), np.uint8).copy())


def write_file(filename: str, data: Tensor) -> None:
    """Write a uint8 tensor of one dimension to a file.

    Raises:
        RuntimeError: if `data` is not a 1-D uint8 tensor.
    """
    Path(filename).write_bytes(encoded_bytes(data))


def encoded_bytes(data: Tensor) -> bytes:
    """Return the bytes in a tensor.

    Raises:
        RuntimeError: if `data` has another dtype than uint8, other than one dimension, or no elements.
    """
    if data.dtype is not wg.uint8 or data.dim() != 1 or not data.numel():
        raise RuntimeError(
            "Expected a non empty 1-dimensional tensor of dtype uint8, "
            f"but got one of shape {tuple(data.shape)} and dtype {data.dtype}"
        )
    return data.numpy().tobytes()


def opened(data: Tensor, kinds: tuple[str, ...] | None) -> Any:
    """Open encoded data as an image of Pillow.

    Raises:
        RuntimeError: if the data is not an image of these kinds.
    """
    image = pillow()
    try:
        return image.open(io.BytesIO(encoded_bytes(data)), formats=kinds)
    except image.UnidentifiedImageError as error:
        names = " or ".join(kinds) if kinds else "supported"
        raise RuntimeError(f"decoding failed: the data is no {names} image") from error


def decoded(data: Tensor, kinds: tuple[str, ...] | None, mode: int, apply_exif_orientation: bool = False) -> Tensor:
    """Return the image in encoded data, of shape (channels, height, width)."""
    picture = opened(data, kinds)
    if picture.format == "GIF":
        return decode_gif(data)
    if apply_exif_orientation and picture.getexif().get(ROTATED, 1) != 1:
        from PIL import ImageOps

        picture = ImageOps.exif_transpose(picture)
    return pixels(picture, mode)


def pixels(picture: Any, mode: int) -> Tensor:
    """Return an image of Pillow as a tensor, channels first.

    Args:
        picture: the image.
        mode: a key of `MODES`, or 0 for the channels of the image.
    """
    if picture.mode.startswith("I;16"):
        values = np.array(picture).astype(np.uint16)[None]
        return wg.from_numpy(np.repeat(values, 3, axis=0) if mode == 3 else values)
    if mode:
        picture = picture.convert(MODES[mode])
    elif picture.mode == "P":
        picture = picture.convert("RGBA" if "transparency" in picture.info else "RGB")
    elif picture.mode == "1":
        picture = picture.convert("L")
    values = np.array(picture)
    values = values[None] if values.ndim == 2 else values.transpose(2, 0, 1)
    return wg.from_numpy(np.ascontiguousarray(values))


def decode_gif(encoded_data: Tensor) -> Tensor:
    """Return the frames of a GIF image, of shape (frames, 3, height, width); one frame has no first dimension."""
    from PIL import ImageSequence

    picture = opened(encoded_data, ("GIF",))
    frames = np.stack([np.array(frame.convert("RGB")).transpose(2, 0, 1) for frame in ImageSequence.Iterator(picture)])
    return wg.from_numpy(frames[0].copy() if len(frames) == 1 else frames)


def encoded(data: Tensor, kind: str, **options: Any) -> Tensor:
    """Return an image encoded as a file of some kind, a 1-D uint8 tensor.

    Raises:
        RuntimeError: if `data` is not a uint8 tensor of shape (1, H, W) or (3, H, W).
    """
    if data.dtype is not wg.uint8:
        raise RuntimeError(f"Input tensor dtype should be uint8, but got {data.dtype}")
    if data.dim() != 3 or data.size(0) not in (1, 3):
        raise RuntimeError(f"The number of channels should be 1 or 3, got a tensor of shape {tuple(data.shape)}")
    values = data.numpy()
    picture = pillow().fromarray(values[0] if len(values) == 1 else np.ascontiguousarray(values.transpose(1, 2, 0)))
    file = io.BytesIO()
    picture.save(file, kind, **options)
    return wg.from_numpy(np.frombuffer(file.getvalue(), np.uint8).copy())


def decode_image(data: Tensor, mode: int, apply_exif_orientation: bool = False) -> Tensor:
    """Return the image in encoded data of any kind that torchvision reads."""
    return decoded(data, ("PNG", "JPEG", "GIF", "WEBP"), mode, apply_exif_orientation)


def decode_png(data: Tensor, mode: int, apply_exif_orientation: bool = False) -> Tensor:
    """Return a PNG image."""
    return decoded(data, ("PNG",), mode, apply_exif_orientation)


def decode_jpeg(data: Tensor, mode: int, apply_exif_orientation: bool = False) -> Tensor:
    """Return a JPEG image."""
    return decoded(data, ("JPEG",), mode, apply_exif_orientation)


def decode_webp(encoded_data: Tensor, mode: int) -> Tensor:
    """Return a WebP image."""
    return decoded(encoded_data, ("WEBP",), mode or 3)


def encode_png(data: Tensor, compression_level: int) -> Tensor:
    """Return an image as a PNG file; `compression_level` is from 0 to 9."""
    return encoded(data, "PNG", compress_level=compression_level)


def encode_jpeg(data: Tensor, quality: int) -> Tensor:
    """Return an image as a JPEG file; `quality` is from 1 to 100."""
    return encoded(data, "JPEG", quality=quality)


OPERATORS = {
    "read_file(str filename) -> Tensor": read_file,
    "write_file(str filename, Tensor data) -> ()": write_file,
    "decode_image(Tensor data, int mode, bool apply_exif_orientation=False) -> Tensor": decode_image,
    "decode_png(Tensor data, int mode, bool apply_exif_orientation=False) -> Tensor": decode_png,
    "decode_jpeg(Tensor data, int mode, bool apply_exif_orientation=False) -> Tensor": decode_jpeg,
    "decode_webp(Tensor encoded_data, int mode) -> Tensor": decode_webp,
    "decode_gif(Tensor encoded_data) -> Tensor": decode_gif,
    "encode_png(Tensor data, int compression_level) -> Tensor": encode_png,
    "encode_jpeg(Tensor data, int quality) -> Tensor": encode_jpeg,
}
"""Schema -> kernel."""


def declare() -> None:
    """Declare the operators."""
    library = Library("image", "DEF")
    for schema, kernel in OPERATORS.items():
        library.impl(library.define(schema), kernel, "CompositeImplicitAutograd")


declare()
