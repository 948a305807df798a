"""Volatile tensors, by which the first generation of the API left out history.

One volatile input makes every output of a call volatile: it has no history, nothing is saved for it, and it does not
require a gradient, whatever else does.
"""

from __future__ import annotations

import warnings
from typing import Any

from .. import errors, flags
from ..aliasing import views
from ..state.modes import Modes
from ..tensor.base import Tensor


def spread(results: Any) -> Any:
    """Make all results of a call volatile."""
    for result in results if isinstance(results, tuple) else (results,):
        if isinstance(result, Tensor):
            mark(result)
    return results


def spread_by_write(target: Tensor, modes: Modes) -> None:
    """Make the target of a write volatile, and the base of that if it is a view; not where recording is off anyway: a
    write only changes values there.
    """
    if not modes.mask & flags.REQUIRES_GRAD:
        return
    if target._flags_ & flags.VIEW:
        mark(target._meta_.view.base)
        target._meta_.view.version = target._storage_.version
    mark(target)


def mark(tensor: Tensor) -> None:
    """Make a tensor volatile: a leaf that does not require a gradient."""
    tensor._flags_ = tensor._flags_ & ~flags.REQUIRES_GRAD | flags.VOLATILE
    tensor._edge_ = None
    if tensor._meta_ is not None:
        tensor._meta_.retains_grad = False


def get_volatile(self: Tensor) -> bool:
    """True if nothing that is computed with this tensor is recorded (first generation of the API; see `no_grad`)."""
    if self._flags_ & flags.VIEW:
        views.refresh(self)
    return bool(self._flags_ & flags.VOLATILE)


def set_volatile(self: Tensor, wanted: bool) -> None:
    """Set whether a leaf is volatile; a volatile leaf does not require a gradient.

    Raises:
        RuntimeError: if the tensor was recorded.
    """
    if self.grad_fn is not None:
        raise RuntimeError(errors.VOLATILE_OF_NON_LEAF)
    if wanted:
        warnings.warn(errors.VOLATILE_DEPRECATED, DeprecationWarning, stacklevel=2)
        mark(self)
    else:
        self._flags_ &= ~flags.VOLATILE
