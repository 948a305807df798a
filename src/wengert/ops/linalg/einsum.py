"""Sums of products of tensors, in Einstein's notation: a letter for each dimension.

The dimensions of all operands are numbered: those of the result first, then those that are summed over. Operands are
multiplied pair by pair, as matrices or batches of matrices. The steps depend on the equation and on shapes alone, and
are cached for the next call.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from ..._core import errors
from ..._core.cards.card import Bad, Sample, composite
from ..._core.tensor.base import Tensor
from ..._start.loading import load
from .pairs import Product

ELLIPSIS = "..."
OUTPUT = "output"
"""Name of the result's subscripts in errors."""
LABELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
"""The subscripts in torch's order, which is also that of the numbers 0 to 51."""


@composite(method=False)
def einsum(*args: Any) -> Any:
    """The sum of products of operands' elements over all subscripts that are not in the result.

    With three or more operands, the cheapest pairs are multiplied first if opt_einsum is installed, otherwise from
    left to right.

    Args:
        args: an equation such as "bij,bjk->bik" and the operands, or each operand followed by a list of numbers from
            0 to 51 (or `...`) in the place of letters, perhaps with such a list for the result at the end. Without
            a result in the equation it has the subscripts that occur once, in alphabetical order, after those of `...`.

    Returns:
        A new tensor, or a view of the only operand where nothing is summed.

    Raises:
        ValueError: if there is no operand, or a number is out of range.
        RuntimeError: if the equation is wrong, or does not fit the operands.

    Examples:
        >>> import wengert as wg
        >>> wg.einsum("ij,j->i", wg.tensor([[1.0, 2.0], [3.0, 4.0]]), wg.tensor([1.0, 10.0]))
        tensor([21., 43.])
    """
    equation, operands = read_arguments(args)
    return recipe(equation, tuple([operand.shape for operand in operands])).apply(operands)


def read_arguments(args: tuple[Any, ...]) -> tuple[str, list[Any]]:
    """Return the equation and the operands of either form.

    Raises:
        ValueError: if there is no operand, or a number is out of range.
        TypeError: if an operand is not a tensor.
    """
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
            "subscripts list"
        )
    operands: Any
    if isinstance(args[0], Tensor):
        equation = ",".join(lettered(entry) for entry in args[1::2])
        operands = args[::2]
        if len(args) % 2:
            equation, operands = f"{equation}->{lettered(args[-1])}", args[:-1:2]
    else:
        equation, operands = args[0], args[1:]
    if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
        return read_arguments((equation, *operands[0]))
    if not isinstance(equation, str):
        raise TypeError(errors.wrong_type("einsum", "equation", 1, "str", equation))
    for at, entry in enumerate(operands):
        if not isinstance(entry, Tensor):
            raise TypeError(errors.wrong_element(at, 1, entry))
    return equation, list(operands)


def lettered(numbers: Any) -> str:
    """Convert subscripts from numbers to letters."""
    letters = []
    for number in numbers:
        if number is not ... and not (number >= 0 and number < len(LABELS)):  # a string is refused like torch's
            raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")
        letters.append(ELLIPSIS if number is ... else LABELS[number])
    return "".join(letters)


def cheapest(equation: str, shapes: tuple[tuple[int, ...], ...]) -> list[tuple[int, int]] | None:
    """Return the order of products that opt_einsum chooses; None if it is not installed."""
    try:
        opt_einsum: Any = load("opt_einsum")
    except ImportError:
        return None
    path: list[tuple[int, int]] = opt_einsum.contract_path(equation, *shapes, shapes=True, optimize="auto")[0]
    return path


def subscripts(text: str, place: str, before: int) -> Iterator[str]:
    """Iterate over the subscripts of one operand or of the result; `...` counts as one.

    Args:
        place: name of the operand in errors.
        before: position of its first character in the equation.

    Raises:
        RuntimeError: if a character is not a subscript.
    """
    at = 0
    has_ellipsis = False
    while at < len(text):
        character = text[at]
        if character == ".":
            if has_ellipsis:
                twice = "but an ellipsis (...) was" if place == OUTPUT else "for which an ellipsis was"
                raise RuntimeError(f"einsum(): found '.' for {place} {twice} already found")
            if text[at : at + 3] != ELLIPSIS:
                shown = " (...)" if place == OUTPUT else ""
                raise RuntimeError(f"einsum(): found '.' for {place} that is not part of any ellipsis{shown}")
            has_ellipsis = True
            at += 2
            yield ELLIPSIS
        elif character != " ":
            if character not in LABELS:
                raise RuntimeError(
                    f"einsum(): invalid subscript given at index {before + at} in the equation string, subscripts must "
                    "be in [a-zA-Z]"
                )
            yield character
        at += 1


class Equation:
    """An equation applied to operands of certain shapes.

    Attributes:
        inputs: subscripts of each operand.
        covered: largest number of dimensions that `...` stands for.
        places: number of each subscript among all dimensions.
        ellipsis: number of the first dimension of `...`.
        kept, count: number of dimensions of the result, and of all.
        diagonals: pairs of dimensions of each operand, whose diagonals are taken one after the other.
        orders: numbers of the dimensions of each operand, after diagonals are taken.
        lengths: lengths of these dimensions.
    """

    def __init__(self, equation: str, shapes: tuple[tuple[int, ...], ...]) -> None:
        before, arrow, after = equation.partition("->")
        self.inputs = self.read_inputs(before, len(shapes))
        self.covered = self.count_covered(shapes)
        used = [letter for labels in self.inputs for letter in labels if letter != ELLIPSIS]
        self.places: dict[str, int] = {}
        self.ellipsis = -1
        self.count = 0
        if arrow:
            self.read_output(after, used, len(before) + 2)
        else:
            self.place(ELLIPSIS)
            for label in LABELS:
                if used.count(label) == 1:
                    self.place(label)
        self.kept = self.count
        if self.ellipsis < 0:
            self.place(ELLIPSIS)
        for label in sorted(set(used).difference(self.places)):
            self.place(label)
        self.diagonals: list[list[tuple[int, int]]] = []
        self.orders: list[list[int]] = []
        self.lengths: list[list[int]] = []
        self.known: dict[int, int] = {}
        for at, shape in enumerate(shapes):
            self.read_shape(at, list(shape))

    def place(self, label: str) -> None:
        """Assign the next dimension to a subscript."""
        if label == ELLIPSIS:
            self.ellipsis = self.count
            self.count += self.covered
        else:
            self.places[label] = self.count
            self.count += 1

    def read_inputs(self, text: str, count: int) -> list[list[str]]:
        """Return the subscripts of each operand."""
        parts = text.split(",")
        starts = [sum(len(before) + 1 for before in parts[:at]) for at in range(len(parts))]
        if len(parts) > count:
            raise RuntimeError("einsum(): fewer operands were provided than specified in the equation")
        inputs = [list(subscripts(part, f"operand {at}", starts[at])) for at, part in enumerate(parts)]
        if len(parts) < count:
            raise RuntimeError("einsum(): more operands were provided than specified in the equation")
        return inputs

    def count_covered(self, shapes: tuple[tuple[int, ...], ...]) -> int:
        """Return the number of dimensions that `...` stands for; refuse operands with another number of dimensions."""
        covered = 0
        for at, (labels, shape) in enumerate(zip(self.inputs, shapes)):
            open_ended = ELLIPSIS in labels
            count, ndim = len(labels) - open_ended, len(shape)
            if count > ndim or (count < ndim and not open_ended):
                relation = "is more than" if open_ended else "does not match"
                ending = "" if open_ended else " and no ellipsis was given"
                raise RuntimeError(
                    f"einsum(): the number of subscripts in the equation ({count}) {relation} the number of "
                    f"dimensions ({ndim}) for operand {at}{ending}"
                )
            covered = max(covered, ndim - count)
        return covered

    def read_output(self, text: str, used: list[str], before: int) -> None:
        """Assign dimensions to the subscripts of the result."""
        for label in subscripts(text, OUTPUT, before):
            if label != ELLIPSIS and (label in self.places or label not in used):
                wrong = "appears more than once in the output"
                if label not in used:
                    wrong = "does not appear in the equation for any input operand"
                raise RuntimeError(f"einsum(): output subscript {label} {wrong}")
            self.place(label)

    def read_shape(self, at: int, lengths: list[int]) -> None:
        """Assign the dimensions of operand `at` to subscripts; refuse lengths that differ from other operands'."""
        order: list[int] = []
        diagonals: list[tuple[int, int]] = []
        count = len(lengths) - len(self.inputs[at]) + 1
        for label in self.inputs[at]:
            if label == ELLIPSIS:
                end = self.ellipsis + self.covered
                order += range(end - count, end)
                continue
            place, dim = self.places[label], len(order)
            if place not in order:
                order.append(place)
                continue
            first = order.index(place)
            if lengths[dim] != lengths[first]:
                raise RuntimeError(
                    f"einsum(): subscript {label} is repeated for operand {at} but the sizes don't match, "
                    f"{lengths[dim]} != {lengths[first]}"
                )
            diagonals.append((first, dim))
            del lengths[dim]
        for dim, (place, length) in enumerate(zip(order, lengths)):
            if length != 1:
                self.check_length(self.known.get(place, 1), length, place, dim, at)
                self.known[place] = length
        self.diagonals.append(diagonals)
        self.orders.append(order)
        self.lengths.append(lengths)

    def check_length(self, known: int, length: int, place: int, dim: int, at: int) -> None:
        """Refuse a length that differs from that of the same subscript in another operand."""
        if known in (1, length):
            return
        for label, known_place in self.places.items():
            if known_place == place:
                raise RuntimeError(
                    f"einsum(): subscript {label} has size {length} for operand {at} which does not broadcast with "
                    f"previously seen size {known}"
                )
        raise RuntimeError(
            f"einsum(): dimension {dim} covered by ellipsis in operand {at}has size {length} which does not broadcast "
            f"with previously seen ellipsis with size {known} for the respective dimension"
        )


class Recipe:
    """Steps that compute an equation for certain shapes.

    Attributes:
        diagonals: see `Equation`.
        steps: pairs of remaining operands to multiply, and how; the result comes first, or, with a given path,
            last.
        order: permutation of the remaining dimensions, or None.
        summed: dimensions that a single operand is summed over.
        shape: shape of the result if dimensions of length 1 remain.
    """

    def __init__(self, equation: str, shapes: tuple[tuple[int, ...], ...]) -> None:
        path = cheapest(equation, shapes) if len(shapes) > 2 else None
        read = Equation(equation, shapes)
        self.diagonals = read.diagonals
        self.last = path is not None
        self.steps: list[tuple[int, int, Product]] = []
        self.summed: tuple[int, ...] = ()
        self.shape: tuple[int, ...] | None = None
        waiting = list(zip(read.orders, read.lengths))
        users = [
            sum(place in order and lengths[order.index(place)] != 1 for order, lengths in waiting)
            for place in range(read.count)
        ]
        summed = range(read.kept, read.count)
        for step in range(len(shapes) - 1):
            first, second = sorted(path[step]) if path is not None else (0, 1)
            product = Product(*waiting[first], *waiting[second], users, summed, read.count)
            self.steps.append((first, second, product))
            del waiting[second], waiting[first]
            waiting.insert(len(waiting) if self.last else 0, (product.places, product.lengths))
        places, lengths = waiting[0]
        order = sorted(range(len(places)), key=lambda dim: places[dim])
        self.order = None if order == list(range(len(order))) else order
        if len(shapes) == 1:
            self.order = order
            self.summed = tuple(dim for dim, at in enumerate(order) if places[at] >= read.kept)
        elif summed:
            self.shape = tuple([lengths[at] for at in order if places[at] < read.kept])

    def apply(self, operands: list[Any]) -> Any:
        """Compute the sum of products."""
        waiting = operands
        if any(self.diagonals):
            waiting = [with_diagonals(tensor, pairs) for tensor, pairs in zip(operands, self.diagonals)]
        for first, second, product in self.steps:
            right, left = waiting.pop(second), waiting.pop(first)
            if product.matrices != "mul" and left.dtype is not right.dtype:
                raise RuntimeError(f"expected scalar type {left.dtype.legacy[:-6]} but found {right.dtype.legacy[:-6]}")
            waiting.insert(len(waiting) if self.last else 0, product.apply(left, right))
        result = waiting[0] if self.order is None else waiting[0].permute(self.order)
        if self.summed:
            return result.sum(self.summed)
        return result if self.shape is None else result.view(self.shape)


recipe = lru_cache(maxsize=256)(Recipe)
"""Cached recipes by equation and shapes."""


def with_diagonals(tensor: Any, pairs: list[tuple[int, int]]) -> Any:
    """Take diagonals, so that a tensor has one dimension for each subscript."""
    for first, second in pairs:
        tensor = tensor.diagonal(0, first, second).movedim(-1, first)
    return tensor


@einsum.samples
def einsum_samples(make: Any) -> Any:
    yield Sample("i->", make(3))
    yield Sample("ij->ji", make(2, 3))
    yield Sample("ii->i", make(3, 3))
    yield Sample("i,j", make(2), make(3))
    yield Sample("bij,bjk->bik", make(2, 2, 3), make(2, 3, 2))
    yield Sample("i,ij,j", make(2), make(2, 3), make(3))
    yield Sample("...ij,...jk->...k", make(2, 1, 2, 3), make(2, 3, 2))
    yield Sample(make(2, 3), [0, 1], make(3, 2), [1, 2], [2, 0])
    yield Bad("i,j->k", make(2), make(3), raises=RuntimeError, says="output subscript k does not appear")
    yield Bad("ij", make(2), raises=RuntimeError, says="does not match the number of dimensions (1) for operand 0")
    yield Bad("i,i", make(2), make(3), raises=RuntimeError, says="subscript i has size 3 for operand 1")
