"""Calls for a batch, `vmap`, checked against one call for each member: values, gradients, tangents, in-place forms.

The members are made from the arguments of a sample: the same elements in another order, so that whatever a sample's
values must fulfil (positive, within a length) they do.
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
    """For each tensor among the arguments the dimension of its members, or None: every combination of the first three
    tensors, with all others or none, and members along the last dimension.
    """
    count = len(call.tensors())
    for chosen in itertools.product((True, False), repeat=min(count, 3)):
        for rest in {True, False} if count > 3 else {True}:
            which = (*chosen, *[rest] * (count - len(chosen)))
            if any(which):
                yield tuple(0 if each else None for each in which)
    yield (-1,) * count
    yield tuple(nr % 2 - 1 for nr in range(count))


def member(tensor: Tensor, nr: int) -> Tensor:
    """The tensor that stands for another one in call number `nr`."""
    array = tensor._array_
    if array.ndim:
        array = array if not nr else np.flip(array) if nr == 1 else np.roll(array, 1)
    elif array.dtype.kind in "fc":
        array = array * np.asarray((1, 0.75, 0.5)[nr % 3], array.dtype)
    return leaf(np.array(array), tensor)


class Batched:
    """A call, and the same for a batch.

    Attributes:
        calls: one for each member.
        dims: the dimension of the members of each tensor, None if it is the same for all.
        wholes: the tensors with all members.
    """

    def __init__(self, call: Call, dims: tuple[int | None, ...], count: int = MEMBERS) -> None:
        self.dims = dims
        originals = call.tensors()
        parts = [
            [member(each, nr if dim is not None else 0) for each, dim in zip(originals, dims)] for nr in range(count)
        ]
        self.calls = [call.with_tensors(each) for each in parts]
        self.wholes = [
            parts[0][at] if dim is None else whole([part[at] for part in parts], dim) for at, dim in enumerate(dims)
        ]

    def run(self) -> list[Tensor]:
        """The results for the batch, in the order of `Call.outputs`."""
        reseed()
        return self.run_on(self.wholes)

    def run_on(self, wholes: list[Tensor]) -> list[Tensor]:
        """`run` with other tensors."""
        return list(vmap(lambda *tensors: tuple(self.calls[0].with_tensors(tensors).outputs()), self.dims)(*wholes))


def check_rows(call: Call) -> None:
    """Results that are row-major for a member alone are so for a batch: else views of them would be copies, or refused.

    Raises:
        Wrong: they are not.
    """
    count = len(call.tensors())
    for dim in (0, -1):
        batch = Batched(call, (dim,) * count)
        alone = call.with_tensors([each.select(dim, 0) for each in batch.wholes])  # type: ignore[attr-defined]
        reseed()
        wanted = [each.is_contiguous() or not each.numel() for each in alone.outputs()]  # type: ignore[attr-defined]
        for each, row_major in zip(seen_by_members(batch), wanted):
            if row_major and not each.is_contiguous():
                raise Wrong(
                    f"{call}: a member of a batch along {dim} has strides {each.stride()}, alone row-major ones"
                )


def seen_by_members(batch: Batched) -> list[Any]:
    """The results as a function that is mapped sees them."""
    seen: list[Any] = []

    def function(*tensors: Tensor) -> Tensor:
        seen.extend(batch.calls[0].with_tensors(tensors).outputs())
        return tensors[0]

    reseed()
    vmap(function, batch.dims)(*batch.wholes)
    return seen


def whole(parts: list[Tensor], dim: int) -> Tensor:
    """Members along a dimension of one leaf."""
    return leaf(np.stack([each._array_ for each in parts], dim), parts[0])


def check_batched(call: Call, first_only: bool = False, refusing: str = "") -> bool:
    """Check the results, and gradients, of a call for a batch.

    Args:
        first_only: members lie along first dimensions only.
        refusing: what an error says that may be raised: the shape of a result would depend on values.

    Returns:
        Whether there was something to check.

    Raises:
        Wrong: a result or a gradient differs from those of the members.
    """
    checked = False
    if not call.tensors():
        return False
    for dims in ways(call):
        if first_only and -1 in dims:
            continue
        batched = Batched(call, dims)
        expected = [each.outputs() for each in batched.calls]
        if not expected[0]:
            return False
        try:
            found = batched.run()
        except RuntimeError as error:
            if not refusing or refusing not in str(error):
                raise
            continue
        for nr, result in enumerate(found):
            members = [outputs[nr] for outputs in expected]
            agree(call, f"result {nr} for dims {dims}", result, np.stack([each._array_ for each in members]))
        check_gradients(call, batched, found, expected)
        checked = True
    return checked


def check_other_counts(call: Call, refusing: str = "") -> bool:
    """Check the results of a call for batches of one member, and of as many as an operand has rows or columns, in which
    one operand carries the batch; they are those of each member, also where all members are the same memory. A batch
    of none has results of the same shapes and dtypes.

    Args:
        refusing: what an error says that may be raised, see `check_batched`.

    Returns:
        Whether there was something to check.

    Raises:
        Wrong: a result differs from that of a member.
    """
    tensors = call.tensors()
    alone = call.outputs()
    if not tensors or not alone:
        return False
    lengths = {each.shape[end] for each in tensors if each.ndim for end in (0, -1)}  # type: ignore[attr-defined]
    for at in range(len(tensors)):
        dims = tuple(0 if nr == at else None for nr in range(len(tensors)))
        try:
            for count in sorted({1, *lengths} - {0, MEMBERS}):
                batched = Batched(call, dims, count)
                compare(batched, batched.run(), [each.outputs() for each in batched.calls])
            check_same_memory(call, at)
            batched = Batched(call, dims)
            found = batched.run_on([none_of(whole, dim) for whole, dim in zip(batched.wholes, dims)])
        except RuntimeError as error:
            if not refusing or refusing not in str(error):
                raise
            continue
        for nr, (result, single) in enumerate(zip(found, alone)):
            agree(call, f"result {nr} for no member, dims {dims}", result, single._array_[None][:0])
    return True


def check_same_memory(call: Call, at: int) -> None:
    """Check the results of a call for a batch in which one operand is the same memory for all members.

    Raises:
        Wrong: a result differs from that of a member.
    """
    batched = Batched(call, (0,) * len(call.tensors()))
    wholes = list(batched.wholes)
    first = wholes[at]._array_[:1]
    wholes[at] = leaf(np.broadcast_to(first, (MEMBERS, *first.shape[1:])))
    shared = batched.calls[0].tensors()[at]
    alone = [[shared if nr == at else each for nr, each in enumerate(own.tensors())] for own in batched.calls]
    expected = [own.with_tensors(tensors).outputs() for own, tensors in zip(batched.calls, alone)]
    reseed()
    compare(batched, batched.run_on(wholes), expected)


def compare(batched: Batched, found: list[Tensor], expected: list[list[Tensor]]) -> None:
    """Compare results for a batch with those of the members.

    Raises:
        Wrong: they differ.
    """
    for nr, result in enumerate(found):
        parts = np.stack([outputs[nr]._array_ for outputs in expected])
        agree(batched.calls[0], f"result {nr} of {len(expected)} members for dims {batched.dims}", result, parts)


def none_of(tensor: Tensor, dim: int | None) -> Tensor:
    """A batch without members, of the same kind."""
    return tensor if dim is None else leaf(tensor._array_[:0].copy())


def check_nested(call: Call, refusing: str = "") -> bool:
    """Check the results of a call for a batch of batches: one operand carries the inner one, the others the outer one.

    Returns:
        Whether there was something to check.

    Raises:
        Wrong: a result differs from that of a member.
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
            found = nested(call, inner, outer, wholes)
        except RuntimeError as error:
            if not refusing or refusing not in str(error):
                raise
            continue
        for first, second in itertools.product(range(2), range(MEMBERS)):
            parts = [each if on is None else each[first] for each, on in zip(wholes, outer)]  # type: ignore[index]
            parts = [each if on is None else each[second] for each, on in zip(parts, inner)]  # type: ignore[index]
            single = call.with_tensors([leaf(each._array_.copy(), each) for each in parts]).outputs()
            for nr, result in enumerate(single):
                agree(call, f"result {nr} for {inner} within {outer}", found[nr][first, second], result._array_)
    return True


def nested(call: Call, inner: Any, outer: Any, wholes: list[Tensor]) -> list[Any]:
    """The results of a call for a batch of batches."""
    return list(vmap(vmap(lambda *given: tuple(call.with_tensors(given).outputs()), inner), outer)(*wholes))


def check_batched_tangents(call: Call) -> bool:
    """Check the tangents of a call for a batch, along a direction for each member.

    Returns:
        Whether there was something to check.

    Raises:
        Wrong: a tangent differs from that of a member.
    """
    count = len(call.tensors())
    if not call.differentiable():
        return False
    for dims in {(0,) * count, tuple(None if nr else 0 for nr in range(count))}:
        batched = Batched(call, dims)
        random = np.random.default_rng(1)
        along = [random_like(random, each._array_) if each.requires_grad else None for each in batched.wholes]
        found = pushed(lambda tensors, batched=batched: batched.run_on(tensors), batched.wholes, along)  # type: ignore[misc]
        for nr, own_call in enumerate(batched.calls):
            ways = [way if way is None or dim is None else way.take(nr, dim) for way, dim in zip(along, dims)]
            own = pushed(lambda tensors, call=own_call: call.with_tensors(tensors).outputs(), own_call.tensors(), ways)  # type: ignore[misc]
            for at, (one, other) in enumerate(zip(found, own)):
                agree(call, f"tangent {at} of member {nr} for dims {dims}", one[nr], other)
    return True


def check_tangents_of_one_memory(call: Call) -> bool:
    """Check the tangents of a call for a batch whose members are the same memory, along a direction for each; and that
    those for no members have the shapes of the results.

    Returns:
        Whether there was something to check.

    Raises:
        Wrong: a tangent differs from that of a member.
    """
    if not call.differentiable():
        return False
    batched = Batched(call, (0,) * len(call.tensors()))
    random = np.random.default_rng(1)
    along = [random_like(random, each._array_) if each.requires_grad else None for each in batched.wholes]
    alike = [leaf(np.broadcast_to(each._array_[:1], each._array_.shape), each) for each in batched.wholes]
    found = pushed(batched.run_on, alike, along)
    single = batched.calls[0]
    for nr in range(MEMBERS):
        ways = [None if way is None else way[nr] for way in along]
        own = pushed(lambda tensors: single.with_tensors(tensors).outputs(), single.tensors(), ways)
        for at, (one, other) in enumerate(zip(found, own)):
            agree(call, f"tangent {at} of member {nr} of one memory", one[nr], other)
    nobody = [none_of(each, 0) for each in batched.wholes]
    for at, (one, other) in enumerate(
        zip(pushed(batched.run_on, nobody, [None if way is None else way[:0] for way in along]), own)
    ):
        agree(call, f"tangent {at} for no member", one, other[None][:0])
    return True


def pushed(function: Any, tensors: list[Tensor], along: list[Any]) -> list[Any]:
    """The tangents of what a function gives, zeros where there is none."""
    reseed()
    with dual_level():
        duals = [
            each if way is None else make_dual(each.detach(), leaf(way))  # type: ignore[attr-defined]
            for each, way in zip(tensors, along)
        ]
        pairs = [unpack_dual(each) for each in function(duals)]
        return [np.zeros_like(one._array_) if way is None else way._array_ for one, way in pairs]


def check_batched_write(call: Call, first_only: bool = False) -> bool:
    """Check the in-place form of a call for a batch: what it writes, and the gradients of what it wrote.

    Args:
        first_only: members lie along first dimensions only.

    Returns:
        Whether there was something to check.

    Raises:
        Wrong: something differs from the members.
    """
    form = Call(call.operator.in_place, call.args, call.kwargs, call.smooth)
    count = len(form.tensors())
    last = set() if first_only else {(-1,) * count}
    for dims in {(0,) * count, tuple(None if nr else 0 for nr in range(count)), *last}:
        batched = Batched(on_copy(form), dims)
        expected = [each.outputs() for each in batched.calls]
        found = batched.run()
        agree(call, f"what is written for dims {dims}", found[0], np.stack([each[0]._array_ for each in expected]))
        check_gradients(call, batched, found, expected)
    return True


def on_copy(form: Call) -> Call:
    """A write to a copy of its first argument."""
    return Call(lambda first, *rest, **options: form.operator(first.clone(), *rest, **options), form.args, form.kwargs)


def check_gradients(call: Call, batched: Batched, found: list[Tensor], expected: list[list[Tensor]]) -> None:
    """Check the gradients of the wholes: those of the members, or their sum."""
    from .._core.backward import passes

    random = np.random.default_rng(0)
    places = [nr for nr, each in enumerate(expected[0]) if each.requires_grad]
    for nr, each in enumerate(found):
        if (nr in places) != each.requires_grad:
            raise Wrong(f"{call!r}: result {nr} for dims {batched.dims} is recorded: {each.requires_grad}")
    inputs = [each for each in batched.wholes if each.requires_grad]
    if not places or not inputs:
        return
    cotangents = [random_like(random, found[nr]._array_) for nr in places]
    grads = passes.grad([found[nr] for nr in places], inputs, [leaf(each) for each in cotangents], False, False, True)
    parts = []
    for at, member_call in enumerate(batched.calls):
        own = [tensor for tensor in member_call.tensors() if tensor.requires_grad]
        roots = [expected[at][nr] for nr in places]
        parts.append(passes.grad(roots, own, [leaf(way[at]) for way in cotangents], False, False, True))
    dims = [dim for dim, each in zip(batched.dims, batched.wholes) if each.requires_grad]
    for nr, (grad, dim) in enumerate(zip(grads, dims)):
        zero = np.zeros(inputs[nr]._array_.shape, inputs[nr]._array_.dtype)
        given = zero if grad is None else grad._array_
        shape = parts_shape(zero, dim)
        members = [np.zeros(shape, zero.dtype) if part[nr] is None else part[nr]._array_ for part in parts]
        wanted = sum(members[1:], members[0]) if dim is None else np.stack(members, dim)
        agree(call, f"gradient {nr} for dims {batched.dims}", given, wanted)


def parts_shape(array: Any, dim: int | None) -> tuple[int, ...]:
    """The shape of a member."""
    return array.shape if dim is None else tuple(np.delete(array.shape, dim))


def agree(call: Call, what: str, found: Any, expected: Any) -> None:
    """Compare.

    Raises:
        Wrong: they differ.
    """
    array = found._array_ if isinstance(found, Tensor) else found
    if array.shape != expected.shape or array.dtype != expected.dtype:
        raise Wrong(
            f"{call!r}: {what} is {array.dtype}{list(array.shape)}, expected {expected.dtype}{list(expected.shape)}"
        )
    close = 1e-3 if array.dtype.itemsize < 8 or array.dtype == np.complex64 else 1e-9
    if array.dtype.kind in "fc" or array.dtype.name == "bfloat16":
        one, other = array.astype(np.complex128), expected.astype(np.complex128)
        if not np.allclose(one, other, close, close, equal_nan=True):
            raise Wrong(f"{call!r}: {what} is {array}, expected {expected}")
    elif not np.array_equal(array, expected):
        raise Wrong(f"{call!r}: {what} is {array}, expected {expected}")
