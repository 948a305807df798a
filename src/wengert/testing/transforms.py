"""Combinations of transforms, checked against the plain reverse pass: batched, nested, forward, in place, complex.

Rules that are correct separately may be wrong together. A call becomes a function of real tensors (a complex tensor is
read as pairs of real numbers) with a real loss L, the weighted sum of the results. Its gradient g and its second
derivative along a direction, H v, are computed by one and two reverse passes, without transforms. Each combination of
transforms must return the same numbers.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .._core.backward import passes
from .._core.tensor.base import Tensor
from ..func import grad, jacfwd, jacrev, jvp, vmap
from .batching import Batched
from .calls import Call, leaf, replaced
from .differences import Wrong, exchange, finite, random_like, recorded, refined
from .in_place import fits_in_place, target_of
from .seeds import reseed

RELATIVE = 1e-7
"""Tolerance of two results, relative to the sum of the absolute values of their terms."""
FEW = 24
"""Largest number of elements of all inputs for which whole Jacobians and Hessians are computed."""

Arrays = list[Any]


class Program:
    """A call as a function of real tensors.

    Attributes:
        call: the call.
        inputs: the tensors among its arguments with respect to which it is differentiated.
        points: their values, as real arrays.
        weights: weights in the loss of each result that requires a gradient.
        in_place: whether the in-place form is applied, to a copy of the first argument.
    """

    def __init__(self, call: Call, in_place: bool = False) -> None:
        random = np.random.default_rng(0)
        self.call = call
        self.in_place = in_place
        self.inputs = call.differentiable()
        outputs = recorded(call)
        self.smooth = call.smooth and finite(outputs)
        self.points = [real_array(tensor._array_) for tensor in self.inputs]
        self.weights = [random_like(random, real_array(output._array_)) for output in outputs]
        self.places = self.recorded_places()

    def recorded_places(self) -> list[int]:
        """Return the indices of outputs that require a gradient."""
        reseed()
        return [nr for nr, output in enumerate(self.call.outputs()) if output.requires_grad]

    def __call__(self, *reals: Any) -> tuple[Any, ...]:
        """Return the results that have a derivative, as real tensors."""
        tensors = [joined(real) if like.is_complex() else real for real, like in zip(reals, self.inputs)]
        call = exchange(self.call, self.inputs, tensors)
        reseed()
        if self.in_place:
            target = call.args[0].clone()
            outputs = [getattr(target, call.operator.in_place.name)(*call.args[1:], **call.kwargs)]
        else:
            outputs = call.outputs()
        return tuple([separated(outputs[nr]) for nr in self.places])

    def loss(self, *reals: Any) -> Any:
        """Return the weighted sum of the results."""
        return sum((result * leaf(weight)).sum() for result, weight in zip(self(*reals), self.weights))

    def gradient(self, points: Arrays) -> Arrays:
        """Return the gradient of the loss by the plain reverse pass."""
        leaves = [leaf(point, requires_grad=True) for point in points]
        return or_zeros(passes.grad([self.loss(*leaves)], leaves, None, None, False, True), points)

    def second(self, points: Arrays, along: Arrays) -> Arrays:
        """Return the second derivative of the loss along a direction, by two plain reverse passes."""
        leaves = [leaf(point, requires_grad=True) for point in points]
        grads = passes.grad([self.loss(*leaves)], leaves, None, None, True, True)
        moved = [(tensor, way) for tensor, way in zip(grads, along) if tensor is not None and tensor.requires_grad]
        if not moved:
            return [np.zeros_like(point) for point in points]
        roots, weights = [tensor for tensor, _ in moved], [leaf(way) for _, way in moved]
        return or_zeros(passes.grad(roots, leaves, weights, None, False, True), points)


def real_array(array: Any) -> Any:
    """Return a real array unchanged, a complex one as pairs of real and imaginary parts along a new last dimension."""
    return np.stack([array.real, array.imag], -1) if array.dtype.kind == "c" else array


def joined(real: Any) -> Any:
    """Return the complex tensor of pairs along the last dimension."""
    return real.select(-1, 0) + real.select(-1, 1) * 1j


def separated(tensor: Any) -> Any:
    """Return a real tensor unchanged, a complex one as pairs along a new last dimension."""
    from ..ops.shapes.join import stack

    return stack([tensor.real, tensor.imag], -1) if tensor.is_complex() else tensor


def or_zeros(tensors: Any, like: Arrays) -> Arrays:
    """Return the arrays of tensors, zeros for None."""
    return [np.zeros_like(other) if tensor is None else tensor._array_ for tensor, other in zip(tensors, like)]


def check_transforms(call: Call, in_place: bool = False) -> list[str]:
    """Check one call, single and in batches, in every combination of transforms.

    Args:
        in_place: check the in-place form of the operator, applied to a copy of the first argument.

    Returns:
        The combinations that were compared.

    Raises:
        Wrong: if a combination returns other numbers than the plain reverse pass.
    """
    program = Program(call, in_place)
    if not program.inputs or not program.places or not (finite(program.inputs) and finite(recorded(call))):
        return []
    compared = []
    ways = [dims for dims in batches(call) if not in_place or dims[0] is not None]
    for name, actual, expected in itertools.chain(alone(program), *(batched(program, dims) for dims in ways)):
        compare(f"{call}{' in place' if in_place else ''}", name, actual, expected)
        compared.append(name)
    return compared


def compare(call: str, name: str, actual: Arrays, expected: Arrays) -> None:
    """Compare arrays.

    Raises:
        Wrong: if shapes or values differ.
    """
    for nr, (actual_array, expected_array) in enumerate(zip(actual, expected, strict=True)):
        actual_array, expected_array = np.asarray(actual_array), np.asarray(expected_array)
        if actual_array.shape != expected_array.shape:
            raise Wrong(
                f"{call}: {name} has the shape {list(actual_array.shape)}, expected {list(expected_array.shape)} "
                f"(input {nr})"
            )
        scale = 1 + float(np.abs(expected_array).max(initial=0))
        if not np.allclose(actual_array, expected_array, RELATIVE, RELATIVE * scale, equal_nan=True):
            raise Wrong(f"{call}: {name} gives {actual_array}, expected {expected_array} (input {nr})")


# ---- one call alone --------------------------------------------------------------------------------------------------


def alone(program: Program) -> Iterator[tuple[str, Arrays, Arrays]]:
    """Iterate over the combinations for a single call: name, actual and expected arrays."""
    random = np.random.default_rng(1)
    points = program.points
    tensors = [leaf(point) for point in points]
    along, across = ([random_like(random, point) for point in points] for _ in range(2))
    ways, others = [leaf(direction) for direction in along], [leaf(array) for array in across]
    which = tuple(range(len(points)))
    first, second = program.gradient(points), program.second(points, along)
    derivative, curvature = products(first, along), products(second, across)
    gradient: Any = grad(program.loss, which)

    def directional(*at: Any) -> Any:
        return jvp(program.loss, at, tuple(ways))[1]

    yield "grad", arrays(gradient(*tensors)), first
    yield "jvp", arrays([directional(*tensors)]), [derivative]
    yield "jvp of grad", arrays(jvp(gradient, tuple(tensors), tuple(ways))[1]), second
    yield "grad of jvp", arrays(grad(directional, which)(*tensors)), second
    yield "jvp of jvp", arrays([jvp(directional, tuple(tensors), tuple(others))[1]]), [curvature]
    yield (
        "vmap of jvp along directions",
        arrays(
            [
                vmap(lambda *ways: jvp(program.loss, tuple(tensors), ways)[1])(
                    *(leaf(np.stack([a, b])) for a, b in zip(along, across))
                )
            ]
        ),
        [np.stack([derivative, products(first, across)])],
    )
    if program.smooth and not program.in_place:
        loss = lambda at: [program.loss(*map(leaf, at))._array_]  # noqa: E731
        (difference,) = refined(loss, points, along)
        yield (
            "differences",
            [np.where(abs(difference - derivative) < 1e-5 * (1 + abs(derivative)), derivative, difference)],
            [derivative],
        )
    if sum(point.size for point in points) <= FEW:
        yield from whole_derivatives(program, tensors, along, first, second)


def whole_derivatives(
    program: Program, tensors: list[Tensor], along: Arrays, first: Arrays, second: Arrays
) -> Iterator[tuple[str, Arrays, Arrays]]:
    """Jacobians and Hessians, contracted with the weights of the results and with a direction."""
    which = tuple(range(len(tensors)))
    transforms: dict[str, Any] = {"jacrev": jacrev, "jacfwd": jacfwd}
    for name, transform in transforms.items():
        rows = transform(program, which)(*tensors)
        yield name, [contracted(column(rows, at), program.weights) for at in which], first
    for outer, inner in itertools.product(transforms, repeat=2):
        blocks = transforms[outer](transforms[inner](program.loss, which), which)(*tensors)
        rows_of_products = [sum((along_last(blocks[row][at], along[at]) for at in which), start=0) for row in which]
        yield f"{outer} of {inner}", rows_of_products, second


def column(rows: Any, at: int) -> list[Any]:
    """Return the blocks of a Jacobian for one input, as arrays, one for each result."""
    return [row[at]._array_ for row in rows]


def contracted(blocks: list[Any], weights: Arrays) -> Any:
    """Return the sum over all results of weights times derivatives."""
    return sum((np.tensordot(weight, block, weight.ndim) for weight, block in zip(weights, blocks)), start=0)


def along_last(block: Any, way: Any) -> Any:
    """Return a block of a Hessian times a direction."""
    return np.tensordot(block._array_, way, way.ndim)


def products(first: Arrays, second: Arrays) -> Any:
    """Return the sum of inner products."""
    return np.asarray(sum(np.vdot(one, other) for one, other in zip(first, second)))


def arrays(tensors: Any) -> Arrays:
    """Return the arrays of tensors."""
    return [tensor._array_ for tensor in tensors]


# ---- batches ---------------------------------------------------------------------------------------------------------


def batches(call: Call) -> Iterator[tuple[int | None, ...]]:
    """Iterate over `in_dims` of the differentiable tensors; None for a tensor that all members share."""
    count = len(call.differentiable())
    yield (0,) * count
    yield (-1,) * count
    if count > 1:
        yield (0, *(None,) * (count - 1))
        yield (*(None,) * (count - 1), -1)


def batched(program: Program, dims: tuple[int | None, ...]) -> Iterator[tuple[str, Arrays, Arrays]]:
    """Iterate over the combinations with `vmap`: name, arrays of the batch, and arrays of the members."""
    members, wholes = members_of(program, dims)
    random = np.random.default_rng(2)
    ways = [random_like(random, tensor) for tensor in wholes]
    member_ways = [
        [way if dim is None else way.take(nr, dim) for way, dim in zip(ways, dims)] for nr in range(len(members))
    ]
    tensors, directions = [leaf(tensor) for tensor in wholes], tuple([leaf(direction) for direction in ways])
    which = tuple(range(len(dims)))
    grads = [program.gradient(member) for member in members]
    derivatives = [products(*pair) for pair in zip(grads, member_ways)]
    gradient = grad(program.loss, which)
    mapped = vmap(program.loss, dims)

    def pushed(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *both: jvp(function, both[: len(dims)], both[len(dims) :])[1]

    losses = [program.loss(*map(leaf, member))._array_ for member in members]
    yield f"vmap{dims}", [mapped(*tensors)._array_], [np.stack(losses)]
    yield f"vmap{dims} of grad", arrays(vmap(gradient, dims)(*tensors)), stacked(grads)
    summed = grad(lambda *at: mapped(*at).sum(), which)(*tensors)
    yield f"grad of vmap{dims}", arrays(summed), gathered(grads, dims)
    yield (
        f"vmap{dims} of jvp",
        [vmap(pushed(program.loss), dims * 2)(*tensors, *directions)._array_],
        [np.stack(derivatives)],
    )
    yield f"jvp of vmap{dims}", [jvp(mapped, tuple(tensors), directions)[1]._array_], [np.stack(derivatives)]
    seconds = [program.second(*pair) for pair in zip(members, member_ways)]
    yield (
        f"vmap{dims} of jvp of grad",
        arrays(vmap(pushed(gradient), dims * 2)(*tensors, *directions)),
        stacked(seconds),
    )
    backward = grad(lambda *at: pushed(mapped)(*at, *directions).sum(), which)(*tensors)
    yield f"grad of jvp of vmap{dims}", arrays(backward), gathered(seconds, dims)


def members_of(program: Program, dims: tuple[int | None, ...]) -> tuple[list[Arrays], Arrays]:
    """Return the points of each member, and of all members together."""
    call = program.call
    places = {id(tensor): dim for tensor, dim in zip(program.inputs, dims)}
    batch = Batched(call, tuple([places.get(id(tensor)) for tensor in call.tensors()]))
    members = []
    for member_call in batch.calls:
        values = dict(zip(map(id, call.tensors()), member_call.tensors()))
        members.append([real_array(values[id(tensor)]._array_) for tensor in program.inputs])
    wholes = [
        members[0][at] if dim is None else np.stack([member[at] for member in members], dim)
        for at, dim in enumerate(dims)
    ]
    return members, wholes


def stacked(parts: list[Arrays]) -> Arrays:
    """Stack the arrays of all members along a new first dimension."""
    return [np.stack(arrays_of_members) for arrays_of_members in zip(*parts)]


def gathered(parts: list[Arrays], dims: tuple[int | None, ...]) -> Arrays:
    """Return the gradients of the batched tensors: those of the members along their dimension, or their sum."""
    return [
        sum(arrays_of_members) if dim is None else np.stack(arrays_of_members, dim)
        for arrays_of_members, dim in zip(zip(*parts), dims)
    ]


# ---- other calls of an operator --------------------------------------------------------------------------------------


def writes_in_place(call: Call) -> bool:
    """Return whether the in-place form of an operator has the same result: it fits into the first argument."""
    form, target = getattr(call.operator, "in_place", None), target_of(call)
    if form is None or target is None or not target.requires_grad or call.operator.view:
        return False
    return fits_in_place(call) and call.run().dtype is target.dtype


def variants(call: Call) -> dict[str, Call]:
    """Return a call, the same on lazily conjugated or negated views, and for a pointwise operator the same on operands
    of other shapes.
    """
    calls = {"ordinary": call}
    if call.differentiable():
        calls["postponed"] = postponed(call)
    if getattr(call.operator, "promotion", None) is None or not call.tensors():
        return calls
    shapes = [tensor._array_.shape for tensor in call.tensors()]
    calls["zero-size"] = call.exchanged(lambda tensor: leaf(np.empty((0, 3), tensor._array_.dtype), tensor))
    if all(math.prod(shape) for shape in shapes):
        calls["0-dim"] = call.exchanged(lambda tensor: leaf(tensor._array_[(0,) * tensor._array_.ndim], tensor))
        calls["one element"] = call.exchanged(lambda tensor: leaf(tensor._array_.reshape(-1)[:1].copy(), tensor))
        if all(shapes):
            calls["expanded"] = call.exchanged(lambda tensor: leaf(tensor._array_[..., :1].copy(), tensor))
            calls["expanded"].through = expanded(shapes)
    return calls


def expanded(shapes: list[Any]) -> Callable[..., Any]:
    """Return a function that calls another one with its tensors expanded to shapes."""

    def through(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        following = iter(shapes)
        larger = [replaced(arg, lambda tensor: tensor.expand(next(following))) for arg in (*args, *kwargs.values())]
        return function(*larger[: len(args)], **dict(zip(kwargs, larger[len(args) :])))

    return through


def postponed(call: Call) -> Call:
    """Return the call on lazily conjugated or negated views."""
    stored = call.exchanged(lambda tensor: leaf(as_stored(tensor._array_), tensor))
    inner = call.through

    def through(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        args = replaced(args, in_sign)
        kwargs = replaced(kwargs, in_sign)
        return function(*args, **kwargs) if inner is None else inner(function, *args, **kwargs)

    stored.through = through
    return stored


def as_stored(array: Any) -> Any:
    """Return the stored values of an array for the view `in_sign`."""
    if array.dtype.kind == "c":
        return np.conjugate(array)
    return np.negative(array) if array.dtype.kind == "f" else array.copy()


def in_sign(tensor: Any) -> Any:
    """Return a view: the conjugate of a complex tensor, or the negative of a floating-point one."""
    if tensor.dtype.is_complex:
        return tensor.conj()
    return tensor._neg_view() if tensor.dtype.is_floating_point else tensor
