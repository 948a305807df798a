"""The class Tensor: an array over a Storage, a flags word, autograd fields and the operator slots."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

try:
    import cython
except ImportError:
    from .. import plain as cython  # type: ignore[no-redef]

from .. import door, errors, flags
from ..graph.node import Edge
from ..state.modes import Modes, current
from ..types.dtypes import dtype as DType, from_numpy
from ..types.sizes import Size
from . import assigned, slots
from .meta import AutogradMeta, new_meta
from .slots import OPERATORS as OPERATORS, Operator as Operator
from .standins import StandIn
from .storage import Storage, next_serial


@cython.freelist(512)
@cython.cclass
class Tensor:
    """An array that remembers how it was computed, so that `backward()` can compute gradients.

    Tensors are made by functions such as `tensor`, `from_numpy`, `zeros` and `randn`; `Tensor(2, 3)` makes one of that
    shape whose elements are not set. Operators, indexing and most names are those of NumPy's arrays.

    Attributes:
        shape, dtype, device, ndim: as of an array; the device is the CPU.
        requires_grad: whether operations on it are recorded.
        grad: its gradient after `backward()`, if it is a leaf that requires one.
        grad_fn: the node of the graph that it comes from; None for leaves.
        is_leaf: whether it was made by the program rather than by a recorded operation.

    >>> import wengert as wg
    >>> x = wg.tensor([1.0, 2.0], requires_grad=True)
    >>> (x**2).sum().backward()
    >>> x.grad
    tensor([2., 4.])
    """

    # Names that neither torch nor programs use: these put attributes of their own on tensors.
    _array_: Any
    """The values (NumPy's or another module's array)."""
    _storage_: Storage
    """The memory's identity and version, shared with all views."""
    _flags_: int
    """The flags word, see `flags`."""
    _edge_: Edge
    """The destination of this tensor's gradient if it was recorded; None for leaves."""
    _meta_: AutogradMeta
    """`AutogradMeta`, or None."""

    __slots__ = ("__dict__", "__weakref__", "_array_", "_edge_", "_flags_", "_meta_", "_storage_")

    @property
    def shape(self) -> Size:
        """The lengths of the dimensions."""
        return door.shape_as(self._array_, Size)  # type: ignore[no-any-return]

    @property
    def dtype(self) -> DType:
        """The element type."""
        return from_numpy(door.dtype_of(self._array_))

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return door.ndim_of(self._array_)

    @property
    def _version(self) -> int:
        if self._flags_ & flags.INFERENCE:
            raise RuntimeError(errors.INFERENCE_VERSION)
        return self._storage_.version

    @property
    def requires_grad(self) -> bool:
        """True if operations on this tensor are recorded."""
        if self._flags_ & flags.VIEW:
            meta: AutogradMeta = self._meta_
            base: Tensor = meta.view.base
            word: int = (self._flags_ | base._flags_) & (flags.REQUIRES_GRAD | flags.VOLATILE)
            return word == flags.REQUIRES_GRAD and door.is_inexact(self._array_)
        return self._flags_ & flags.REQUIRES_GRAD != 0

    @requires_grad.setter
    def requires_grad(self, wanted: bool) -> None:
        assigned.check_flag(wanted)
        if self._flags_ & flags.VIEW and not self._meta_.view.kind:  # one that was recorded
            slots.table.refresh(self)
        if self._edge_ is not None:
            raise RuntimeError(errors.requires_grad_of_non_leaf(wanted))
        if self.requires_grad == wanted:
            return
        slots.settle_tapes()
        if wanted:
            inexact: bool = door.is_inexact(self._array_)
            assigned.check_leaf(inexact, self._flags_ & ~(flags.INFERENCE if current().inference else 0))
        elif current().debug is not None:
            slots.table.tracing.switched_off(self)
        self._flags_ = self._flags_ | flags.REQUIRES_GRAD if wanted else self._flags_ & ~flags.REQUIRES_GRAD

    @requires_grad.deleter
    def requires_grad(self) -> None:
        assigned.check_flag(None)

    @property
    def grad(self) -> Any:
        """The accumulated gradient, or None."""
        if slots.watched:
            slots.table.tracing.told_leaf(self)
        meta: AutogradMeta = self._meta_
        if meta is not None and meta.grad is not None:
            return meta.grad
        if self._edge_ is not None and (meta is None or not meta.retains_grad):
            warnings.warn(errors.GRAD_OF_NON_LEAF, stacklevel=1 if cython.compiled else 2)  # compiled, this is no frame
        return None

    @grad.setter
    def grad(self, value: Any) -> None:
        if slots.watched:
            slots.table.tracing.told_leaf(self)
        if value is not None:
            assigned.check_assigned_grad(self, value)
        elif self._meta_ is not None and self._meta_.origin is not None:
            slots.table.tracing.cleared(self)
        meta_of(self).grad = value

    @grad.deleter
    def grad(self) -> None:
        if self._meta_ is not None:
            self._meta_.grad = None

    if not cython.compiled:  # for type checkers only: the methods that cards bind; the compiler drops the block
        if TYPE_CHECKING:

            def __getattr__(self, name: str) -> Any: ...

    def __init__(self, *data: Any, **options: Any) -> None:
        slots.table.construct(self, *data, **options)

    def __hash__(self) -> int:
        return id(self)

    def __bool__(self) -> bool:
        if self._array_.size != 1 and not self._flags_ & flags.BATCHED:
            raise RuntimeError(errors.ambiguous_truth(self._array_.size))
        if slots.watched:
            slots.table.tracing.told_reading(self, "a conversion to a bool")
        return bool(self._array_)

    def __neg__(self) -> Any:
        return slots.table.neg.call1(self)

    def __pos__(self) -> Any:
        if self._array_.dtype.kind == "b":
            raise RuntimeError(errors.POSITIVE_BOOL)
        return self

    def __abs__(self) -> Any:
        return slots.table.abs.call1(self)

    def __invert__(self) -> Any:
        try:
            return slots.table.bitwise_not.call1(self)
        except NotImplementedError:
            if self._array_.dtype.kind in "iub":
                raise
            raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors") from None

    def __add__(self, other: Any) -> Any:
        return slots.table.add.call2(self, other)

    # Compiled, Python asks the right operand first if it is of a subclass, even if that has no method of its own.
    def __radd__(self, other: Any) -> Any:
        return slots.table.add.call2(other, self) if isinstance(other, Tensor) else slots.table.add.call2(self, other)

    def __sub__(self, other: Any) -> Any:
        return slots.table.sub.call2(self, other)

    def __rsub__(self, other: Any) -> Any:
        if isinstance(other, Tensor) and type(other) is not type(self):
            return slots.table.sub.call2(other, self)  # other - self, asked of self first, as said above
        return slots.table.rsub.call2(self, other)

    def __mul__(self, other: Any) -> Any:
        return slots.table.mul.call2(self, other)

    def __rmul__(self, other: Any) -> Any:
        return slots.table.mul.call2(other, self) if isinstance(other, Tensor) else slots.table.mul.call2(self, other)

    def __truediv__(self, other: Any) -> Any:
        return slots.table.div.call2(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        if isinstance(other, Tensor):
            return slots.table.div.call2(other, self)
        if type(other) is not float and type(other) is not int and hasattr(type(other), "__torch_function__"):
            return slots.table.div.call2(other, self)  # which asks it
        return slots.table.mul.call2(slots.table.reciprocal.call1(self), other)

    def __floordiv__(self, other: Any) -> Any:
        return slots.table.floor_divide.call2(self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return slots.table.floor_divide.call2(other, self)

    def __mod__(self, other: Any) -> Any:
        return slots.table.remainder.call2(self, other)

    def __rmod__(self, other: Any) -> Any:
        return slots.table.remainder.call2(other, self)

    def __pow__(self, other: Any, modulo: None = None) -> Any:
        if modulo is not None:
            return NotImplemented
        return slots.table.pow.call2(self, other)

    def __rpow__(self, other: Any, modulo: None = None) -> Any:
        return slots.table.pow.call2(other, self)

    def __matmul__(self, other: Any) -> Any:
        return slots.table.matmul.call2(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return slots.table.matmul.call2(other, self)

    def __and__(self, other: Any) -> Any:
        return slots.table.bitwise_and.call2(self, other)

    def __rand__(self, other: Any) -> Any:
        return slots.table.bitwise_and.call2(self, other)

    def __or__(self, other: Any) -> Any:
        return slots.table.bitwise_or.call2(self, other)

    def __ror__(self, other: Any) -> Any:
        return slots.table.bitwise_or.call2(self, other)

    def __xor__(self, other: Any) -> Any:
        return slots.table.bitwise_xor.call2(self, other)

    def __rxor__(self, other: Any) -> Any:
        return slots.table.bitwise_xor.call2(self, other)

    def __lshift__(self, other: Any) -> Any:
        return slots.table.lshift.call2(self, other)

    def __rlshift__(self, other: Any) -> Any:
        return slots.table.lshift.call2(other, self)

    def __rshift__(self, other: Any) -> Any:
        return slots.table.rshift.call2(self, other)

    def __rrshift__(self, other: Any) -> Any:
        return slots.table.rshift.call2(other, self)

    def __eq__(self, other: Any) -> Any:
        return slots.table.eq.call2(self, other)

    def __ne__(self, other: Any) -> Any:
        return slots.table.ne.call2(self, other)

    def __lt__(self, other: Any) -> Any:
        return slots.table.lt.call2(self, other)

    def __le__(self, other: Any) -> Any:
        return slots.table.le.call2(self, other)

    def __gt__(self, other: Any) -> Any:
        return slots.table.gt.call2(self, other)

    def __ge__(self, other: Any) -> Any:
        return slots.table.ge.call2(self, other)

    def __iadd__(self, other: Any) -> Any:
        return slots.table.iadd.call2(self, other)

    def __isub__(self, other: Any) -> Any:
        return slots.table.isub.call2(self, other)

    def __imul__(self, other: Any) -> Any:
        return slots.table.imul.call2(self, other)

    def __itruediv__(self, other: Any) -> Any:
        return slots.table.idiv.call2(self, other)

    def __ifloordiv__(self, other: Any) -> Any:
        return slots.table.ifloor_divide.call2(self, other)

    def __imod__(self, other: Any) -> Any:
        return slots.table.iremainder.call2(self, other)

    def __ipow__(self, other: Any) -> Any:  # type: ignore[misc]
        return slots.table.ipow.call2(self, other)

    def __ilshift__(self, other: Any) -> Any:
        return slots.table.ilshift.call2(self, other)

    def __irshift__(self, other: Any) -> Any:
        return slots.table.irshift.call2(self, other)

    def __iand__(self, other: Any) -> Any:
        return slots.table.iand.call2(self, other)

    def __ior__(self, other: Any) -> Any:
        return slots.table.ior.call2(self, other)

    def __ixor__(self, other: Any) -> Any:
        return slots.table.ixor.call2(self, other)

    def __repr__(self) -> str:
        return slots.table.text(self)

    def __getitem__(self, index: Any) -> Any:
        return slots.table.getitem.call2(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        slots.table.setitem.call3(self, index, value)

    def __delitem__(self, index: Any) -> None:
        raise TypeError("Tensor does not support deleting items")

    def __len__(self) -> int:
        return slots.table.length(self)

    def __iter__(self) -> Any:
        return slots.table.iterate(self)

    def __contains__(self, element: Any) -> bool:
        return slots.table.contains(self, element)

    def __int__(self) -> int:
        return slots.table.to_integer(self)

    def __float__(self) -> float:
        return slots.table.to_real(self)

    def __complex__(self) -> complex:
        return slots.table.to_complex(self)

    def __index__(self) -> int:
        return slots.table.index(self)


def meta_of(tensor: Tensor) -> AutogradMeta:
    """Return the autograd fields of a tensor, created on first use."""
    if tensor._meta_ is None:
        meta: AutogradMeta = new_meta()
        if tensor._meta_ is None:  # no call between look and note: no thread, handler or finaliser comes between
            tensor._meta_ = meta
    return tensor._meta_


def wrap(array: Any) -> Tensor:
    """Return a new tensor without history over `array`, on a new storage; an inference tensor if that mode is on."""
    modes: Modes = current()
    tensor: Tensor = wrap_flagged(array, modes.fresh)
    if modes.word & flags.NOTED and modes.passing is None:
        slots.table.tracing.created(tensor)
    return tensor


def wrap_flagged(array: Any, word: int) -> Tensor:
    """Wrap an array as `wrap` does, for callers that have the modes: `word` is `modes.fresh`."""
    storage: Storage = Storage.__new__(Storage)
    storage.array, storage.serial, storage.writes, storage.counting = array, next_serial(), None, None
    storage.version = storage.detached = 0
    tensor: Tensor = share(array, storage)
    tensor._flags_ |= word
    return tensor


def share(array: Any, storage: Storage) -> Tensor:
    """Return a new tensor without history over `array`, whose memory is that of `storage`."""
    tensor: Tensor = Tensor.__new__(Tensor)
    door.begin(tensor)
    tensor._array_, tensor._storage_ = array, storage
    tensor._flags_ = 0
    tensor._edge_ = tensor._meta_ = None
    if not door.is_ndarray(array):
        stand_in(tensor, array)
    return tensor


def stand_in(tensor: Tensor, array: Any) -> None:
    """Set the flag of a tensor whose values are not in its array; those of a sparse one determine the storage, too."""
    if isinstance(array, StandIn):
        tensor._flags_ |= array.flag
        if array.flag == flags.SPARSE:
            values: Tensor = array.values  # type: ignore[attr-defined]
            tensor._storage_ = values._storage_


def set_up(tensor: Tensor, array: Any, storage: Storage) -> None:
    """Set the fields of an allocated tensor (perhaps of a subclass); its memory counts as new, see `wrap`."""
    tensor._array_, tensor._storage_ = array, storage
    tensor._flags_ = current().fresh | getattr(type(tensor), "_overridden_", 0)
    tensor._edge_ = tensor._meta_ = None
    if not door.is_ndarray(array):
        stand_in(tensor, array)


def bind(name: str, value: object) -> None:
    """Put a method or property on `Tensor`: the only way for everything that is not defined above."""
    door.bind(Tensor, name, value)


door.lazy_dict(Tensor)
if not cython.compiled:  # compiled, this is done where errors leave the methods
    from ..._start.boundary import guard

    guard(Tensor)
