"""`rearrange`: split, join and permute dimensions by a pattern of names."""

from __future__ import annotations

import keyword
import math
import re
import warnings
from collections.abc import Sequence
from typing import Any

from .._tensor import Tensor
from ..ops.shapes.join import stack

ELLIPSIS = "..."
ALL = "\u2026"
"""Ellipsis without brackets: any number of separate dimensions."""
Group = list[str]
"""Names that one dimension consists of."""


def check_name(name: str) -> None:
    """Refuse an invalid name of a dimension.

    Raises:
        ValueError: if `name` is not an identifier.
    """
    if not name.isidentifier():
        raise ValueError(f"Invalid axis identifier: {name}\nnot a valid python identifier")
    if name.startswith("_") or name.endswith("_"):
        raise ValueError(f"Invalid axis identifier: {name}\naxis name should not start or end with underscore")
    if keyword.iskeyword(name):
        warnings.warn(f"It is discouraged to use axes names that are keywords: {name}", RuntimeWarning, stacklevel=5)


def groups_of(side: str) -> list[Group]:
    """Return the dimensions that one side of a pattern names.

    Raises:
        ValueError: if brackets, dots or names are wrong.
    """
    rest = side.replace(ELLIPSIS, f" {ALL} ", 1)
    if "." in rest:
        single = "; only one ellipsis for tensor" if ELLIPSIS in side else ""
        raise ValueError(f"Expression may contain dots only inside ellipsis (...){single}")
    groups: list[Group] = []
    within: Group | None = None
    seen: set[str] = set()
    for token in re.findall(r"[()]|[^\s()]+", rest):
        if token == "(":
            if within is not None:
                raise ValueError("Axis composition is one-level (brackets inside brackets not allowed)")
            within = []
        elif token == ")":
            if within is None:
                raise ValueError("Brackets are not balanced")
            groups.append(within)
            within = None
        else:
            add_name(token if token != ALL or within is None else ELLIPSIS, groups, within, seen)
    if within is not None:
        raise ValueError(f"Imbalanced parentheses in expression: {side!r}")
    return groups


def add_name(name: str, groups: list[Group], within: Group | None, seen: set[str]) -> None:
    """Add a name of a side to its group.

    Raises:
        ValueError: if it is not a valid name, or occurs twice.
    """
    if name.isdecimal():
        if int(name) != 1:
            raise ValueError("rearrange only supports unnamed axes of size 1")
        if within is None:
            groups.append([])
        return
    if name not in (ALL, ELLIPSIS):
        odd = [character for character in name if not (character.isalnum() or character == "_")]
        if odd:
            raise ValueError(f"Unknown character '{odd[0]}'")
        check_name(name)
    if name in seen:
        raise ValueError(f"Indexing expression contains duplicate dimension '{name}'")
    seen.add(name)
    if within is None:
        groups.append([name])
    else:
        within.append(name)


def check_sides(left: list[Group], right: list[Group], pattern: str, lengths: dict[str, int]) -> None:
    """Refuse sides with different names, and lengths of unknown names.

    Raises:
        TypeError: if a length is not an integer.
        ValueError: if the names do not fit.
    """
    names, others = ({ELLIPSIS if name == ALL else name for group in side for name in group} for side in (left, right))
    if ELLIPSIS in others - names:
        raise ValueError(f"Ellipsis found in right side, but not left side of a pattern {pattern}")
    if any(ELLIPSIS in group for group in left):
        raise ValueError(f"Ellipsis is parenthesis in the left side is not allowed: {pattern}")
    if names ^ others:
        raise ValueError(f"Identifiers only on one side of rearrange expression (should be on both): {names ^ others}")
    for length in lengths.values():
        if not isinstance(length, int):
            raise TypeError(f"rearrange axis lengths must be integers, got: {type(length)}")
    if unknown := lengths.keys() - names:
        raise ValueError(f"Identifiers not found in rearrange expression: {unknown}")


def spread(groups: list[Group], ndim: int) -> list[Group]:
    """Return the dimensions of the left side, with names for those of an ellipsis.

    Raises:
        ValueError: if the tensor has another number of dimensions.
    """
    at = next((place for place, group in enumerate(groups) if group == [ALL]), None)
    count = ndim - len(groups) + (at is not None)
    if count < 0 or (at is None and count):
        some = "" if at is None else " or less"
        raise ValueError(
            f"Number of dimensions in pattern ({len(groups) - (at is not None)}) must be equal to{some} the number of "
            f"dimensions in the tensor ({ndim})"
        )
    if at is None:
        return groups
    return [*groups[:at], *[[f"{ELLIPSIS}{place}"] for place in range(count)], *groups[at + 1 :]]


def sizes_of(groups: list[Group], shape: Sequence[int], lengths: dict[str, int]) -> dict[str, int]:
    """Return the length of each name; one in each group may be left out.

    Raises:
        ValueError: if lengths do not fit the shape, or do not follow from it.
    """
    sizes: dict[str, int] = {}
    for group, length in zip(groups, shape):
        open_names = [name for name in group if name not in lengths]
        known = math.prod([lengths[name] for name in group if name in lengths])
        if len(open_names) > 1:
            raise ValueError(f"cannot infer the sizes of several dimensions at once: {', '.join(open_names)}")
        if open_names:
            if not known or length % known:
                raise ValueError(f"inferred dimension does not evenly fit into larger dimension: {length} vs {known}")
            sizes[open_names[0]] = length // known
        elif known != length:
            raise ValueError(f"Dimension sizes do not match ({length} != {known}) for {group}")
        sizes.update({name: lengths[name] for name in group if name in lengths})
    return sizes


def rearrange(tensor: Tensor | Sequence[Tensor], pattern: str, **axes_lengths: int) -> Tensor:
    """Split, join and permute the dimensions of a tensor by a pattern (that of `einops.rearrange`).

    Args:
        tensor: a tensor, or a sequence of tensors of one shape, which are stacked first.
        pattern: names of the dimensions before and after, such as "b (h two) w -> b w (two h)": names in brackets form
            one dimension, `1` and `()` stand for a dimension of length 1, `...` for all others.
        axes_lengths: lengths of names that do not follow from the shape.

    Returns:
        A view if possible, otherwise a new tensor.

    Raises:
        TypeError: if a length is not an integer.
        ValueError: if the pattern is wrong, or does not fit the tensor.

    >>> import wengert as wg
    >>> from wengert.func import rearrange
    >>> rearrange(wg.arange(6).reshape(2, 3), "a b -> b a")
    tensor([[0, 3],
            [1, 4],
            [2, 5]])
    >>> rearrange(wg.arange(6), "(a b) -> a 1 b", a=2).shape
    torch.Size([2, 1, 3])
    """
    stacked: Any = tensor if isinstance(tensor, Tensor) else stack(tensor)
    sides = pattern.split("->")
    if len(sides) != 2:
        raise ValueError("Pattern must contain a single '->' separator")
    left, right = groups_of(sides[0]), groups_of(sides[1])
    check_sides(left, right, pattern, axes_lengths)
    left = spread(left, stacked.ndim)
    sizes = sizes_of(left, stacked.shape, axes_lengths)
    names = [name for group in left for name in group]
    others = [name for name in names if name.startswith(ELLIPSIS)]
    groups: list[Group] = []
    for group in right:
        if group == [ALL]:
            groups += [[name] for name in others]
        else:
            groups.append([inner for name in group for inner in (others if name == ELLIPSIS else [name])])
    order = [names.index(name) for group in groups for name in group]
    moved = stacked.reshape([sizes[name] for name in names]).permute(order)
    return moved.reshape([math.prod([sizes[name] for name in group]) for group in groups])
