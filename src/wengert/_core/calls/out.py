"""Calls with `out=`: results written into tensors of the program."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import batch_errors, errors, flags, forward_errors, out_errors
from ..graph import anomaly
from ..graph.refused import new_refusal
from ..leaves.accumulate import gradient_edge
from ..operators import layouts, overlap
from ..operators.declaration import bind
from ..state.modes import Modes, current
from ..tensor.base import OPERATORS, Tensor, meta_of, wrap
from ..tensor.storage import count_write, succeed
from ..types import dtypes
from . import dispatch, unusual, volatile

LONG = 1 << 20
"""Number of elements of the operands from which on the shape rule is asked before the operator runs."""


def call(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a call with `out=`: the results are written into these tensors, which are resized if they are empty.

    Raises:
        TypeError: if `out` is not a tensor, or for several results not a tuple of as many tensors.
        RuntimeError: if an argument requires a gradient, or dtype or shape do not fit.
    """
    if hasattr(op, "functional"):  # an in-place form
        raise TypeError(errors.unexpected_keyword(op.name, "out"))
    kwargs = dict(kwargs)
    out = kwargs.pop("out")
    bound = bind(op, args, kwargs)
    if out is None:
        return dispatch.perform(op, bound)
    modes = current()
    tensors = outputs(op, out)
    bound = in_dtype_of(op, bound, tensors)
    word = dispatch.input_word(op, bound)
    for tensor in tensors:
        word |= tensor._flags_ & flags.OVERRIDDEN
    if (word | modes.word) & flags.OVERRIDDEN:
        from . import overriding

        answered = overriding.of_call(op, args, {**kwargs, "out": out})
        if answered is not overriding.NOBODY:
            return answered
    refuse_unusual(op, tensors, word, modes)
    read = operands_read(op, bound)
    for tensor in tensors:
        check_mode(tensor, modes)
        check_shared(tensor, read)
    if op.random or is_long(op, bound):
        refuse_early(op, bound, tensors)
    results = dispatch.perform(op, bound) if op.several else (dispatch.perform(op, bound),)
    write(op, bound, tensors, results, read)
    if op.several:
        return (*tensors,) if op.output_names else None
    return out


def refuse_unusual(op: Any, tensors: Any, word: int, modes: Modes) -> None:
    """Refuse calls that would have to be recorded, or with tensors that have a tangent or stand for a batch.

    Args:
        tensors: the outputs.
        word: the flags of the inputs.

    Raises:
        NotImplementedError: if a tensor has a tangent.
        RuntimeError: if the call would be recorded, or a tensor stands for the members of a batch.
    """
    recorded = is_recorded(op)
    if not recorded:
        word &= ~flags.REQUIRES_GRAD
    for tensor in tensors:
        word |= flags.REQUIRES_GRAD if tensor.requires_grad else 0
        word |= tensor._flags_ & (flags.DUAL | flags.BATCHED)
    if word & modes.mask & flags.REQUIRES_GRAD:
        raise RuntimeError(out_errors.requires_grad(op.out.writer or op.name, recorded=recorded))
    if word & flags.BATCHED:
        raise RuntimeError(batch_errors.OUT.format(op.name))
    if word & flags.DUAL and any(level.number < modes.forward for level in modes.levels):
        raise NotImplementedError(forward_errors.no_out(op.name))


def is_recorded(op: Any) -> bool:
    """Return whether torch would have to record a call with `out=` whose arguments require a gradient."""
    return not op.why and op.out.recorded


def is_long(op: Any, args: tuple[Any, ...]) -> bool:
    """Return whether an operand has so many elements that the shape rule costs little beside the work."""
    for position in op.tensor_slots:
        value = args[position]
        if isinstance(value, Tensor):
            if value._array_.size >= LONG:
                return True
        elif (
            isinstance(value, (tuple, list))
            and sum([part._array_.size for part in value if isinstance(part, Tensor)]) >= LONG
        ):
            return True
    return False


def refuse_early(op: Any, bound: tuple[Any, ...], tensors: Any) -> None:
    """Refuse outputs that do not fit before the operator runs: before long work, and before random numbers are drawn.

    Raises:
        RuntimeError: if dtype or shape do not fit.
    """
    results = expected(op, bound)
    if len(results) == len(tensors):
        for at, (tensor, result) in enumerate(zip(tensors, results)):
            check_fits(op, tensor, result, bound, at)


def expected(op: Any, args: tuple[Any, ...]) -> list[Tensor]:
    """Return tensors of the shapes and dtypes that an operator's shape rule states, of one repeated element each.

    None if the rule does not know them or refuses the arguments: the operator then refuses them in its own words. None
    for views and unusual tensors either, and where calls are noted, which the rule's own calls would be, too.
    """
    from . import meta

    modes = current()
    if op.view or modes.log is not None or dispatch.input_word(op, args) & flags.UNUSUAL:
        return []
    try:
        shapes = meta.shapes_of(op, args, modes)
    except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError):
        return []
    return [wrap(np.broadcast_to(np.zeros((), dtype), shape)) for shape, dtype, *_ in shapes]


def write(op: Any, bound: tuple[Any, ...], tensors: Any, results: Any, read: Any) -> None:
    """Write the results of a call into the `out` tensors, or refuse before one of them is changed.

    Args:
        read: the operands that may not be overwritten, as of `operands_read`.

    Raises:
        RuntimeError: if there are not as many tensors as results, or dtype or shape do not fit.
    """
    if any(tensor._flags_ & flags.OBSERVED for tensor in tensors):
        for tensor, result in zip(tensors, results):
            OPERATORS.copy_(tensor, result)  # the class of the tensor writes
        return
    if len(tensors) != len(results):
        form = op.out.form or f"{op.name}_out"
        raise RuntimeError(out_errors.of_length(form, len(results), len(tensors)))
    pairs = [
        (tensor, result.to(tensor.dtype) if check_fits(op, tensor, result, bound, at) else result)
        for at, (tensor, result) in enumerate(zip(tensors, results))
    ]
    put_all(pairs, read, op.out.rows, op.out.silent)
    if not op.out.recorded and (op.output_names or not op.several):
        refuse_gradients(op.out.writer or op.name, tensors, results)


def put_all(pairs: list[tuple[Tensor, Tensor]], read: Any, rows: str, silent: bool = False) -> None:
    """Write results into outputs of the right dtypes, which take their shapes.

    Args:
        pairs: the outputs with their results.
        read: the operands that may not be overwritten, as of `operands_read`.
        rows, silent: what cards say by `Out`.

    Raises:
        RuntimeError: if an output of another shape would grow over memory that is read, before any is changed.
    """
    resized = [pair for pair in pairs if pair[0]._array_.shape != pair[1]._array_.shape]
    for tensor, result in resized:
        if changes_shape(tensor, result):
            for operand, wholly in read:
                overlap.check_resized(tensor, result._array_.shape, new_strides(tensor, result, rows), operand, wholly)
    for tensor, result in resized:
        take_shape(tensor, result, rows, silent)
    for tensor, result in pairs:
        put_out(tensor, result)


def refuse_gradients(name: str, tensors: Any, results: Any) -> None:
    """Give outputs a history that refuses to be differentiated, where the results have a history."""
    recorded = [result for result in results if result._edge_ is not None]
    if recorded:
        text = f"derivative for aten::{name.removeprefix('_')} is not implemented"
        for tensor in tensors:
            if tensor.dtype.category >= dtypes.FLOAT:
                edges = gradient_edge(recorded[0]).node.next_edges
                refusal = new_refusal("torch::autograd::NotImplemented", text, edges, 1)
                OPERATORS.rebase(tensor, refusal, current())


def in_dtype_of(op: Any, bound: tuple[Any, ...], tensors: Any) -> tuple[Any, ...]:
    """Return the arguments, with the dtype of the output where that decides and no other is requested."""
    if op.out_words != out_errors.DECIDING or bound[op.dtype_slot] is not None:
        return bound
    return (*bound[: op.dtype_slot], tensors[0].dtype, *bound[op.dtype_slot + 1 :])


def outputs(op: Any, out: Any) -> Any:
    """Return the tensors passed as `out`, one for each result.

    Raises:
        TypeError: if `out` is not a tensor, or for several results not a tuple of as many tensors.
    """
    return several_outputs(op.name, out, len(op.output_names)) if op.several else (one_output(op.name, out),)


def several_outputs(name: str, out: Any, count: int) -> Any:
    """Return the tensors passed as `out` for several results: `count` of them, any number if it is 0.

    Raises:
        TypeError: if `out` is not a tuple of that many tensors.
    """
    if not isinstance(out, (tuple, list)):
        raise TypeError(errors.wrong_out(name, "tuple of Tensors", out))
    for at, element in enumerate(out):
        if not isinstance(element, Tensor):
            raise TypeError(f"{name}(): expected Tensor as element {at} in 'out', but got {type(element).__name__}")
    if count and len(out) != count:
        raise TypeError(f"expected tuple of {count} elements but got {len(out)}")
    return out


def one_output(name: str, out: Any) -> Tensor:
    """Return the tensor passed as `out`.

    Raises:
        TypeError: if `out` is not a tensor.
    """
    if not isinstance(out, Tensor):
        raise TypeError(errors.wrong_out(name, "Tensor", out))
    return out


def put(
    name: str,
    out: Any,
    output: Any,
    *,
    words: str = "",
    read: tuple[Any, ...] = (),
    wholly: bool = False,
    uncastable: Any = "",
    rows: str = "",
    recorded: bool = True,
    writer: str = "",
) -> Any:
    """Return the result of a function made of operators; if `out` was passed, write the result there and return `out`.

    Args:
        words: how an `out` of another dtype than the result's is refused (`out_errors`), unless the result is cast.
        read: the operands with which `out` may not share a part of its memory, as cards say by `Out.apart`.
        wholly: `out` may not be one of these operands either.
        uncastable, rows, recorded, writer: what cards say by `Out`.

    Raises:
        TypeError: if `out` is not a tensor, or for several results not a tuple of as many tensors.
        RuntimeError: if an argument requires a gradient, memory is shared, or dtype or shape do not fit.
    """
    if out is None:
        return output
    several, results = (True, output) if isinstance(output, tuple) else (False, (output,))
    tensors = several_outputs(name, out, len(results)) if several else (one_output(name, out),)
    modes = current()
    operands = [(value, wholly) for value in read if isinstance(value, Tensor)]
    for tensor, result in zip(tensors, results):
        if (tensor.requires_grad and modes.grad) or (recorded and result.requires_grad):
            raise RuntimeError(out_errors.requires_grad(writer or name, recorded=recorded))
        word = tensor._flags_ | result._flags_
        if word & flags.BATCHED:
            raise RuntimeError(batch_errors.OUT.format(name))
        if word & flags.DUAL:
            raise NotImplementedError(forward_errors.no_out(name))
        check_mode(tensor, modes)
        if words and tensor.dtype is not result.dtype:
            raise RuntimeError(out_errors.of_dtype(words, result.dtype, tensor.dtype))
        check_layout(name, tensor, result)
        check_cast(tensor, result, uncastable)
        check_shared(tensor, operands)
    put_all(list(zip(tensors, results)), operands, rows)
    if not recorded:
        refuse_gradients(writer or name, tensors, results)
    return getattr(type(output), "written", tuple)(list(tensors)) if several else out


def copied(name: str, out: Any, result: Tensor, *, words: str = "", uncastable: Any = "", rows: str = "") -> Tensor:
    """Return the result of a function, copied to `out` if that was passed; the copy is recorded as any other.

    Args:
        words, uncastable, rows: as for `put`.

    Raises:
        TypeError: if `out` is not a tensor.
        RuntimeError: if its dtype does not fit, or it requires a gradient and would be resized.
    """
    if out is None:
        return result
    tensor = one_output(name, out)
    if words and tensor.dtype is not result.dtype:
        raise RuntimeError(out_errors.of_dtype(words, result.dtype, tensor.dtype))
    check_layout(name, tensor, result)
    check_cast(tensor, result, uncastable)
    if tensor._array_.shape != result._array_.shape:
        if tensor.requires_grad:
            raise RuntimeError("cannot resize variables that require grad")
        take_shape(tensor, result, rows)
    return tensor.copy_(result)


def operands_read(op: Any, args: tuple[Any, ...]) -> list[tuple[Tensor, bool]]:
    """Return the operands that may not share a part of their memory with an output, and whether they may not be it."""
    read: list[tuple[Tensor, bool]] = []
    apart = op.out_apart
    if apart:
        for position in op.tensor_slots:
            value, wholly = args[position], apart == "wholly" and (position > 0 or op.in_place is None)
            if isinstance(value, Tensor):
                read.append((value, wholly))
            elif isinstance(value, (tuple, list)):
                read += [(element, wholly) for element in value if isinstance(element, Tensor)]
    return read


def check_shared(tensor: Tensor, read: Any) -> None:
    """Refuse an output whose elements share memory, or that shares memory with what is read while it is written.

    Args:
        read: operands, as of `operands_read`.
    """
    if tensor._flags_ & flags.SPARSE:  # whose entries are replaced
        return
    if 0 in tensor._array_.strides and overlap.overlaps_itself(tensor._array_):
        raise RuntimeError(errors.OVERLAP_IN_PLACE)
    for operand, wholly in read:
        overlap.check_other(tensor, operand, wholly)


def check_layout(name: str, tensor: Tensor, result: Tensor) -> None:
    """Refuse an output that is sparse where the result is not, or in another way, or where one alone is on "meta"."""
    if (tensor._flags_ | result._flags_) & flags.SPARSE and (tensor.is_meta or result.is_meta):
        if tensor.device != result.device:
            raise RuntimeError(out_errors.CROSSING.format(result.device, tensor.device))
        return
    if (tensor._flags_ | result._flags_) & flags.SPARSE and tensor.layout is not result.layout:
        raise RuntimeError(out_errors.of_layout(name, result.layout, tensor.layout))


def check_fits(op: Any, tensor: Tensor, result: Tensor, args: tuple[Any, ...], at: int) -> bool:
    """Refuse a result that does not fit output `at`; return whether it is first converted to the output's dtype.

    Raises:
        RuntimeError: if the output is of another dtype and not cast to, or it is an operand and must be resized.
    """
    check_layout(op.name, tensor, result)
    converted = False
    if op.out_words and tensor.dtype is not result.dtype:
        words = op.out_words[at] if isinstance(op.out_words, tuple) else op.out_words
        if callable(words):
            words = words(args, tensor.dtype)
        if words:
            raise RuntimeError(out_errors.of_dtype(words, result.dtype, tensor.dtype))
        converted = words is None
    if not converted:
        check_cast(tensor, result, op.out.uncastable)
    have, wanted = tensor._array_.shape, result._array_.shape
    if have != wanted and op.out_apart and any(element is tensor for value in args for element in listed(value)):
        if op.promotion is not None:
            raise RuntimeError(errors.target_shape(have, wanted))
        if result._array_.size and op.out_apart == "wholly":
            raise RuntimeError(errors.PARTIAL_OVERLAP)
    return converted


def listed(value: Any) -> Any:
    """Return the elements of a list, or a tuple of the value alone."""
    return value if isinstance(value, (tuple, list)) else (value,)


class Filling:
    """Write by `out=` as observers see it: an operator that fills its first argument with the second."""

    name = "out="

    def written(self, args: tuple[Any, ...]) -> Tensor:
        """Return the tensor that is written to."""
        return args[0]

    def complete(self, args: tuple[Any, ...], word: int, modes: Modes) -> None:
        """Write."""
        fill(args[0], args[1])


def put_out(tensor: Tensor, result: Tensor) -> None:
    """Write one result of a call with `out=`.

    Raises:
        RuntimeError: if the result does not fit, or this is an inference tensor and inference mode is off.
    """
    modes = current()
    check_mode(tensor, modes)
    if modes.word & flags.OBSERVED:
        unusual.call(Filling(), (tensor, result), flags.OBSERVED, modes)
    else:
        fill(tensor, result)
    if result._meta_ is not None and result._meta_.origin is not None:
        meta_of(tensor).origin = result._meta_.origin
    if result._flags_ & flags.VOLATILE:
        volatile.spread_by_write(tensor, modes)


def check_mode(tensor: Tensor, modes: Modes) -> None:
    """Refuse to write to an inference tensor outside its mode."""
    if tensor._flags_ & flags.INFERENCE and not modes.inference:
        raise RuntimeError(errors.INFERENCE_IN_PLACE)


def fill(tensor: Tensor, result: Tensor) -> None:
    """Give a tensor the values and the shape of another."""
    check_cast(tensor, result)
    if tensor._flags_ & flags.SPARSE:
        check_layout("out", tensor, result)
        if tensor.is_meta:
            take_shape(tensor, result)
            count_write(tensor._storage_, "a call with out=")
            return
        from . import sparse

        sparse.replace(tensor, result.to(tensor.dtype)._array_)
        sparse.count(tensor._storage_)
        return
    take_shape(tensor, result)
    if tensor._array_.dtype is result._array_.dtype:
        OPERATORS.copy_into(tensor._array_, result._array_)
    else:
        with np.errstate(all="ignore"):  # values that exceed the smaller dtype become infinite, without a warning
            np.copyto(tensor._array_, result._array_, "unsafe")
    count_write(tensor._storage_, "a call with out=")


def changes_shape(tensor: Tensor, result: Tensor) -> bool:
    """Return whether an output is resized to the shape of a result: not if it is sparse, other than on "meta"."""
    return tensor._array_.shape != result._array_.shape and (not tensor._flags_ & flags.SPARSE or tensor.is_meta)


def new_strides(tensor: Tensor, result: Tensor, rows: str) -> Any:
    """Return the strides in elements of an output that takes the shape of a result.

    Args:
        rows: as cards say by `out_rows`.
    """
    if rows == "always" or (rows and tensor._array_.size):
        return layouts.row_major(result._array_.shape)
    return layouts.preserved(result._array_)


def take_shape(tensor: Tensor, result: Tensor, rows: str = "", silent: bool = False) -> None:
    """Resize a tensor to the shape of what an operator writes there.

    Args:
        rows, silent: as cards say by `out_rows` and `out_silent`.
    """
    if tensor._array_.shape == result._array_.shape or not changes_shape(tensor, result):
        return
    check_cast(tensor, result)
    shape, steps = result._array_.shape, new_strides(tensor, result, rows)
    if tensor._array_.size and not silent:
        anomaly.warn(errors.resized_output(tensor._array_.shape, shape))
    if tensor._flags_ & flags.SPARSE:
        reshape_meta(tensor, shape, steps)
    else:
        OPERATORS.resize(tensor, shape, steps)


def reshape_meta(tensor: Tensor, shape: Any, strides: Any) -> None:
    """Give a tensor on the device "meta" another shape: there are no values to preserve."""
    from ..tensor.meta_array import meta_array

    array = tensor._array_ = meta_array(shape, tensor._array_.dtype, strides)
    values = array.values
    tensor._storage_ = values._storage_ = succeed(tensor._storage_, values._storage_.array)


def check_cast(tensor: Tensor, result: Tensor, words: Any = "") -> None:
    """Refuse an output of a kind of numbers that cannot hold the result's, in words as `Options.out_uncastable`."""
    if not dtypes.can_cast(result.dtype, tensor.dtype):
        raise out_errors.uncastable(words, result.dtype, tensor.dtype)
