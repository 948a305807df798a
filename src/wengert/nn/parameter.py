"""Parameters and buffers: tensors that modules own."""

from __future__ import annotations

from typing import Any

from .._start.boundary import boundary
from .._tensor import Tensor
from .._tensor.attributes import disabled
from ..ops.create.placed import empty


class ParameterMeta(type):
    """What makes tensors of a program's own classes parameters: the mark `_is_param`, as torch has it."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if not isinstance(instance, Tensor):
            return False
        own = type.__instancecheck__(cls, instance)
        return own or (cls is Parameter and bool(getattr(instance, "_is_param", False)))


class Parameter(Tensor, metaclass=ParameterMeta):
    """A tensor that a module registers as its parameter when it is assigned to an attribute.

    Of a tensor of a program's own class it is one of that class, which `isinstance` takes for a parameter, too.

    Args:
        data: tensor whose memory the parameter shares; an empty one if not given.
        requires_grad: whether operations on it are recorded, also when it is made under `no_grad`.

    Raises:
        TypeError: `data` is not a tensor.
        RuntimeError: a gradient is required of integers or booleans.
    """

    __torch_function__ = disabled
    _is_plain_parameter_ = True  # printing asks whether the class itself has it, or one that it stands on

    @boundary
    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        """A parameter; where `data` is of a program's own class, a tensor of that class with the mark."""
        if data is not None and not isinstance(data, Tensor):
            raise TypeError(f"Parameter(): data must be a Tensor, not {type(data).__name__}; use wengert.tensor(data)")
        if cls is Parameter and type(data) is not Tensor and data is not None:
            if not issubclass(type(data), (Parameter, Buffer)):
                return marked(data, requires_grad)
        made: Any = super().__new__(cls, *(() if data is None else (data,)))
        if requires_grad and not (made.dtype.is_floating_point or made.dtype.is_complex):
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        made.requires_grad = requires_grad
        return made

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.data.clone(), self.requires_grad)  # type: ignore[attr-defined]
        return memo[id(self)]  # type: ignore[no-any-return]


def marked(data: Tensor, requires_grad: bool = True) -> Tensor:
    """A parameter of the class of `data`, on the same memory.

    Raises:
        RuntimeError: `detach()` of that class gives another one.
    """
    made: Any = data.detach().requires_grad_(requires_grad)  # type: ignore[attr-defined]
    if type(made) is not type(data):
        raise RuntimeError(
            f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() returns an "
            f"instance of the same type, but return type {type(made).__name__} was found instead. To use the type as a "
            "Parameter, please correct the detach() semantics defined by its __torch_dispatch__() implementation."
        )
    setattr(made, "_is_param", True)  # noqa: B010 - no tensor has it by itself
    return made  # type: ignore[no-any-return]


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
        """A buffer on the memory of `data`."""
        made: Any = super().__new__(cls, *(() if data is None else (data,)))
        made.persistent = persistent
        return made


FREE = frozenset(
    """
    byte char cls_to_become copy_ cpu cuda double float get_device half int is_complex is_floating_point long
    materialize share_memory_ short size to
    """.split()  # noqa: SIM905 - so that it can be read
)
"""Methods that may be called before there are values: conversions, and what gives values."""


class UninitializedTensorMixin:
    """What parameters and buffers share whose shape is not known yet: there are no values, and next to no methods."""

    cls_to_become: Any

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name in FREE or name.startswith("_") or not callable(found):
            return found
        return refused(type(self).__name__, name)

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Give it memory, without values, and make it an ordinary parameter or buffer.

        Args:
            shape: its shape.
            device: "cpu".
            dtype: its dtype; the one that it has unless given.
        """
        tensor: Any = self
        tensor.data = empty(tuple(shape), device=device, dtype=tensor.dtype if dtype is None else dtype)
        tensor.__class__ = tensor.cls_to_become

    @property
    def shape(self) -> Any:
        """Refused: there is none.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call `forward` "
            "to initialize the parameters before accessing their attributes."
        )

    def share_memory_(self) -> Any:
        """Refused: there is no memory.

        Raises:
            RuntimeError: always.
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
    """A method of what has no values."""

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


class UninitializedParameter(UninitializedTensorMixin, Parameter):  # type: ignore[misc]
    """A parameter whose shape is not known yet.

    Args:
        requires_grad: whether operations on it will be recorded.
        device: "cpu".
        dtype: of the values that it will have.

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
        """A parameter without values."""
        return super().__new__(cls, empty(0, device=device, dtype=dtype), requires_grad)


class UninitializedBuffer(UninitializedTensorMixin, Buffer):  # type: ignore[misc]
    """A buffer whose shape is not known yet.

    Args:
        requires_grad: as of any tensor.
        device: "cpu".
        dtype: of the values that it will have.
        persistent: whether it is part of the module's `state_dict`.
    """

    cls_to_become = Buffer

    @boundary
    def __new__(
        cls, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True
    ) -> Any:
        """A buffer without values."""
        made = super().__new__(cls, empty(0, device=device, dtype=dtype), persistent=persistent)
        made.requires_grad = requires_grad
        return made


def is_lazy(param: Any) -> bool:
    """Whether it is a parameter or buffer without values."""
    return isinstance(param, UninitializedTensorMixin)
