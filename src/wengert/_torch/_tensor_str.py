"""`torch._tensor_str`: printing of tensors under torch's names; see `_tensor/text.py`."""

from __future__ import annotations

from typing import Any

from wengert._tensor import Tensor, text
from wengert._tensor.text import PRINT_OPTS, get_printoptions, printoptions, set_printoptions
from wengert.ops.shapes.join import cat


class _Formatter:
    """Format of the numbers of a tensor.

    Args:
        tensor: the tensor.
    """

    def __init__(self, tensor: Tensor) -> None:
        self.values = tensor.detach().reshape(-1).numpy()
        self.max_width = text._write_numbers(self.values, text._current)[1]

    def width(self) -> int:
        """The width of a number."""
        return self.max_width

    def format(self, value: Any) -> str:
        """A number as it is written among those of the tensor."""
        telling = [
            float(number)
            for number in self.values.tolist()
            if number and number == number and abs(number) != float("inf")
        ]
        if self.values.dtype.kind in "biu":
            return str(value).rjust(self.max_width)
        return text._float_style(telling, text._current)(value).rjust(self.max_width)


def _str(self: Tensor, *, tensor_contents: str | None = None) -> str:
    """Return the text of a tensor, optionally with another text in place of its numbers."""
    return text.text_of(self) if tensor_contents is None else f"tensor({tensor_contents})"


_str_intern = _str


def _tensor_str(self: Tensor, indent: int) -> str:
    """Return the numbers of a tensor in brackets; the first line starts in the given column."""
    array = self.detach().resolve_conj().resolve_neg().numpy()
    return text._Layout(array, text._current).text(indent) if array.size else "[]"


def _scalar_str(self: Tensor, formatter1: _Formatter, formatter2: Any = None) -> str:
    """The number of a tensor with one element."""
    return formatter1.format(self.item())


def _add_suffixes(tensor_str: str, suffixes: list[str], indent: int, force_newline: bool) -> str:
    """Return a text followed by suffixes and a closing parenthesis."""
    if force_newline and suffixes:
        suffixes = [",\n" + " " * indent + suffixes[0], *suffixes[1:]]
        return tensor_str + ", ".join(suffixes) + ")"
    return text._append_facts(tensor_str, suffixes, text._current.linewidth, indent)


def get_summarized_data(self: Tensor) -> Tensor:
    """Of each dimension that is too long to be shown the elements at both ends."""
    count = PRINT_OPTS.edgeitems
    for dim, length in enumerate(self.shape):
        if length > 2 * count:
            self = cat((self.narrow(dim, 0, count), self.narrow(dim, length - count, count)), dim)
    return self


__all__ = ["PRINT_OPTS", "get_printoptions", "get_summarized_data", "printoptions", "set_printoptions"]
