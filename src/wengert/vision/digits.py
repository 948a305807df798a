"""Handwritten digits of 13 people, 8 by 8 pixels: the test part of UCI's optical recognition set.

The data file in this package is compressed NumPy data without pickles; its licence and history are in
`data/LICENSE-digits.txt`.
"""

import io
import zipfile
import zlib
from importlib import resources

import numpy as np

__all__ = ["load_digits"]

_COUNT = 1797
_SIDE = 8
_DARKEST = 16
_CLASSES = 10
_FILE = "digits.npz"


def load_digits() -> tuple[np.ndarray, np.ndarray]:
    """Load all digits and their labels, in the order of the original file.

    Returns:
        Two new arrays, which the caller may change: the images, uint8 of shape (1797, 8, 8), values 0 (paper) to 16
        (ink), where each pixel counts the inked points of a 4 by 4 block of the scanned bitmap (divide by 16 for values
        between 0 and 1); and the labels, uint8 of shape (1797,), values 0 to 9.

    Raises:
        FileNotFoundError: if the data file is missing from the installed package.
        ValueError: if the data file is damaged.

    Source:
        E. Alpaydin, C. Kaynak: Optical Recognition of Handwritten Digits, UCI Machine Learning Repository, 1998,
        https://doi.org/10.24432/C50P49, licence CC BY 4.0.
    """
    content = resources.files("wengert.vision").joinpath("data", _FILE).read_bytes()
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            images, labels = archive["images"], archive["labels"]
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(
            f"load_digits(): the data file {_FILE} is damaged: {error}; install the package again"
        ) from error
    _check("images", images, (_COUNT, _SIDE, _SIDE), _DARKEST)
    _check("labels", labels, (_COUNT,), _CLASSES - 1)
    return images, labels


def _check(name: str, array: np.ndarray, shape: tuple[int, ...], largest: int) -> None:
    """Refuse an array that differs in dtype, shape or range from the stored one."""
    actual = f"{array.dtype} {array.shape}, largest value {array.max(initial=0)}"
    wanted = f"uint8 {shape}, largest value {largest}"
    if actual != wanted:
        raise ValueError(
            f"load_digits(): the data file {_FILE} is damaged: {name} are {actual} instead of {wanted}; "
            "install the package again"
        )
