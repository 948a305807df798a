"""`torch._tensor_str`: what programs import from where torch prints tensors; here that is `_tensor/printing.py`."""

from __future__ import annotations

from typing import Any

from wengert._tensor import Tensor, printing
from wengert._tensor.printing import get_printoptions, printoptions, set_printoptions
from wengert._tensor.shown import text
from wengert.ops.shapes.join import cat


class Options:
    """The options of printing as attributes, to be read and set: `PRINT_OPTS.precision`."""

    def __getattr__(self, name: str) -> Any:
        try:
            return get_printoptions()[name]
        except KeyError:
            raise AttributeError(f"there is no option of printing {name!r}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        options = {**get_printoptions(), name: value}
        set_printoptions(**options)

    def __repr__(self) -> str:
        return f"__PrinterOptions({', '.join(f'{name}={value}' for name, value in get_printoptions().items())})"


PRINT_OPTS = Options()


class _Formatter:
    """How the numbers of a tensor are written.

    Args:
        tensor: the tensor.
    """

    def __init__(self, tensor: Tensor) -> None:
        self.values = tensor.detach().reshape(-1).numpy()
        self.max_width = printing._write_numbers(self.values, printing._current)[1]

    def width(self) -> int:
        """The width of a number."""
        return self.max_width

    def format(self, value: Any) -> str:
        """A number as it is written among those of the tensor."""
        telling = [float(each) for each in self.values.tolist() if each and each == each and abs(each) != float("inf")]
        if self.values.dtype.kind in "biu":
            return str(value).rjust(self.max_width)
        return printing._float_style(telling, printing._current)(value).rjust(self.max_width)


def _str(self: Tensor, *, tensor_contents: str | None = None) -> str:
    """The text of a tensor; with other text in the place of its numbers, if that is given."""
    return text(self) if tensor_contents is None else f"tensor({tensor_contents})"


_str_intern = _str


def _tensor_str(self: Tensor, indent: int) -> str:
    """The numbers of a tensor in their brackets, the first line of which begins in that column."""
    array = self.detach().resolve_conj().resolve_neg().numpy()
    return printing._Layout(array, printing._current).text(indent) if array.size else "[]"


def _scalar_str(self: Tensor, formatter1: _Formatter, formatter2: Any = None) -> str:
    """The number of a tensor with one element."""
    return formatter1.format(self.item())


def _add_suffixes(tensor_str: str, suffixes: list[str], indent: int, force_newline: bool) -> str:
    """Text with what else there is to say after it, and a closing parenthesis."""
    if force_newline and suffixes:
        suffixes = [",\n" + " " * indent + suffixes[0], *suffixes[1:]]
        return tensor_str + ", ".join(suffixes) + ")"
    return printing._append_facts(tensor_str, suffixes, printing._current.linewidth, indent)


def get_summarized_data(self: Tensor) -> Tensor:
    """Of each dimension that is too long to be shown the elements at both ends."""
    count = PRINT_OPTS.edgeitems
    for dim, length in enumerate(self.shape):
        if length > 2 * count:
            self = cat((self.narrow(dim, 0, count), self.narrow(dim, length - count, count)), dim)
    return self


__all__ = ["PRINT_OPTS", "get_printoptions", "get_summarized_data", "printoptions", "set_printoptions"]
