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
"""Allowed error in roundings of the largest value, per square root of the number of elements."""


TRUTHS = ("all", "any")
"""Operators whose result for uint8 is uint8, as in torch, where uint8 once served as the boolean dtype."""


def widest(dtype: dtypes.dtype) -> dtypes.dtype:
    """Return the dtype in which the reference is computed."""
    return (dtypes.bool_, dtypes.int64, dtypes.float64, dtypes.complex128)[dtype.category]


def check_values(call: Call, dtype: dtypes.dtype) -> None:
    """Check that a call runs in `dtype`, has the promoted dtype, agrees with the widest dtype, and changes no input.

    Raises:
        Wrong: if one of these does not hold.
    """
    before = [(tensor._array_.copy(), tensor._version) for tensor in call.tensors()]
    reseed()
    with no_grad():
        outputs = call.outputs()
    for tensor, (values, version) in zip(call.tensors(), before):
        if tensor._version != version or not np.array_equal(
            tensor._array_, values, equal_nan=values.dtype.kind in "fc"
        ):
            raise Wrong(f"{call} changed one of its inputs")
    wide = widest(dtype)
    reference = call.exchanged(
        lambda tensor: leaf(tensor._array_.astype(wide.numpy)) if tensor.dtype is dtype else tensor
    )
    reseed()
    with no_grad():
        wanted = reference.outputs()
    if len(outputs) != len(wanted):
        raise Wrong(f"{call} has {len(outputs)} results, in {wide.name} {len(wanted)}")
    for nr, (actual, expected) in enumerate(zip(outputs, wanted)):
        check_dtype(call, actual, expected, dtype, nr)
    try:
        for actual, expected in zip(outputs, wanted):
            check_close(call, actual._array_, expected._array_, largest(call))
    except Wrong:
        if not drawn(call, outputs):
            raise


def check_dtype(call: Call, result: Tensor, wide: Tensor, dtype: dtypes.dtype, nr: int = 0) -> None:
    """Check that the dtype of a result corresponds to `dtype` as that of `wide` corresponds to the widest dtype.

    Further results (`nr` > 0), such as the means saved by a normalisation, may be single precision for half-precision
    inputs.

    Raises:
        Wrong: if the dtype differs.
    """
    expected = {wide.dtype}
    if not fixes_dtype(call):
        expected = corresponding(wide.dtype, dtype)
        if nr and dtype is dtypes.float16 and dtype in expected:
            expected.add(dtypes.float32)
        if dtype is dtypes.uint8 and getattr(call.operator, "name", "") in TRUTHS:
            expected = {dtype}
    if result.dtype not in expected:
        names = " or ".join(sorted(kind.name for kind in expected))
        raise Wrong(f"{call} has dtype {result.dtype.name}, expected {names}")


def corresponding(wide: dtypes.dtype, dtype: dtypes.dtype) -> set[dtypes.dtype]:
    """Return the possible dtypes of a result for inputs of `dtype`, from that for inputs of the widest dtype."""
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
    """Return whether an argument is a dtype."""
    return any(isinstance(arg, dtypes.dtype) for arg in (*call.args, *call.kwargs.values()))


def drawn(call: Call, outputs: Sequence[Tensor]) -> bool:
    """Return whether a call returns other values each time: random numbers, or uninitialised memory."""
    if getattr(call.operator, "name", "").startswith(("empty", "new_empty")):
        return True
    with no_grad():
        again = call.outputs()
    return any(
        not np.array_equal(first._array_, second._array_, equal_nan=first._array_.dtype.kind in "fc")
        for first, second in zip(outputs, again)
    )


def largest(call: Call) -> float:
    """Return the largest finite absolute value among the inputs."""
    maximum = 1.0
    for tensor in call.tensors():
        values = np.abs(tensor._array_.astype(np.complex128))
        maximum = max(maximum, float(np.max(values, initial=0.0, where=np.isfinite(values))))
    return maximum


def check_close(call: Call, actual: Any, wanted: Any, scale: float) -> None:
    """Check that two arrays agree within the precision of the dtype of `actual`.

    Args:
        scale: size of the inputs, because differences of large numbers keep their rounding errors.

    Raises:
        Wrong: if they differ by more than the dtype of `got` explains.
    """
    if actual.shape != wanted.shape:
        raise Wrong(f"{call} has shape {actual.shape}, expected {wanted.shape}")
    if not actual.size:
        return
    if actual.dtype.kind in "biu" and wanted.dtype.kind in "biu":
        held = np.ones(actual.shape, bool) if actual.dtype.kind == "b" else fits(wanted, actual.dtype)
        wrong = (actual != wanted.astype(actual.dtype)) & held
        error = room = 0.0
    else:
        info = np.finfo(actual.dtype if actual.dtype.kind in "fc" else np.float64)
        exact, actual_values = wanted.astype(np.complex128), actual.astype(np.complex128)
        ordinary = np.isfinite(exact) & (np.abs(exact) < float(info.max) / 2)
        scale = max(scale, float(np.max(np.abs(exact), initial=0.0, where=ordinary)))
        room = ROOM * float(info.eps) * scale * float(np.sqrt(actual.size) + 1)
        difference = np.abs(np.where(ordinary, actual_values, 0) - np.where(ordinary, exact, 0))
        special = ~np.isfinite(exact) & ~same_special(actual_values, exact)
        wrong = ~(difference <= room) | special
        error = float(np.nanmax(difference))
    if wrong.any():
        at = tuple(int(index) for index in np.argwhere(wrong)[0])
        raise Wrong(
            f"{call}: at {at} is {actual[at]}, expected {wanted[at]} (largest error {error:.3g}, allowed {room:.3g})"
        )


def same_special(actual: Any, exact: Any) -> Any:
    """Return where infinities and NaN agree (complex ones only in being special: C leaves their parts open)."""
    return np.where(np.isnan(exact), np.isnan(actual), ~np.isfinite(actual))


def fits(values: Any, dtype: Any) -> Any:
    """Return where integers fit into a dtype; elsewhere results wrap around, depending on the order of operations."""
    info = np.iinfo(dtype)
    return (values >= info.min) & (values <= info.max) if values.dtype.kind != "b" else np.ones(values.shape, bool)


def check_mixed(call: Call, other: dtypes.dtype) -> None:
    """Check that operands of different dtypes are promoted, and each has a gradient of its own dtype.

    Args:
        call: a pointwise call with at least two tensors.
        other: dtype of all tensors but the first.

    Raises:
        Wrong: if the result does not have the dtype for promoted operands, or a gradient that of its operand.
    """
    dtype = call.tensors()[0].dtype
    others = [tensor for tensor in call.tensors()[1:] if tensor.dtype is dtype and np.isfinite(tensor._array_).all()]
    changed = {id(other) for other in others}

    def cast(tensor: Tensor, wanted: dtypes.dtype) -> Tensor:
        return leaf(tensor._array_.astype(wanted.numpy), tensor)

    mixed = call.exchanged(lambda tensor: cast(tensor, other) if id(tensor) in changed else tensor)
    operands = [tensor for tensor in mixed.tensors() if tensor.dtype in (dtype, other)]
    common = dtypes.result_type([operand._array_ for operand in operands])
    promoted = mixed.exchanged(lambda tensor: cast(tensor, common) if tensor.dtype in (dtype, other) else tensor)
    reseed()
    outputs = mixed.outputs()
    reseed()
    wanted = promoted.outputs()
    for actual, expected in zip(outputs, wanted):
        if actual.dtype is not expected.dtype:
            raise Wrong(f"{mixed} has dtype {actual.dtype.name}, expected {expected.dtype.name}")
        check_close(mixed, actual._array_, expected._array_, largest(call))
    inputs = mixed.differentiable()
    recorded = [output for output in outputs if output.requires_grad]
    if inputs and recorded:
        cotangents = [leaf(np.ones(output._array_.shape, output._array_.dtype)) for output in recorded]
        for tensor, grad in zip(inputs, passes.grad(recorded, inputs, cotangents, None, False, True)):
            if grad is not None and (grad.dtype is not tensor.dtype or grad.shape != tensor.shape):
                raise Wrong(f"{mixed}: a gradient of dtype {grad.dtype.name} for an operand of {tensor.dtype.name}")
