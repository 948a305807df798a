"""Batched calls (`vmap`) checked against one call for each member: values, gradients, tangents, in-place forms.

Members have the elements of a sample's arguments in another order, so that they fulfil the same conditions (positive,
within a length).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from .._core.tensor.base import Tensor
from ..autograd.forward_ad import dual_level, make_dual, unpack_dual
from ..func import vmap
from .calls import Call, leaf
from .differences import Wrong, random_like
from .seeds import reseed

MEMBERS = 3


def ways(call: Call) -> Iterator[tuple[int | None, ...]]:
    """Iterate over `in_dims` to test: the dimension of members of each tensor, or None. Every combination of the first
    three tensors, with all others or none, and members along the last dimension.
    """
    count = len(call.tensors())
    for chosen in itertools.product((True, False), repeat=min(count, 3)):
        for rest in {True, False} if count > 3 else {True}:
            which = (*chosen, *[rest] * (count - len(chosen)))
            if any(which):
                yield tuple(0 if flag else None for flag in which)
    yield (-1,) * count
    yield tuple(nr % 2 - 1 for nr in range(count))


def member(tensor: Tensor, nr: int) -> Tensor:
    """Return the member number `nr` for a tensor."""
    array = tensor._array_
    if array.ndim:
        array = array if not nr else np.flip(array) if nr == 1 else np.roll(array, 1)
    elif array.dtype.kind in "fc":
        array = array * np.asarray((1, 0.75, 0.5)[nr % 3], array.dtype)
    return leaf(np.array(array), tensor)


class Batched:
    """A call, and the same for a batch.

    Attributes:
        calls: the calls of the members.
        dims: dimension of the members of each tensor, None if all share it.
        wholes: the batched tensors.
    """

    def __init__(self, call: Call, dims: tuple[int | None, ...], count: int = MEMBERS) -> None:
        self.dims = dims
        originals = call.tensors()
        parts = [
            [member(tensor, nr if dim is not None else 0) for tensor, dim in zip(originals, dims)]
            for nr in range(count)
        ]
        self.calls = [call.with_tensors(part) for part in parts]
        self.wholes = [
            parts[0][at] if dim is None else whole([part[at] for part in parts], dim) for at, dim in enumerate(dims)
        ]

    def run(self) -> list[Tensor]:
        """Return the results for the batch, in the order of `Call.outputs`."""
        reseed()
        return self.run_on(self.wholes)

    def run_on(self, wholes: list[Tensor]) -> list[Tensor]:
        """Return the results for other batched tensors."""
        return list(vmap(lambda *tensors: tuple(self.calls[0].with_tensors(tensors).outputs()), self.dims)(*wholes))


def check_rows(call: Call) -> None:
    """Check that results that are row-major for a single member are row-major in a batch, so that views stay views.

    Raises:
        Wrong: if a member of a batch is not row-major although it is alone.
    """
    count = len(call.tensors())
    for dim in (0, -1):
        batch = Batched(call, (dim,) * count)
        alone = call.with_tensors([tensor.select(dim, 0) for tensor in batch.wholes])
        reseed()
        wanted = [output.is_contiguous() or not output.numel() for output in alone.outputs()]
        for output, row_major in zip(seen_by_members(batch), wanted):
            if row_major and not output.is_contiguous():
                raise Wrong(
                    f"{call}: a member of a batch along {dim} has strides {output.stride()}, alone row-major ones"
                )


def seen_by_members(batch: Batched) -> list[Any]:
    """Return the results as seen inside the mapped function."""
    seen: list[Any] = []

    def function(*tensors: Tensor) -> Tensor:
        seen.extend(batch.calls[0].with_tensors(tensors).outputs())
        return tensors[0]

    reseed()
    vmap(function, batch.dims)(*batch.wholes)
    return seen


def whole(parts: list[Tensor], dim: int) -> Tensor:
    """Stack members along a dimension of one leaf."""
    return leaf(np.stack([part._array_ for part in parts], dim), parts[0])


def check_batched(call: Call, first_only: bool = False, refusing: str = "") -> bool:
    """Check the results, and gradients, of a call for a batch.

    Args:
        first_only: test members along first dimensions only.
        refusing: text of an error that is accepted: the shape of a result would depend on values.

    Returns:
        Whether there was something to check.

    Raises:
        Wrong: if a result or a gradient differs from those of the members.
    """
    checked = False
    if not call.tensors():
        return False
    for dims in ways(call):
        if first_only and -1 in dims:
            continue
        batched = Batched(call, dims)
        expected = [member_call.outputs() for member_call in batched.calls]
        if not expected[0]:
            return False
        try:
            results = batched.run()
        except RuntimeError as error:
            if not refusing or refusing not in str(error):
                raise
            continue
        for nr, result in enumerate(results):
            members = [outputs[nr] for outputs in expected]
            agree(call, f"result {nr} for dims {dims}", result, np.stack([value._array_ for value in members]))
        check_gradients(call, batched, results, expected)
        checked = True
    return checked


def check_other_counts(call: Call, refusing: str = "") -> bool:
    """Check the results of a call for batches of one member, and of as many as an operand has rows or columns, in which
    one operand is batched: they equal those of each member, also if all members share memory. An empty batch has
    results of the same shapes and dtypes.

    Args:
        refusing: text of an error that is accepted, see `check_batched`.

    Returns:
        Whether there was something to check.

    Raises:
        Wrong: if a result differs from that of a member.
    """
    tensors = call.tensors()
    alone = call.outputs()
    if not tensors or not alone:
        return False
    lengths = {tensor.shape[end] for tensor in tensors if tensor.ndim for end in (0, -1)}
    for at in range(len(tensors)):
        dims = tuple(0 if nr == at else None for nr in range(len(tensors)))
        try:
            for count in sorted({1, *lengths} - {0, MEMBERS}):
                batched = Batched(call, dims, count)
                compare(batched, batched.run(), [member_call.outputs() for member_call in batched.calls])
            check_same_memory(call, at)
            batched = Batched(call, dims)
            results = batched.run_on([none_of(whole, dim) for whole, dim in zip(batched.wholes, dims)])
        except RuntimeError as error:
            if not refusing or refusing not in str(error):
                raise
            continue
        for nr, (result, single) in enumerate(zip(results, alone)):
            agree(call, f"result {nr} for no member, dims {dims}", result, single._array_[None][:0])
    return True


def check_same_memory(call: Call, at: int) -> None:
    """Check the results of a call for a batch in which all members of one operand share memory.

    Raises:
        Wrong: if a result differs from that of a member.
    """
    batched = Batched(call, (0,) * len(call.tensors()))
    wholes = list(batched.wholes)
    first = wholes[at]._array_[:1]
    wholes[at] = leaf(np.broadcast_to(first, (MEMBERS, *first.shape[1:])))
    shared = batched.calls[0].tensors()[at]
    alone = [[shared if nr == at else tensor for nr, tensor in enumerate(single.tensors())] for single in batched.calls]
    expected = [single.with_tensors(tensors).outputs() for single, tensors in zip(batched.calls, alone)]
    reseed()
    compare(batched, batched.run_on(wholes), expected)


def compare(batched: Batched, results: list[Tensor], expected: list[list[Tensor]]) -> None:
    """Compare results for a batch with those of the members.

    Raises:
        Wrong: if they differ.
    """
    for nr, result in enumerate(results):
        parts = np.stack([outputs[nr]._array_ for outputs in expected])
        agree(batched.calls[0], f"result {nr} of {len(expected)} members for dims {batched.dims}", result, parts)


def none_of(tensor: Tensor, dim: int | None) -> Tensor:
    """Return a batch without members, of the same dtype and shape."""
    return tensor if dim is None else leaf(tensor._array_[:0].copy())


def check_nested(call: Call, refusing: str = "") -> bool:
    """Check the results of a call for nested batches: one operand has the inner batch, the others the outer one.

    Returns:
        Whether there was something to check.

    Raises:
        Wrong: if a result differs from that of a member.
    """
    tensors = call.tensors()
    if not tensors or not call.outputs():
        return False
    for at in range(min(len(tensors), 3)):
        inner = tuple(0 if nr == at else None for nr in range(len(tensors)))
        outer = tuple(0 if nr != at or len(tensors) == 1 else None for nr in range(len(tensors)))
        batches = [Batched(call, inner), Batched(call, outer, 2)]
        wholes = [batches[0 if nr == at else 1].wholes[nr] for nr in range(len(tensors))]
        if len(tensors) == 1:
            wholes = [whole([wholes[0], leaf(np.flip(wholes[0]._array_, 0).copy(), wholes[0])], 0)]
        reseed()
        try:
            results = nested(call, inner, outer, wholes)
        except RuntimeError as error:
            if not refusing or refusing not in str(error):
                raise
            continue
        for first, second in itertools.product(range(2), range(MEMBERS)):
            parts = [tensor if on is None else tensor[first] for tensor, on in zip(wholes, outer)]
            parts = [part if on is None else part[second] for part, on in zip(parts, inner)]
            single = call.with_tensors([leaf(part._array_.copy(), part) for part in parts]).outputs()
            for nr, result in enumerate(single):
                agree(call, f"result {nr} for {inner} within {outer}", results[nr][first, second], result._array_)
    return True


def nested(call: Call, inner: Any, outer: Any, wholes: list[Tensor]) -> list[Any]:
    """Return the results of a call for nested batches."""
    return list(vmap(vmap(lambda *arguments: tuple(call.with_tensors(arguments).outputs()), inner), outer)(*wholes))


def check_batched_tangents(call: Call) -> bool:
    """Check the tangents of a call for a batch, along a direction for each member.

    Returns:
        Whether there was something to check.

    Raises:
        Wrong: if a tangent differs from that of a member.
    """
    count = len(call.tensors())
    if not call.differentiable():
        return False
    for dims in {(0,) * count, tuple(None if nr else 0 for nr in range(count))}:
        batched = Batched(call, dims)
        random = np.random.default_rng(1)
        along = [random_like(random, tensor._array_) if tensor.requires_grad else None for tensor in batched.wholes]
        tangents = pushed(lambda tensors, batched=batched: batched.run_on(tensors), batched.wholes, along)
        for nr, own_call in enumerate(batched.calls):
            ways = [way if way is None or dim is None else way.take(nr, dim) for way, dim in zip(along, dims)]
            expected = pushed(
                lambda tensors, call=own_call: call.with_tensors(tensors).outputs(), own_call.tensors(), ways
            )
            for at, (one, other) in enumerate(zip(tangents, expected)):
                agree(call, f"tangent {at} of member {nr} for dims {dims}", one[nr], other)
    return True


def check_tangents_of_one_memory(call: Call) -> bool:
    """Check the tangents of a call for a batch whose members share memory, along a direction for each; and that
    tangents of an empty batch have the shapes of the results.

    Returns:
        Whether there was something to check.

    Raises:
        Wrong: if a tangent differs from that of a member.
    """
    if not call.differentiable():
        return False
    batched = Batched(call, (0,) * len(call.tensors()))
    random = np.random.default_rng(1)
    along = [random_like(random, tensor._array_) if tensor.requires_grad else None for tensor in batched.wholes]
    alike = [leaf(np.broadcast_to(tensor._array_[:1], tensor._array_.shape), tensor) for tensor in batched.wholes]
    tangents = pushed(batched.run_on, alike, along)
    single = batched.calls[0]
    for nr in range(MEMBERS):
        ways = [None if way is None else way[nr] for way in along]
        expected = pushed(lambda tensors: single.with_tensors(tensors).outputs(), single.tensors(), ways)
        for at, (one, other) in enumerate(zip(tangents, expected)):
            agree(call, f"tangent {at} of member {nr} of one memory", one[nr], other)
    nobody = [none_of(tensor, 0) for tensor in batched.wholes]
    for at, (one, other) in enumerate(
        zip(pushed(batched.run_on, nobody, [None if way is None else way[:0] for way in along]), expected)
    ):
        agree(call, f"tangent {at} for no member", one, other[None][:0])
    return True


def pushed(function: Any, tensors: list[Tensor], along: list[Any]) -> list[Any]:
    """Return the tangents of the results of a function, zeros where there is none."""
    reseed()
    with dual_level():
        duals = [
            tensor if way is None else make_dual(tensor.detach(), leaf(way)) for tensor, way in zip(tensors, along)
        ]
        pairs = [unpack_dual(result) for result in function(duals)]
        return [np.zeros_like(one._array_) if way is None else way._array_ for one, way in pairs]


def check_batched_write(call: Call, first_only: bool = False) -> bool:
    """Check the in-place form of a call for a batch: the written values and their gradients.

    Args:
        first_only: test members along first dimensions only.

    Returns:
        Whether there was something to check.

    Raises:
        Wrong: if a result or a gradient differs from those of the members.
    """
    form = Call(call.operator.in_place, call.args, call.kwargs, call.smooth)
    count = len(form.tensors())
    last = set() if first_only else {(-1,) * count}
    for dims in {(0,) * count, tuple(None if nr else 0 for nr in range(count)), *last}:
        batched = Batched(on_copy(form), dims)
        expected = [member_call.outputs() for member_call in batched.calls]
        results = batched.run()
        agree(
            call,
            f"what is written for dims {dims}",
            results[0],
            np.stack([outputs_of_member[0]._array_ for outputs_of_member in expected]),
        )
        check_gradients(call, batched, results, expected)
    return True


def on_copy(form: Call) -> Call:
    """Return a call that writes to a copy of its first argument."""
    return Call(lambda first, *rest, **options: form.operator(first.clone(), *rest, **options), form.args, form.kwargs)


def check_gradients(call: Call, batched: Batched, results: list[Tensor], expected: list[list[Tensor]]) -> None:
    """Check the gradients of the batched tensors: those of the members, or their sum."""
    from .._core.backward import passes

    random = np.random.default_rng(0)
    places = [nr for nr, output in enumerate(expected[0]) if output.requires_grad]
    for nr, value in enumerate(results):
        if (nr in places) != value.requires_grad:
            raise Wrong(f"{call!r}: result {nr} for dims {batched.dims} is recorded: {value.requires_grad}")
    inputs = [tensor for tensor in batched.wholes if tensor.requires_grad]
    if not places or not inputs:
        return
    cotangents = [random_like(random, results[nr]._array_) for nr in places]
    grads = passes.grad(
        [results[nr] for nr in places], inputs, [leaf(cotangent) for cotangent in cotangents], False, False, True
    )
    parts = []
    for at, member_call in enumerate(batched.calls):
        of_member = [tensor for tensor in member_call.tensors() if tensor.requires_grad]
        roots = [expected[at][nr] for nr in places]
        parts.append(passes.grad(roots, of_member, [leaf(way[at]) for way in cotangents], False, False, True))
    dims = [dim for dim, tensor in zip(batched.dims, batched.wholes) if tensor.requires_grad]
    for nr, (grad, dim) in enumerate(zip(grads, dims)):
        zero = np.zeros(inputs[nr]._array_.shape, inputs[nr]._array_.dtype)
        actual = zero if grad is None else grad._array_
        shape = parts_shape(zero, dim)
        members = [np.zeros(shape, zero.dtype) if part[nr] is None else part[nr]._array_ for part in parts]
        wanted = sum(members[1:], members[0]) if dim is None else np.stack(members, dim)
        agree(call, f"gradient {nr} for dims {batched.dims}", actual, wanted)


def parts_shape(array: Any, dim: int | None) -> tuple[int, ...]:
    """Return the shape of a member."""
    return array.shape if dim is None else tuple(np.delete(array.shape, dim))


def agree(call: Call, what: str, actual: Any, expected: Any) -> None:
    """Compare arrays.

    Raises:
        Wrong: if they differ in dtype, shape or values.
    """
    array = actual._array_ if isinstance(actual, Tensor) else actual
    if array.shape != expected.shape or array.dtype != expected.dtype:
        raise Wrong(
            f"{call!r}: {what} is {array.dtype}{list(array.shape)}, expected {expected.dtype}{list(expected.shape)}"
        )
    close = 1e-3 if array.dtype.itemsize < 8 or array.dtype == np.complex64 else 1e-9
    if array.dtype.kind in "fc" or array.dtype.name == "bfloat16":
        actual_values, expected_values = array.astype(np.complex128), expected.astype(np.complex128)
        if not np.allclose(actual_values, expected_values, close, close, equal_nan=True):
            raise Wrong(f"{call!r}: {what} is {array}, expected {expected}")
    elif not np.array_equal(array, expected):
        raise Wrong(f"{call!r}: {what} is {array}, expected {expected}")
