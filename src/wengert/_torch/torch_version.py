"""`torch.torch_version`: a version that compares with texts and tuples, as `torch.__version__` does."""

from __future__ import annotations

import re
from typing import Any

from .version import __version__ as internal_version

__all__ = ["TorchVersion"]


class TorchVersion(str):
    """The text of a version, which compares by its numbers: with another text, or with a tuple of numbers.

    >>> TorchVersion("2.13.0") > (2, 9), TorchVersion("2.13.0") >= "2.9.1", TorchVersion("2.13.0") == "2.13.0"
    (True, True, True)
    """

    __slots__ = ()

    def _numbers(self, other: Any) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """The numbers of both, of the same length; None where the other one has none."""
        text = ".".join(map(str, other)) if isinstance(other, (tuple, list)) else str(other)
        numbers, other_numbers = numbers_of(self), numbers_of(text)
        if numbers is None or other_numbers is None:
            return None
        length = max(len(numbers), len(other_numbers))
        return numbers + (0,) * (length - len(numbers)), other_numbers + (0,) * (length - len(other_numbers))

    def __lt__(self, other: Any) -> bool:
        pair = self._numbers(other)
        return str(self) < str(other) if pair is None else pair[0] < pair[1]

    def __le__(self, other: Any) -> bool:
        return self < other or self == other

    def __gt__(self, other: Any) -> bool:
        return not self <= other

    def __ge__(self, other: Any) -> bool:
        return not self < other

    def __eq__(self, other: object) -> bool:
        pair = self._numbers(other)
        return str(self) == str(other) if pair is None else pair[0] == pair[1]

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


def numbers_of(text: str) -> tuple[int, ...] | None:
    """The numbers that a version begins with; None if it begins with something else."""
    match = re.match(r"\s*v?(\d+(?:\.\d+)*)", text)
    return None if match is None else tuple(map(int, match[1].split(".")))


__version__ = TorchVersion(internal_version)
