"""NumPy's products of matrices and arrays, on tensors."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters
from typing import Any

import numpy as np

from ..boxes import boxed, rule, tensor_of
from ..extend import def_linear, defvjp_argnum, primitive
from .pointwise import promoted
from .shapes import gathered, places_of


@rule(np.matmul)
def matmul(x1: Any, x2: Any) -> Any:
    """Matrix product, with broadcast leading dimensions."""
    x1, x2 = promoted(x1, x2)
    if not x1.ndim or not x2.ndim:
        raise ValueError("matmul: arrays without dimensions are multiplied by *")
    return x1.matmul(x2)


@rule(np.dot)
def dot(a: Any, b: Any, out: None = None) -> Any:
    """Sum of products over the last dimension of `a` and the last but one of `b`."""
    a, b = promoted(a, b)
    if not a.ndim or not b.ndim:
        return a * b
    return a.matmul(b) if b.ndim <= 2 else contracted(a, b, [a.ndim - 1], [b.ndim - 2])


@rule(np.vdot)
def vdot(a: Any, b: Any) -> Any:
    """Sum of products of all elements, those of `a` conjugated."""
    a, b = promoted(a, b)
    return (a.reshape(-1).conj_physical() * b.reshape(-1)).sum()


@rule(np.inner)
def inner(a: Any, b: Any) -> Any:
    """Sum of products over the last dimensions."""
    a, b = promoted(a, b)
    return contracted(a, b, [a.ndim - 1], [b.ndim - 1]) if a.ndim and b.ndim else a * b


@rule(np.outer)
def outer(a: Any, b: Any, out: None = None) -> Any:
    """Products of all pairs of elements."""
    a, b = promoted(a, b)
    return a.reshape(-1, 1) * b.reshape(1, -1)


@rule(np.tensordot)
def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """Sum of products over dimensions: their number, or two lists of dimensions."""
    a, b = promoted(a, b)
    if np.ndim(axes) == 0:
        return contracted(a, b, list(range(a.ndim - axes, a.ndim)), list(range(axes)))
    first, second = ([dims] if np.ndim(dims) == 0 else list(dims) for dims in axes)
    return contracted(a, b, [dim % a.ndim for dim in first], [dim % b.ndim for dim in second])


def contracted(a: Any, b: Any, first: Sequence[int], second: Sequence[int]) -> Any:
    """Sum of products over pairs of dimensions; the remaining dimensions of `a` come before those of `b`.

    Raises:
        ValueError: if two dimensions of a pair differ in length.
    """
    lengths = [a.shape[dim] for dim in first]
    if lengths != [b.shape[dim] for dim in second]:
        raise ValueError(f"shape-mismatch for sum: {tuple(a.shape)} over {first}, {tuple(b.shape)} over {second}")
    rows = [dim for dim in range(a.ndim) if dim not in first]
    columns = [dim for dim in range(b.ndim) if dim not in second]
    count = int(np.prod(lengths))
    shape = [a.shape[dim] for dim in rows] + [b.shape[dim] for dim in columns]
    left = in_order(a, [*rows, *first]).reshape(int(np.prod([a.shape[dim] for dim in rows])), count)
    right = in_order(b, [*second, *columns]).reshape(count, int(np.prod([b.shape[dim] for dim in columns])))
    return left.matmul(right).reshape(shape)


def in_order(tensor: Any, dims: list[int]) -> Any:
    """Permute the dimensions of a tensor."""
    return tensor.permute(*dims) if dims else tensor


@rule(np.kron)
def kron(a: Any, b: Any) -> Any:
    """Kronecker product."""
    a, b = promoted(a, b)
    a = a.reshape([1] * (b.ndim - a.ndim) + list(a.shape))
    b = b.reshape([1] * (a.ndim - b.ndim) + list(b.shape))
    spaced = a.reshape([part for length in a.shape for part in (length, 1)])
    within = b.reshape([part for length in b.shape for part in (1, length)])
    return (spaced * within).reshape([x * y for x, y in zip(a.shape, b.shape)])


@rule(np.cross)
def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> Any:
    """Cross product of vectors of three elements."""
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = promoted(a, b)
    a, b = a.movedim(axisa, -1), b.movedim(axisb, -1)
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        raise ValueError(f"cross: vectors must have 3 elements, but have {a.shape[-1]} and {b.shape[-1]}")
    after, before = tensor_of(np.array([1, 2, 0])), tensor_of(np.array([2, 0, 1]))
    product = a.index_select(-1, after) * b.index_select(-1, before)
    return (product - a.index_select(-1, before) * b.index_select(-1, after)).movedim(-1, axisc)


def spelt(subscripts: str, dims: Sequence[int]) -> tuple[list[str], str]:
    """Return the subscripts of operands and result, with the ellipsis and an implicit result written out."""
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    terms = inputs.split(",")
    used = set(inputs)
    spare = [letter for letter in ascii_letters if letter not in used]
    most = max([dim - len(term.replace("...", "")) for term, dim in zip(terms, dims) if "..." in term], default=0)
    dots = "".join(spare[:most])
    spelt_terms = []
    for term, dim in zip(terms, dims):
        length = dim - len(term.replace("...", ""))
        spelt_terms.append(term.replace("...", dots[most - length :]))
    if not arrow:
        single = sorted(letter for letter in used - set(",.") if inputs.count(letter) == 1)
        output = "..." + "".join(single) if "..." in inputs else "".join(single)
    return spelt_terms, output.replace("...", dots)


def as_text(args: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """Convert a call in which each operand is followed by a list of its subscripts to a text and operands."""
    count = len(args) // 2
    lists = [*args[1 : 2 * count : 2], *args[2 * count :]]
    terms = [
        "".join("..." if subscript is Ellipsis else ascii_letters[subscript] for subscript in part) for part in lists
    ]
    return ",".join(terms[:count]) + "".join(f"->{term}" for term in terms[count:]), args[0 : 2 * count : 2]


@rule(np.einsum)
def einsum(subscripts: Any, *operands: Any, optimize: Any = False, **options: Any) -> Any:
    """Sums of products by Einstein's summation convention."""
    if not isinstance(subscripts, str):
        subscripts, operands = as_text((subscripts, *operands))
    tensors = promoted(*operands)
    terms, output = spelt(subscripts, [tensor.ndim for tensor in tensors])
    lengths: dict[str, int] = {}
    for term, tensor in zip(terms, tensors):
        for letter, length in zip(term, tensor.shape):
            lengths[letter] = length if length != 1 else lengths.get(letter, 1)
    for position, (term, tensor) in enumerate(zip(terms, tensors)):
        tensor = tensor.expand([lengths[letter] for letter in term])
        if len(set(term)) < len(term):  # diagonal
            once = "".join(dict.fromkeys(term))
            places = np.einsum(f"{term}->{once}", places_of(tensor.shape))
            tensor, terms[position] = gathered(tensor, places), once
        tensors[position] = tensor
    result = contraction(f"{','.join(terms)}->{output}", bool(optimize), *map(boxed, tensors))
    return tensor_of(result)


@primitive
def contraction(text: str, optimize: bool, *operands: Any) -> Any:
    """`numpy.einsum` without repeated letters in an operand."""
    return np.einsum(text, *operands, optimize=optimize)


def contraction_vjp(argnum: int, ans: Any, args: Any, kwargs: Any) -> Any:
    """Gradient with respect to one operand: a contraction of that of the result with the other operands."""
    text, optimize, *operands = args
    inputs, _, output = text.partition("->")
    terms = inputs.split(",")
    term, position = terms[argnum - 2], argnum - 2
    others = [other for place, other in enumerate(operands) if place != position]
    names = [other for place, other in enumerate(terms) if place != position]
    alone = [letter for letter in term if letter not in output and not any(letter in name for name in names)]
    ones = np.ones([np.shape(operands[position])[term.index(letter)] for letter in alone])
    back = f"{','.join([output, *names, ''.join(alone)])}->{term}"

    def vjp(g: Any) -> Any:
        gradient = contraction(back, optimize, g, *others, ones)
        return np.real(gradient) if np.iscomplexobj(gradient) and not np.iscomplexobj(operands[position]) else gradient

    return vjp


defvjp_argnum(contraction, contraction_vjp)
def_linear(contraction)
