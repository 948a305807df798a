"""Properties, methods and protocols of Tensor that no card declares. Bound to the class at import."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .._core import door, errors, flags
from .._core.aliasing import views
from .._core.backward import passes
from .._core.calls import dispatch, volatile
from .._core.calls.asking import asks_itself
from .._core.calls.subclasses import begin_subclass, make
from .._core.calls.unanswered import disabled as disabled, undispatched
from .._core.cards.arguments import asked_or_refused, asking
from .._core.graph.hooks import HookDict, RemovableHandle
from .._core.graph.node import Node, end_of
from .._core.leaves.accumulate import gradient_edge
from .._core.operators.promotion import is_operand
from .._core.state.modes import current
from .._core.tensor import reading, slots, tracing
from .._core.tensor.base import OPERATORS, Tensor, bind, set_up, wrap_flagged
from .._core.tensor.batches import levels_of, refuse
from .._core.tensor.standins import StandIn
from .._core.tensor.storage import Storage, succeed
from .._core.types import dtypes
from .._core.types.devices import device, sparse_coo, strided
from .._core.types.sizes import Size
from .._start.boundary import shorten
from .._start.loading import load
from ..ops.create.factory import read_lengths
from ..ops.memory.reach import data_ptr, get_nbytes, is_contiguous, storage_offset, stride
from . import gradients
from .indexing import READING, WRITING

NOT_PLAIN: int = flags.SPARSE | flags.OBSERVED  # a global is read twice as fast as an attribute of a module
CPU = device("cpu")


def construct(self: Tensor, *data: Any, **options: Any) -> None:
    """`Tensor(2, 3)`: uninitialised; `Tensor(values)`: of the default dtype (the form of torch's early days).

    A second call has no effect.

    Raises:
        TypeError: if `data` is neither lengths, nor a tensor, nor values.
    """
    if getattr(self, "_array_", None) is not None:
        return
    default = dtypes.get_default_dtype().numpy
    if len(data) == 1 and isinstance(data[0], Tensor):
        set_up(self, data[0]._array_.view(), data[0]._storage_)
        self._flags_ = data[0]._flags_ & flags.INFERENCE | self._flags_ & (flags.OVERRIDDEN | NOT_PLAIN)
    elif len(data) == 1 and not isinstance(data[0], (int, Size)):
        if isinstance(data[0], str):
            raise TypeError(f"new(): invalid data type '{type(data[0]).__name__}'")
        if isinstance(getattr(data[0], "_memory", None), Storage):  # a result of `storage()`
            construct(self)
            self.set_(data[0])
        elif not hasattr(data[0], "__len__"):
            raise TypeError(f"new(): data must be a sequence (got {type(data[0]).__name__})")
        else:
            array = np.array(data[0], dtype=default)
            set_up(self, array, Storage(array))
    else:
        lengths = data[0] if data and isinstance(data[0], Size) else data or (0,)
        array = np.empty(read_lengths("new", lengths, 1, alone=False), default)
        set_up(self, array, Storage(array))


def get_grad_fn(self: Tensor) -> Node | None:
    """The node whose operation computed this tensor; None for leaves."""
    if self._flags_ & flags.VIEW:
        views.refresh(self)
    return None if self._edge_ is None else end_of(gradient_edge(self))


def get_data(self: Tensor) -> Tensor:
    """A tensor on the same memory outside the graph, with its own version counter: writes to it are not noticed."""
    if self._flags_ & (flags.BATCHED | flags.OBSERVED):
        gradients.refuse_batch(self, "accessing `data` under vmap transform is not allowed")
        return reading.detach(self)
    result = wrap_flagged(self._array_, self._flags_ & flags.INFERENCE)
    result._storage_.array = self._storage_.array
    if current().debug is not None:
        tracing.cut(result, self, "data", tracing.DATA)
    return result


def set_data(self: Tensor, new: Tensor) -> None:
    """Replace the values of this tensor; it keeps its place in the graph.

    Raises:
        TypeError: if `new` is not a tensor.
        RuntimeError: if the tensor requires a gradient, and the new values are neither floating point nor complex.
    """
    if not isinstance(new, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type(new).__name__}")
    slots.settle_tapes()
    gradients.refuse_batch(self, "mutating directly with `.data` under vmap transform is not allowed.")
    if current().transforms:
        load(f"{__package__}.transforms").refuse_data(self)
    if levels_of(self) != levels_of(new):
        refuse("`.data = ...`", self, new)
    if self.requires_grad and new._array_.dtype.kind not in "fcV":
        raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
    if self._flags_ & flags.VIEW and self._meta_.view.kind == views.SINGLE:
        views.refresh(self)  # while its array still shows its place in the base
    kinds: Any = (self, new) if (self._flags_ | new._flags_) & flags.SPARSE else ()
    if len({(tensor.layout, tensor.device) for tensor in kinds}) > 1:
        raise RuntimeError(
            "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor type: "
            + " and ".join([f"{tensor.layout} on {tensor.device}" for tensor in kinds])
        )
    load("wengert._core.tensor.postponed").lay(self, new._array_)
    self._storage_ = succeed(self._storage_, new._storage_.array)
    views.moved(self)
    self._flags_ = self._flags_ & ~flags.INFERENCE | new._flags_ & flags.INFERENCE


def element_size(self: Tensor) -> int:
    """Return the number of bytes of an element.

    Examples:
        >>> import wengert as wg
        >>> wg.zeros(2, dtype=wg.float64).element_size()
        8
    """
    size: int = self._array_.itemsize
    return size


def is_floating_point(self: Tensor) -> bool:
    """Return whether the elements are floating-point numbers; complex ones are not.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([1.0]).is_floating_point(), wg.tensor([1]).is_floating_point()
        (True, False)
    """
    return self.dtype.is_floating_point


def is_complex(self: Tensor) -> bool:
    """Return whether the elements are complex numbers.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([1j]).is_complex()
        True
    """
    return self.dtype.is_complex


def cpu(self: Tensor) -> Tensor:
    """Return the tensor itself: its memory is that of the CPU.

    Examples:
        >>> import wengert as wg
        >>> x = wg.tensor([1, 2])
        >>> x.cpu() is x
        True
    """
    return self.to("cpu") if self._flags_ & flags.SPARSE else self


def is_inference(self: Tensor) -> bool:
    """Return whether this is an inference tensor: one created in `inference_mode`, or a view of one.

    Examples:
        >>> import wengert as wg
        >>> wg.zeros(2).is_inference()
        False
    """
    return bool(self._flags_ & flags.INFERENCE)


def detach_(self: Tensor) -> Tensor:
    """Leave the graph: become a leaf that does not require a gradient. In inference mode it does nothing, as in torch.

    Raises:
        RuntimeError: if the tensor is a view.

    Examples:
        >>> import wengert as wg
        >>> x = wg.tensor([1.0], requires_grad=True) * 2
        >>> x.detach_().requires_grad
        False
    """
    if current().inference:
        return self
    if self._flags_ & flags.VIEW:
        raise RuntimeError(errors.DETACH_VIEW)
    slots.settle_tapes()
    if self._edge_ is not None:
        self._storage_.detached = current().sequence
        gradients.keep_hooks(self)
    if current().debug is not None:
        tracing.cut(self, self, "detach_()", tracing.DETACH)
    self._edge_ = None
    self._flags_ &= ~flags.REQUIRES_GRAD
    return self


@asks_itself("requires_grad_")
def requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    """Set `requires_grad` and return the tensor.

    Raises:
        TypeError: if `requires_grad` is not a bool.
        RuntimeError: if the tensor is a recorded result and `requires_grad` is False, or its values are neither
            floating point nor complex.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([1.0, 2.0]).requires_grad_()
        tensor([1., 2.], requires_grad=True)
    """
    if requires_grad is not True and requires_grad is not False:
        kind = type(requires_grad).__name__
        error = TypeError(f"requires_grad_(): argument 'requires_grad' must be bool, not {kind}")
        return asked_or_refused(Tensor.requires_grad_, error, self, requires_grad)
    if current().transforms:
        raise RuntimeError(
            gradients.refused_in_transform("requires_grad_() (or perhaps using torch.autograd.functional.* APIs)")
        )
    if requires_grad and not door.is_inexact(self._array_):  # torch has another text where the flag is assigned
        raise RuntimeError("only Tensors of floating point dtype can require gradients")
    if not (requires_grad and self.requires_grad):
        self.requires_grad = requires_grad
    return self


def backward(
    self: Tensor,
    gradient: Tensor | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Add the gradients of this tensor to the `.grad` of the leaves that it depends on; see `autograd.backward`.

    Args:
        gradient: gradient of the tensor; 1 for a tensor with one element.
        retain_graph: whether the graph is kept for a further pass; True by default with `create_graph`.
        create_graph: whether the gradients have derivatives.
        inputs: leaves that get gradients; all by default.

    Examples:
        >>> import wengert as wg
        >>> x = wg.tensor([1.0, 2.0], requires_grad=True)
        >>> (x**2).sum().backward()
        >>> x.grad
        tensor([2., 4.])
    """
    try:
        if dispatch.may_be_overridden(self):
            from .._core.calls import overriding

            if overriding.is_anyone_asked((self,)):
                keywords = {
                    "gradient": gradient,
                    "retain_graph": retain_graph,
                    "create_graph": create_graph,
                    "inputs": inputs,
                }
                return overriding.of_python(backward, (self,), (self,), keywords)
        passes.backward(self, gradient, retain_graph, create_graph, inputs)
    except Exception as error:
        shorten(error, "backward", backward)
        raise
    return None


def get_base(self: Tensor) -> Tensor | None:
    """The tensor whose memory a view shares; None otherwise."""
    return self._meta_.view.base if self._flags_ & flags.VIEW else None


def representation(self: Tensor) -> str:
    """Return the text of the tensor, as torch prints it."""
    from .text import text_of

    return text_of(self)


def iterate(self: Tensor) -> Iterator[Tensor]:
    """Iterate over the rows, as views.

    Raises:
        TypeError: if the tensor has no dimensions.
    """
    if not self._array_.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter(self.unbind(0))


def backwards(self: Tensor) -> Tensor:
    """The rows in reverse order, for `reversed(x)`: a new tensor, or the tensor itself if it has no dimensions."""
    return self.flip(0) if self._array_.ndim else self


def contains(self: Tensor, element: Any) -> bool:
    """Return whether some element equals `element`.

    Raises:
        RuntimeError: if `element` is neither a tensor nor a number.
    """
    if not is_operand(element):
        raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")
    refuse("`in`", self, *([element] if isinstance(element, Tensor) else []))
    if self._flags_ & flags.OBSERVED:
        return bool((self == element).any())
    tracing.told_reading(self, "`in`")
    if isinstance(element, Tensor):
        tracing.told_reading(element, "`in`")
    return bool((self._array_ == (element._array_ if isinstance(element, Tensor) else element)).any())


def place_of(tensor: Tensor) -> device:
    """Device of a tensor."""
    array: Any = tensor._array_
    return array.device if isinstance(array, StandIn) else CPU


def layout_of(tensor: Tensor) -> Any:
    """Layout of a tensor."""
    return getattr(tensor._array_, "layout", sparse_coo if tensor._flags_ & flags.SPARSE else strided)


def get_real_properties() -> dict[str, property]:
    """Read-only properties that are one expression."""
    return {
        "device": property(
            lambda self: place_of(self) if self._flags_ & NOT_PLAIN else CPU, doc="Device of the memory."
        ),
        "itemsize": property(lambda self: self._array_.itemsize, doc="Size of an element in bytes."),
        "nbytes": property(get_nbytes, doc=get_nbytes.__doc__),
        "layout": property(
            lambda self: layout_of(self) if self._flags_ & NOT_PLAIN else strided,
            doc="Layout of the elements: strided or sparse.",
        ),
        "is_cuda": property(lambda self: False, doc="True if the memory is on a CUDA device; always False."),
        "output_nr": property(
            lambda self: 0 if self._edge_ is None else gradient_edge(self).nr, doc="Number of the output of `grad_fn`."
        ),
        "name": property(
            lambda self: None if self._meta_ is None else self._meta_.name, doc="Name that the program has set."
        ),
        "_is_view": property(lambda self: lambda: bool(self._flags_ & flags.VIEW)),
    }


def refusing(text: str) -> Callable[[Tensor], None]:
    """Return a deleter of a property that refuses with `text`."""

    def refuse(self: Tensor) -> None:
        raise RuntimeError(text)

    return refuse


PROPERTIES = {
    "grad_fn": property(get_grad_fn, doc=get_grad_fn.__doc__),
    "is_leaf": property(gradients.is_leaf, doc=gradients.is_leaf.__doc__),
    "data": property(
        get_data, set_data, refusing("Deleting tensor data is not allowed. Delete tensor instead!"), get_data.__doc__
    ),
    "_grad": property(gradients.get_kept, gradients.set_grad, gradients.drop_grad),
    "_grad_fn": property(
        get_grad_fn, gradients.drop_history, refusing("Deletion of _grad_fn not allowed. Detach tensor instead!")
    ),
    "_post_accumulate_grad_hooks": property(
        gradients.get_post_accumulate_grad_hooks,
        gradients.set_post_accumulate_grad_hooks,
        refusing("Deletion of _post_accumulate_grad_hooks not allowed!"),
    ),
    "grad_dtype": property(gradients.get_grad_dtype, gradients.set_grad_dtype),
    "retains_grad": property(gradients.get_retains_grad, doc=gradients.get_retains_grad.__doc__),
    "_backward_hooks": property(
        gradients.get_backward_hooks,
        gradients.set_backward_hooks,
        refusing("Deletion of _backwards_hooks not allowed!"),
        gradients.get_backward_hooks.__doc__,
    ),
    "_base": property(get_base, doc=get_base.__doc__),
    "creator": property(get_grad_fn, doc="`grad_fn`, as the first generation of the API called it."),
    "volatile": property(volatile.get_volatile, volatile.set_volatile, doc=volatile.get_volatile.__doc__),
    **get_real_properties(),
}
METHODS: dict[str, Any] = {
    "size": reading.size,
    "stride": stride,
    "numel": reading.numel,
    "nelement": reading.numel,
    "dim": reading.dim,
    "element_size": element_size,
    "is_floating_point": is_floating_point,
    "is_complex": is_complex,
    "is_inference": is_inference,
    "__array_priority__": 1000,
    "__pandas_priority__": 5000,  # above tables and columns: their operators ask the tensor's, which say what to do
    "__new__": staticmethod(make),
    "__init_subclass__": classmethod(begin_subclass),
    "__torch_dispatch__": staticmethod(undispatched),
    "cpu": cpu,
    "contiguous": reading.contiguous,
    "detach": reading.detach,
    "detach_": detach_,
    "requires_grad_": requires_grad_,
    "backward": backward,
    "retain_grad": gradients.retain_grad,
    "register_hook": asking(gradients.register_hook, method=True),
    "register_post_accumulate_grad_hook": asking(gradients.register_post_accumulate_grad_hook, method=True),
    "item": reading.item,
    "tolist": reading.tolist,
    "storage_offset": storage_offset,
    "data_ptr": data_ptr,
    "is_contiguous": is_contiguous,
    "__reversed__": asking(backwards, "__reversed__", method=True),
}
"""Methods that no card declares, by name."""

PROTOCOLS: dict[str, Any] = {
    "construct": construct,
    "refresh": views.refresh,
    "text": representation,
    "length": reading.length,
    "iterate": iterate,
    "contains": contains,
    "contiguous": Tensor.contiguous,
    "to_integer": reading.to_integer,
    "to_real": reading.to_float,
    "to_complex": reading.to_complex,
    "index": reading.to_index,
    "getitem": READING,
    "setitem": WRITING,
}
"""Functions that the class itself calls, see `slots`."""
_IN_PACKAGE = ("detach", "detach_")


def bind_all() -> None:
    """Bind all methods and properties of this file to the class."""
    for name, value in {**METHODS, **PROPERTIES}.items():
        bind(name, value)
    for name, function in PROTOCOLS.items():
        setattr(OPERATORS, name, function)


bind_all()
__all__ = ["HookDict", "RemovableHandle", "Size", "Tensor"]
