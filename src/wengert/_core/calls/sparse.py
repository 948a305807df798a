"""The step of a call with sparse tensors, the last before the kernel: the kernels are in `ops/sparse`, by operator.

The operator's card has all else: rules, forward mode, the node. So sparse tensors are differentiated by its rules, if
these have kernels in turn; otherwise the pass is refused where it needs one, as in torch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import errors, flags, sparse_errors
from ..operators import promotion, sources
from ..state.modes import Modes
from ..tensor import batches
from ..tensor.base import Tensor, wrap_flagged
from ..tensor.coordinates import Coordinates
from ..tensor.meta_array import is_meta
from ..tensor.storage import count, succeed
from ..types import dtypes
from . import batching

KERNELS: dict[str, Callable[..., Any]] = {}
"""By operator: called with all its arguments, tensors without history; returns a tensor, or several as a tuple."""
WRITERS: dict[str, Callable[..., None]] = {}
"""By operator: called for the in-place form if the target is dense; writes into the first argument's memory."""
ORDERED: set[str] = set()
"""The operators whose in-place form needs a coalesced target."""
SHARING: set[str] = set()
"""The operators whose rules for batches take one sparse factor for all members."""
CARDS: set[str] = set()
"""The operators whose bodies take sparse arrays themselves."""


def kernel(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the decorated function as the kernel of some operators for sparse tensors."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            KERNELS[name] = function
        return function

    return decorate


def takes_sparse(card: Any) -> Any:
    """Declare that the body of a card takes the arrays of sparse tensors, those of halves unpromoted."""
    CARDS.add(card.name)
    card.takes_halves = True
    return card


def call(op: Any, args: tuple[Any, ...], word: int, modes: Modes) -> Any:
    """Run an operator with a sparse tensor among its arguments; `word` are the flags of all inputs.

    Raises:
        NotImplementedError: if the operator has no kernel for sparse tensors.
        RuntimeError: if another argument carries a batch.
        TypeError: if an argument that has to be a tensor is not one.
    """
    check_operands(op, args)
    if has_meta(args):
        from . import meta

        return meta.call(op, args, word, modes)
    if word & flags.BATCHED:
        if op.name in SHARING:
            return batching.call(op, args, word, modes)
        raise RuntimeError(sparse_errors.BATCHED)
    word &= ~flags.BATCHES
    if op.written(args) is not None or op.name in CARDS:
        return op.complete(args, word, modes)
    return op.conclude(args, arrays_of(computed(op, args, modes)), word, modes)


def has_meta(args: tuple[Any, ...]) -> bool:
    """Return whether a tensor among the arguments, or in a list of them, is on the device "meta"."""
    return any(
        is_meta(element) for value in args for element in (value if isinstance(value, (tuple, list)) else (value,))
    )


def check_operands(op: Any, args: tuple[Any, ...]) -> None:
    """Refuse other values than tensors where the operator takes only tensors.

    Raises:
        TypeError: if an argument that has to be a tensor is not one.
    """
    if op.promotion is not None:
        return
    for position in op.tensor_slots:
        value = args[position]
        if op.kinds[position] in (sources.ARRAYS, sources.INDICES):
            promotion.arrays_of(op, value, position)
        elif not isinstance(value, Tensor) and (value is not None or op.defaults[position] is not None):
            promotion.other_operand(op, value, position)


def computed(op: Any, args: tuple[Any, ...], modes: Modes) -> Any:
    """Return the result of an operator's kernel for sparse tensors, unrecorded."""
    if has_meta(args):
        from . import meta

        return wrap_flagged(meta.computed(op, args, modes), 0)
    return unrecorded(kernel_of(KERNELS, op.name), args, modes)


def kernel_of(kernels: dict[str, Any], name: str) -> Any:
    """Return the kernel of an operator.

    Raises:
        NotImplementedError, RuntimeError: if the operator has no such kernel.
    """
    known = kernels.get(name)
    if known is None:
        raise sparse_errors.refused(name)
    return known


def unrecorded(function: Any, args: tuple[Any, ...], modes: Modes) -> Any:
    """Call a function with tensors that have neither history nor tangents; NumPy's warnings are off, as in any kernel.

    Raises:
        NotImplementedError: if the function does not support these arguments.
    """
    grad, mask, word, fresh = modes.grad, modes.mask, modes.word, modes.fresh
    try:
        modes.set_grad(False)
        modes.word = 0
        result = function(*[bare(value) for value in args])
    finally:  # stores only, see `modes`
        modes.grad, modes.mask, modes.word, modes.fresh = grad, mask, word & ~flags.PROFILED | modes.profiled, fresh
    if result is NotImplemented:
        raise sparse_errors.refused(function.__name__.removesuffix("_kernel"))
    return result


def bare(value: Any) -> Any:
    """Return an argument without history."""
    if isinstance(value, Tensor):
        return value if value._flags_ & ~flags.SPARSE == 0 else batches.twin(value)
    if isinstance(value, (tuple, list)):
        return type(value)([bare(element) for element in value]) if type(value) in (tuple, list) else value
    return value


def arrays_of(tensors: Any) -> Any:
    """Return the array of a tensor, or of several."""
    return tuple([tensor._array_ for tensor in tensors]) if isinstance(tensors, (tuple, list)) else tensors._array_


def write(op: Any, args: tuple[Any, ...], modes: Modes) -> None:
    """Write the result of a call with sparse tensors into its first argument; what does not fit is refused before.

    Raises:
        RuntimeError: if shape or dtype do not fit, or a dense result would go into a sparse tensor.
    """
    functional, target = op.functional, args[0]
    if has_meta(args):
        from . import meta

        meta.write(op, args, modes)
        return
    if not target._flags_ & flags.SPARSE and functional.name in WRITERS:
        unrecorded(WRITERS[functional.name], args, modes)
        count(target._storage_)
        return
    if functional.name in ORDERED and not target._array_.coalesced:
        raise RuntimeError(f"{op.name} requires coalesced input: write to coalesce() of it")
    result: Tensor = computed(functional, args, modes)
    if result._array_.shape != target._array_.shape:
        raise RuntimeError(errors.target_shape(target._array_.shape, result._array_.shape))
    if not dtypes.can_cast(result.dtype, target.dtype):
        raise RuntimeError(errors.uncastable(result.dtype, target.dtype))
    if (result._flags_ ^ target._flags_) & flags.SPARSE:
        raise NotImplementedError(sparse_errors.no_kernel(op.name))
    if result.dtype is not target.dtype:
        result = result.to(target.dtype)
    if result._flags_ & flags.SPARSE:
        replace(target, result._array_)
    else:
        target._array_[...] = result._array_
    count(target._storage_)


def replace(target: Tensor, array: Coordinates) -> None:
    """Give a sparse tensor other entries: in its memory if their indices are the same, otherwise in the new memory."""
    entries: Coordinates = target._array_
    if array.values is entries.values:
        return
    if array.indices is entries.indices and array.values._array_.shape == entries.values._array_.shape:
        entries.values._array_[...] = array.values._array_
        entries.coalesced = array.coalesced
        return
    values = wrap_flagged(array.values._array_, 0)
    target._storage_ = values._storage_ = succeed(target._storage_, array.values._storage_.array)
    array.values = values
    target._array_ = array
