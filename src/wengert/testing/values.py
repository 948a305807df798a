"""Values and dtypes of an operator in one dtype, compared with the same call in the widest dtype of that kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._core.backward import passes
from .._core.state.grad_mode import no_grad
from .._core.tensor.base import Tensor
from .._core.types import dtypes
from .calls import Call, leaf
from .differences import Wrong
from .seeds import reseed

ROOM = 16
"""How many roundings of the largest value each result may be off, for each square root of the number of elements."""


TRUTHS = ("all", "any")
"""Operators whose result for uint8 is uint8, as in torch, which had no other truth values once."""


def widest(dtype: dtypes.dtype) -> dtypes.dtype:
    """The dtype in which the reference is computed."""
    return (dtypes.bool_, dtypes.int64, dtypes.float64, dtypes.complex128)[dtype.category]


def check_values(call: Call, dtype: dtypes.dtype) -> None:
    """A call runs in `dtype`, has the promoted dtype, agrees with the widest dtype, and leaves its inputs as they are.

    Raises:
        Wrong: it does not.
    """
    before = [(each._array_.copy(), each._version) for each in call.tensors()]
    reseed()
    with no_grad():
        got = call.outputs()
    for tensor, (values, version) in zip(call.tensors(), before):
        if tensor._version != version or not np.array_equal(
            tensor._array_, values, equal_nan=values.dtype.kind in "fc"
        ):
            raise Wrong(f"{call} changed one of its inputs")
    wide = widest(dtype)
    reference = call.exchanged(lambda each: leaf(each._array_.astype(wide.numpy)) if each.dtype is dtype else each)
    reseed()
    with no_grad():
        wanted = reference.outputs()
    if len(got) != len(wanted):
        raise Wrong(f"{call} has {len(got)} results, in {wide.name} {len(wanted)}")
    for nr, (one, other) in enumerate(zip(got, wanted)):
        check_dtype(call, one, other, dtype, nr)
    try:
        for one, other in zip(got, wanted):
            check_close(call, one._array_, other._array_, largest(call))
    except Wrong:
        if not drawn(call, got):
            raise


def check_dtype(call: Call, got: Tensor, wide: Tensor, dtype: dtypes.dtype, nr: int = 0) -> None:
    """A result has the dtype that belongs to `dtype` as that of `wide` belongs to the widest one.

    Further results (`nr` > 0), such as the means that a normalisation keeps, may be single precision where the input is
    half.

    Raises:
        Wrong: it has another.
    """
    expected = {wide.dtype}
    if not fixes_dtype(call):
        expected = corresponding(wide.dtype, dtype)
        if nr and dtype is dtypes.float16 and dtype in expected:
            expected.add(dtypes.float32)
        if dtype is dtypes.uint8 and getattr(call.operator, "name", "") in TRUTHS:
            expected = {dtype}
    if got.dtype not in expected:
        names = " or ".join(sorted(each.name for each in expected))
        raise Wrong(f"{call} has dtype {got.dtype.name}, expected {names}")


def corresponding(wide: dtypes.dtype, dtype: dtypes.dtype) -> set[dtypes.dtype]:
    """What a result of the widest dtype becomes where the inputs are of `dtype`."""
    if dtype.category == dtypes.INTEGER and wide is dtypes.int64:
        return {dtype, wide}
    if dtype.category >= dtypes.FLOAT and wide is widest(dtype):
        return {dtype}
    if dtype.category == dtypes.COMPLEX and wide is dtypes.float64:
        return {dtype.to_real()}
    if dtype.category == dtypes.FLOAT and wide is dtypes.complex128:
        return {dtype.to_complex()}
    return {wide}


def fixes_dtype(call: Call) -> bool:
    """Whether an argument names a dtype."""
    return any(isinstance(each, dtypes.dtype) for each in (*call.args, *call.kwargs.values()))


def drawn(call: Call, got: Sequence[Tensor]) -> bool:
    """Whether a call gives other values each time: random numbers, or memory that nobody has written to."""
    if getattr(call.operator, "name", "").startswith(("empty", "new_empty")):
        return True
    with no_grad():
        again = call.outputs()
    return any(
        not np.array_equal(one._array_, other._array_, equal_nan=one._array_.dtype.kind in "fc")
        for one, other in zip(got, again)
    )


def largest(call: Call) -> float:
    """The largest finite absolute value among the inputs."""
    found = 1.0
    for each in call.tensors():
        values = np.abs(each._array_.astype(np.complex128))
        found = max(found, float(np.max(values, initial=0.0, where=np.isfinite(values))))
    return found


def check_close(call: Call, got: Any, wanted: Any, scale: float) -> None:
    """Arrays agree as far as the dtype of `got` lets them.

    Args:
        scale: the size of the inputs: differences of large numbers keep their rounding errors.

    Raises:
        Wrong: they do not.
    """
    if got.shape != wanted.shape:
        raise Wrong(f"{call} has shape {got.shape}, expected {wanted.shape}")
    if not got.size:
        return
    if got.dtype.kind in "biu" and wanted.dtype.kind in "biu":
        held = np.ones(got.shape, bool) if got.dtype.kind == "b" else fits(wanted, got.dtype)
        wrong = (got != wanted.astype(got.dtype)) & held
        error = room = 0.0
    else:
        info = np.finfo(got.dtype if got.dtype.kind in "fc" else np.float64)
        exact, found = wanted.astype(np.complex128), got.astype(np.complex128)
        ordinary = np.isfinite(exact) & (np.abs(exact) < float(info.max) / 2)
        scale = max(scale, float(np.max(np.abs(exact), initial=0.0, where=ordinary)))
        room = ROOM * float(info.eps) * scale * float(np.sqrt(got.size) + 1)
        difference = np.abs(np.where(ordinary, found, 0) - np.where(ordinary, exact, 0))
        special = ~np.isfinite(exact) & ~same_special(found, exact)
        wrong = ~(difference <= room) | special
        error = float(np.nanmax(difference))
    if wrong.any():
        at = tuple(int(each) for each in np.argwhere(wrong)[0])
        raise Wrong(
            f"{call}: at {at} is {got[at]}, expected {wanted[at]} (largest error {error:.3g}, allowed {room:.3g})"
        )


def same_special(found: Any, exact: Any) -> Any:
    """Where infinities and NaN agree (complex ones in being one of them: C leaves their parts open)."""
    return np.where(np.isnan(exact), np.isnan(found), ~np.isfinite(found))


def fits(values: Any, dtype: Any) -> Any:
    """Where whole numbers can be held by a dtype; elsewhere results wrap around, in ways that depend on the order."""
    info = np.iinfo(dtype)
    return (values >= info.min) & (values <= info.max) if values.dtype.kind != "b" else np.ones(values.shape, bool)


def check_mixed(call: Call, other: dtypes.dtype) -> None:
    """Operands of different dtypes are promoted, and each gets a gradient of its own dtype.

    Args:
        call: a pointwise call with at least two tensors.
        other: the dtype that all tensors but the first are given.

    Raises:
        Wrong: the result has another dtype than the promoted one would give, or a gradient that of another operand.
    """
    dtype = call.tensors()[0].dtype
    others = [each for each in call.tensors()[1:] if each.dtype is dtype and np.isfinite(each._array_).all()]
    changed = {id(each) for each in others}

    def cast(tensor: Tensor, wanted: dtypes.dtype) -> Tensor:
        return leaf(tensor._array_.astype(wanted.numpy), tensor)

    mixed = call.exchanged(lambda each: cast(each, other) if id(each) in changed else each)
    operands = [each for each in mixed.tensors() if each.dtype in (dtype, other)]
    common = dtypes.result_type([each._array_ for each in operands])
    promoted = mixed.exchanged(lambda each: cast(each, common) if each.dtype in (dtype, other) else each)
    reseed()
    got = mixed.outputs()
    reseed()
    wanted = promoted.outputs()
    for one, expected in zip(got, wanted):
        if one.dtype is not expected.dtype:
            raise Wrong(f"{mixed} has dtype {one.dtype.name}, expected {expected.dtype.name}")
        check_close(mixed, one._array_, expected._array_, largest(call))
    inputs = mixed.differentiable()
    recorded = [each for each in got if each.requires_grad]
    if inputs and recorded:
        cotangents = [leaf(np.ones(each._array_.shape, each._array_.dtype)) for each in recorded]
        for tensor, grad in zip(inputs, passes.grad(recorded, inputs, cotangents, None, False, True)):
            if grad is not None and (grad.dtype is not tensor.dtype or grad.shape != tensor.shape):
                raise Wrong(f"{mixed}: a gradient of dtype {grad.dtype.name} for an operand of {tensor.dtype.name}")
