"""The step of a call with tensors whose elements are conjugated or negated when they are read.

It is the last before the kernel: the call on these tensors themselves is recorded. Views of them are such tensors
again; every other operator receives the elements in memory of their own. A write goes to a copy, and from there to
the memory.
"""

from __future__ import annotations

from typing import Any

from .. import flags
from ..operators import overlap, sources
from ..state.modes import Modes
from ..tensor.base import Tensor, share
from ..tensor.postponed import Postponed, is_conjugated, like, physical, settled
from ..tensor.storage import count


def call(op: Any, args: tuple[Any, ...], word: int, modes: Modes) -> Any:
    """Run an operator; `word` are the flags of all inputs."""
    if op.written(args) is not None:
        return op.complete(args, word, modes)
    return op.conclude(args, computed(op, args, modes), word, modes)


def computed(op: Any, args: tuple[Any, ...], modes: Modes) -> Any:
    """Return the array (or arrays) of an operator's result."""
    if not op.view:
        return op.compute(tuple([settled(value) for value in args]), modes)
    source: Tensor = args[0]
    rest = [settled(value) for value in args[1:]]
    plain = share(physical(source._array_), source._storage_)
    result = op.compute((plain, *rest), modes)
    if is_conjugated(source) and op.sees == sources.SEES_DTYPE:  # not a view: the parts of pairs differ in sign
        return op.compute((settled(source), *rest), modes)
    return like(result, source._array_)


def write(op: Any, args: tuple[Any, ...], modes: Modes) -> None:
    """Write the result of a call into its first argument.

    Raises:
        RuntimeError: if the write is refused; nothing has been written then.
    """
    target: Tensor = args[0]
    overlap.check(op.functional, target, args)
    is_postponed = isinstance(target._array_, Postponed)
    copy = settled(target) if is_postponed else share(target._array_, target._storage_)
    grad, mask, word, fresh = modes.grad, modes.mask, modes.word, modes.fresh
    try:
        modes.set_grad(False)
        modes.word = 0
        op.call((copy, *[settled(value) for value in args[1:]]))
    finally:  # stores only, see `modes`
        modes.grad, modes.mask, modes.word, modes.fresh = grad, mask, word & ~flags.PROFILED | modes.profiled, fresh
    if is_postponed:
        target._array_[...] = copy._array_
        count(target._storage_)
