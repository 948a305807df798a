"""Parameters and buffers: tensors that modules own."""

from __future__ import annotations

from typing import Any

from .._start.boundary import boundary
from .._tensor import Tensor
from .._tensor.attributes import disabled
from ..ops.create.placed import empty

__all__ = [
    "Buffer",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "UninitializedTensorMixin",
    "is_lazy",
]


class ParameterMeta(type):
    """Metaclass by which `isinstance` accepts tensors of other classes with the mark `_is_param`, as in torch."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if not isinstance(instance, Tensor):
            return False
        is_instance = type.__instancecheck__(cls, instance)
        return is_instance or (cls is Parameter and bool(getattr(instance, "_is_param", False)))


class Parameter(Tensor, metaclass=ParameterMeta):
    """A tensor that a module registers as its parameter when it is assigned to an attribute.

    For `data` of another subclass of Tensor the result is of that class; `isinstance` accepts it as a parameter, too.

    Args:
        data: tensor whose memory the parameter shares; an empty one if not given.
        requires_grad: whether operations on it are recorded, also when it is created under `no_grad`.

    Raises:
        TypeError: if `data` is not a tensor.
        RuntimeError: if `requires_grad` is True and the dtype is neither floating-point nor complex.
    """

    __torch_function__ = disabled
    _is_plain_parameter_ = True  # printing asks whether the class has this attribute itself, or inherits it

    @boundary
    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        """Return a parameter; for `data` of another subclass of Tensor, a tensor of that class with the mark."""
        if data is not None and not isinstance(data, Tensor):
            raise TypeError(f"Parameter(): data must be a Tensor, not {type(data).__name__}; use wengert.tensor(data)")
        if cls is Parameter and type(data) is not Tensor and data is not None:
            if not issubclass(type(data), (Parameter, Buffer)):
                return marked(data, requires_grad)
        parameter: Any = super().__new__(cls, *(() if data is None else (data,)))
        if requires_grad and not (parameter.dtype.is_floating_point or parameter.dtype.is_complex):
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        parameter.requires_grad = requires_grad
        return parameter

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.data.clone(), self.requires_grad)
        return memo[id(self)]


def marked(data: Tensor, requires_grad: bool = True) -> Tensor:
    """Return a parameter of the class of `data` that shares its memory.

    Raises:
        RuntimeError: if `data.detach()` returns a tensor of another class.
    """
    parameter: Any = data.detach().requires_grad_(requires_grad)
    if type(parameter) is not type(data):
        raise RuntimeError(
            f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() returns an "
            f"instance of the same type, but return type {type(parameter).__name__} was found instead. To use the type "
            "as a Parameter, please correct the detach() semantics defined by its __torch_dispatch__() implementation."
        )
    setattr(parameter, "_is_param", True)  # noqa: B010 - the class Tensor has no such attribute
    return parameter


class Buffer(Tensor):
    """A tensor that a module registers as its buffer when it is assigned to an attribute.

    Args:
        data: tensor whose memory the buffer shares; an empty one if not given.
        persistent: whether it is part of the module's `state_dict`.
    """

    __torch_function__ = disabled
    _is_plain_buffer_ = True
    persistent: bool

    @boundary
    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Any:
        """Return a buffer that shares the memory of `data`."""
        buffer: Any = super().__new__(cls, *(() if data is None else (data,)))
        buffer.persistent = persistent
        return buffer


FREE = frozenset(
    """
    byte char cls_to_become copy_ cpu cuda double float get_device half int is_complex is_floating_point long
    materialize share_memory_ short size to
    """.split()  # noqa: SIM905 - so that it can be read
)
"""Methods that may be called before there are values: conversions, and methods that set values."""


class UninitializedTensorMixin:
    """Mixin for parameters and buffers whose shape is not known yet: no values, and only a few methods."""

    cls_to_become: Any

    def __getattribute__(self, name: str) -> Any:
        attribute = super().__getattribute__(name)
        if name in FREE or name.startswith("_") or not callable(attribute):
            return attribute
        return refused(type(self).__name__, name)

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Allocate uninitialised memory, and become an ordinary parameter or buffer.

        Args:
            shape: the shape.
            device: "cpu".
            dtype: the dtype; unchanged if not given.
        """
        tensor: Any = self
        tensor.data = empty(tuple(shape), device=device, dtype=tensor.dtype if dtype is None else dtype)
        tensor.__class__ = tensor.cls_to_become

    @property
    def shape(self) -> Any:
        """Raise RuntimeError: the shape is not known.

        Raises:
            RuntimeError: always; the shape is not known.
        """
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call `forward` "
            "to initialize the parameters before accessing their attributes."
        )

    def share_memory_(self) -> Any:
        """Raise RuntimeError: there is no memory.

        Raises:
            RuntimeError: always; there is no memory to share.
        """
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the parameters "
            "before calling `module.share_memory()`."
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        return type(self), (getattr(self, "requires_grad"),)  # noqa: B009 - the mixin has none

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            tensor: Any = self
            memo[id(self)] = type(self)(tensor.requires_grad, tensor.device, tensor.dtype)  # type: ignore[call-arg]
        return memo[id(self)]


def refused(kind: str, name: str) -> Any:
    """Return a method that raises, for a tensor without values."""

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise ValueError(
            f"Attempted to use an uninitialized parameter in {name}. This error happens when you are using a "
            f"`LazyModule` or explicitly manipulating `torch.nn.parameter.{kind}` objects. When using LazyModules "
            "Call `forward` with a dummy batch to initialize the parameters before calling torch functions"
        )

    return refuse


for _sign in (
    *("add", "radd", "iadd", "sub", "rsub", "isub", "mul", "rmul", "imul", "truediv", "rtruediv", "itruediv", "pow"),
    *("rpow", "matmul", "rmatmul", "neg", "abs", "getitem", "setitem", "len", "iter", "bool", "float", "int", "array"),
    *("lt", "le", "gt", "ge"),
):
    setattr(UninitializedTensorMixin, f"__{_sign}__", refused("UninitializedParameter", f"__{_sign}__"))


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter whose shape is not known yet.

    Args:
        requires_grad: whether operations on it will be recorded.
        device: "cpu".
        dtype: dtype of the future values.

    >>> import wengert as wg
    >>> weight = wg.nn.UninitializedParameter()
    >>> weight
    <UninitializedParameter>
    >>> weight.materialize((2, 3))
    >>> type(weight).__name__, weight.shape
    ('Parameter', torch.Size([2, 3]))
    """

    cls_to_become = Parameter

    @boundary
    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Any:
        """Return a parameter without values."""
        return super().__new__(cls, empty(0, device=device, dtype=dtype), requires_grad)


class UninitializedBuffer(UninitializedTensorMixin, Buffer):
    """A buffer whose shape is not known yet.

    Args:
        requires_grad: whether operations on it will be recorded.
        device: "cpu".
        dtype: dtype of the future values.
        persistent: whether it is part of the module's `state_dict`.
    """

    cls_to_become = Buffer

    @boundary
    def __new__(
        cls, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True
    ) -> Any:
        """Return a buffer without values."""
        buffer = super().__new__(cls, empty(0, device=device, dtype=dtype), persistent=persistent)
        buffer.requires_grad = requires_grad
        return buffer


def is_lazy(param: Any) -> bool:
    """Return whether `param` is a parameter or buffer without values."""
    return isinstance(param, UninitializedTensorMixin)
