"""Sums of products of tensors, written with a letter for each dimension.

All operands are brought to the dimensions of the result, followed by those that are summed over; then they are
multiplied pair by pair, as batches of matrices.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..._core import errors
from ..._core.cards.card import Bad, Sample, composite
from ..._core.tensor.base import Tensor
from .pairs import multiplied

ELLIPSIS = "..."
LABELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
"""The subscripts in torch's order, which is also that of the numbers 0 to 51 that stand for them."""


@composite(method=False)
def einsum(*args: Any) -> Any:
    """The sum of products of operands' elements over all subscripts that are not in the result.

    Of three operands or more, those that cost least are multiplied first if opt_einsum is installed, otherwise from
    left to right.

    Args:
        args: an equation such as "bij,bjk->bik" and the operands, or each operand followed by a list of numbers from
            0 to 51 (or `...`) in the place of letters, perhaps with such a list for the result at the end. Without
            a result in the equation it has the subscripts that occur once, in alphabetical order, after those of `...`.

    Returns:
        A new tensor, or a view of the only operand where nothing is summed.

    Raises:
        ValueError: there is no operand, or a number is out of range.
        RuntimeError: the equation is wrong, or does not fit the operands.
    """
    equation, operands = read_arguments(args)
    path = cheapest(equation, operands) if len(operands) > 2 else None
    return contract(equation, operands, path)


def read_arguments(args: tuple[Any, ...]) -> tuple[str, list[Any]]:
    """The equation and the operands of either form.

    Raises:
        ValueError: there is no operand, or a number is out of range.
        TypeError: an operand is no tensor.
    """
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
            "subscripts list"
        )
    operands: Any
    if isinstance(args[0], Tensor):
        equation = ",".join(lettered(each) for each in args[1::2])
        operands = args[::2]
        if len(args) % 2:
            equation, operands = f"{equation}->{lettered(args[-1])}", args[:-1:2]
    else:
        equation, operands = args[0], args[1:]
    if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
        return read_arguments((equation, *operands[0]))
    if not isinstance(equation, str):
        raise TypeError(errors.wrong_type("einsum", "equation", 1, "str", equation))
    for at, each in enumerate(operands):
        if not isinstance(each, Tensor):
            raise TypeError(errors.wrong_element(at, 1, each))
    return equation, list(operands)


def lettered(numbers: Any) -> str:
    """Subscripts given as numbers, as letters."""
    letters = []
    for each in numbers:
        if each is not ... and not 0 <= each < len(LABELS):
            raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")
        letters.append(ELLIPSIS if each is ... else LABELS[each])
    return "".join(letters)


def cheapest(equation: str, operands: list[Any]) -> list[tuple[int, int]] | None:
    """In which order to multiply, by opt_einsum; None if that is not installed."""
    try:
        import opt_einsum
    except ImportError:
        return None
    shapes = [tuple(each.shape) for each in operands]
    path: list[tuple[int, int]] = opt_einsum.contract_path(equation, *shapes, shapes=True, optimize="auto")[0]
    return path


def subscripts(text: str, place: str, before: int) -> Iterator[str]:
    """The subscripts of one operand or of the result; `...` counts as one.

    Args:
        place: how errors call it.
        before: where it begins in the equation.

    Raises:
        RuntimeError: a character is none.
    """
    at = 0
    found = False
    while at < len(text):
        character = text[at]
        if character == ".":
            if found:
                raise RuntimeError(f"einsum(): found '.' for {place} for which an ellipsis was already found")
            if text[at : at + 3] != ELLIPSIS:
                raise RuntimeError(f"einsum(): found '.' for {place} that is not part of any ellipsis")
            found = True
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
    """What an equation says of given operands.

    Attributes:
        inputs: the subscripts of each operand.
        covered: how many dimensions `...` stands for, at most.
        places: where each subscript is among all dimensions: those of the result, then those that are summed over.
        ellipsis: where the dimensions of `...` begin.
        kept, count: how many dimensions the result has, and how many there are.
    """

    def __init__(self, equation: str, operands: list[Any]) -> None:
        before, arrow, after = equation.partition("->")
        self.inputs = self.read_inputs(before, operands)
        self.covered = self.count_covered(operands)
        used = [each for labels in self.inputs for each in labels if each != ELLIPSIS]
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

    def place(self, label: str) -> None:
        """Give a subscript the next dimension."""
        if label == ELLIPSIS:
            self.ellipsis = self.count
            self.count += self.covered
        else:
            self.places[label] = self.count
            self.count += 1

    def read_inputs(self, text: str, operands: list[Any]) -> list[list[str]]:
        """The subscripts of each operand."""
        parts = text.split(",")
        starts = [sum(len(each) + 1 for each in parts[:at]) for at in range(len(parts))]
        if len(parts) > len(operands):
            raise RuntimeError("einsum(): fewer operands were provided than specified in the equation")
        found = [list(subscripts(part, f"operand {at}", starts[at])) for at, part in enumerate(parts)]
        if len(parts) < len(operands):
            raise RuntimeError("einsum(): more operands were provided than specified in the equation")
        return found

    def count_covered(self, operands: list[Any]) -> int:
        """How many dimensions `...` stands for; refuses operands that have not as many as they have subscripts."""
        covered = 0
        for at, (labels, operand) in enumerate(zip(self.inputs, operands)):
            open_ended = ELLIPSIS in labels
            count, ndim = len(labels) - open_ended, operand.ndim
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
        """Give the subscripts of the result their dimensions."""
        for label in subscripts(text, "the output", before):
            if label != ELLIPSIS and (label in self.places or label not in used):
                wrong = "appears more than once in the output"
                if label not in used:
                    wrong = "does not appear in the equation for any input operand"
                raise RuntimeError(f"einsum(): output subscript {label} {wrong}")
            self.place(label)

    def aligned(self, operands: list[Any]) -> tuple[list[Any], list[int]]:
        """The operands with all dimensions each, and how many have a length other than 1 in each of them."""
        lengths: dict[int, int] = {}
        users = [0] * self.count
        made = []
        for at, operand in enumerate(operands):
            order = self.order(at, operand)
            tensor = self.diagonals(at, operand)
            for place, dim in order.items():
                length = tensor.shape[dim]
                if length != 1:
                    self.check_length(lengths.get(place, 1), length, place, dim, at)
                    lengths[place] = length
                    users[place] += 1
            missing = [place for place in range(self.count) if place not in order]
            for place in missing:
                order[place] = tensor.ndim
                tensor = tensor.unsqueeze(tensor.ndim)
            made.append(tensor.permute([order[place] for place in range(self.count)]))
        return made, users

    def order(self, at: int, operand: Any) -> dict[int, int]:
        """For each place the dimension of operand `at` that belongs there, once diagonals are taken."""
        found: dict[int, int] = {}
        dim = 0
        for label in self.inputs[at]:
            if label == ELLIPSIS:
                own = operand.ndim - len(self.inputs[at]) + 1
                for place in range(self.ellipsis + self.covered - own, self.ellipsis + self.covered):
                    found[place] = dim
                    dim += 1
            elif self.places[label] not in found:
                found[self.places[label]] = dim
                dim += 1
        return found

    def diagonals(self, at: int, tensor: Any) -> Any:
        """Operand `at` with one dimension for each of its subscripts: diagonals for those that are repeated."""
        seen: dict[str, int] = {}
        dim = 0
        own = tensor.ndim - len(self.inputs[at]) + 1
        for label in self.inputs[at]:
            first = seen.setdefault(label, dim)
            if first == dim:
                dim += own if label == ELLIPSIS else 1
                continue
            if tensor.shape[dim] != tensor.shape[first]:
                raise RuntimeError(
                    f"einsum(): subscript {label} is repeated for operand {at} but the sizes don't match, "
                    f"{tensor.shape[dim]} != {tensor.shape[first]}"
                )
            tensor = tensor.diagonal(0, first, dim).movedim(-1, first)
        return tensor

    def check_length(self, known: int, length: int, place: int, dim: int, at: int) -> None:
        """Refuse a length other than that of the same subscript before."""
        if known in (1, length):
            return
        for label, own in self.places.items():
            if own == place:
                raise RuntimeError(
                    f"einsum(): subscript {label} has size {length} for operand {at} which does not broadcast with "
                    f"previously seen size {known}"
                )
        raise RuntimeError(
            f"einsum(): dimension {dim} covered by ellipsis in operand {at} has size {length} which does not broadcast "
            f"with previously seen ellipsis with size {known} for the respective dimension"
        )


def contract(equation: str, operands: list[Any], path: list[tuple[int, int]] | None) -> Any:
    """The sum of products, the operands multiplied in the order of `path`."""
    read = Equation(equation, operands)
    waiting, users = read.aligned(operands)
    summed = range(read.kept, read.count)
    for step in range(len(operands) - 1):
        first, second = sorted(path[step]) if path is not None else (0, 1)
        right, left = waiting.pop(second), waiting.pop(first)
        left, right, both = with_sums(left, right, users, summed)
        waiting.insert(0 if path is None else len(waiting), multiplied(left, right, both))
    result = waiting[0]
    if not summed:
        return result
    if len(operands) == 1:
        return result.sum(tuple(summed))
    return result.view(result.shape[: read.kept])


def with_sums(left: Any, right: Any, users: list[int], summed: Any) -> tuple[Any, Any, list[int]]:
    """Two operands, summed over what no other has, and the dimensions in which their product is to be summed."""
    both, only = [], ([], [])  # type: tuple[list[int], tuple[list[int], list[int]]]
    for dim in summed:
        has = left.shape[dim] != 1, right.shape[dim] != 1
        if all(has):
            users[dim] -= 1
        if users[dim] != 1 or not any(has):
            continue
        users[dim] = 0
        (both if all(has) else only[has[1]]).append(dim)
    if only[0]:
        left = left.sum(tuple(only[0]), True)
    if only[1]:
        right = right.sum(tuple(only[1]), True)
    return left, right, both


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
