"""Boxes: the arguments of a function while it is differentiated.

A box holds a tensor and behaves as the NumPy array of its values. NumPy's own functions call this module for boxes, by
NumPy's two protocols: a function with a rule is computed with tensors and returns a box, a function that is constant
almost everywhere is computed with the values and returns plain arrays, all others are refused by name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._tensor import Tensor
from ...autograd.containers import mapped
from ...autograd.variables import is_followed
from ...ops.create.interchange import from_numpy

RULES: dict[Any, Callable[..., Any]] = {}
"""Rules: for each differentiable NumPy function, the function that computes it for boxes."""
CONSTANT: set[Any] = set()
"""NumPy functions whose derivative does not exist, or is zero almost everywhere; they return plain arrays."""

RUNNING: set[Any] = set()
"""The functions that are being differentiated, in any thread. Outside of all there are no boxes, even where the graph
of a derivative that has ended is used once more (a vector-Jacobian product of a vector-Jacobian product).
"""


class ArrayBox:
    """An array that is being differentiated. Functions receive boxes as arguments; programs never create one.

    Attributes:
        tensor: the tensor in the box.
    """

    __slots__ = ("__weakref__", "tensor")
    __array_priority__ = 100.0

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor

    shape = property(lambda self: tuple(self.tensor.shape), doc="The lengths of the dimensions.")
    ndim = property(lambda self: self.tensor.ndim, doc="How many dimensions there are.")
    size = property(lambda self: self.tensor.numel(), doc="How many elements there are.")
    dtype = property(lambda self: self.tensor._array_.dtype, doc="NumPy's data type of the elements.")
    _value = property(lambda self: getval(self), doc="The values, as `getval` returns them.")
    T = property(lambda self: dispatch(np.transpose, (self,), {}), doc="The transposed array.")
    real = property(lambda self: dispatch(np.real, (self,), {}), doc="The real part.")
    imag = property(lambda self: dispatch(np.imag, (self,), {}), doc="The imaginary part.")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__":
            ufunc = METHODS.get((ufunc, method), getattr(ufunc, method))
        return dispatch(ufunc, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        return dispatch(function, args, options)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError(
            "a value that is being differentiated cannot become an ordinary array, which would lose its derivative: "
            "make arrays of it by the functions of wengert.compat.hips.numpy (np.array([x, y]), np.concatenate), "
            "or take its value by getval(x)"
        )

    def __getitem__(self, index: Any) -> Any:
        return dispatch(ArrayBox.__getitem__, (self, index), {})

    def __len__(self) -> int:
        return len(getval(self))

    def __iter__(self) -> Any:
        return (self[index] for index in range(len(self)))

    def __bool__(self) -> bool:
        return bool(getval(self))

    def __contains__(self, value: Any) -> bool:
        return getval(value) in getval(self)

    def __hash__(self) -> int:
        return id(self)

    def __str__(self) -> str:
        return f"Autograd ArrayBox with value {getval(self)}"

    def astype(self, dtype: Any, *args: Any, **options: Any) -> Any:
        """Return the values in another data type: a box if that has derivatives, else a plain array."""
        return dispatch(ArrayBox.astype, (self, dtype), {})

    def flatten(self, order: Any = "C") -> Any:
        """Return the elements in one dimension."""
        return dispatch(np.ravel, (self, order), {})

    def dot(self, other: Any) -> Any:
        """Return `np.dot` of this and another array."""
        return dispatch(np.dot, (self, other), {})

    def reshape(self, *shape: Any, order: Any = "C") -> Any:
        """Return the elements in another shape, given as lengths or as a tuple."""
        return dispatch(np.reshape, (self, shape[0] if len(shape) == 1 else shape), {"order": order})

    def transpose(self, *axes: Any) -> Any:
        """Permute the dimensions; the order is given as numbers or as a tuple."""
        order = axes[0] if len(axes) == 1 else (axes or None)
        return dispatch(np.transpose, (self, order), {})

    def compress(self, condition: Any, axis: Any = None) -> Any:
        """Return the parts where the condition is true."""
        return dispatch(np.compress, (condition, self, axis), {})

    def item(self) -> Any:
        """Return the value of the only element."""
        return getval(self).item()


METHODS = {(np.add, "reduce"): np.sum, (np.multiply, "reduce"): np.prod, (np.add, "accumulate"): np.cumsum}
"""Methods of ufuncs, with the functions that compute them."""


def dispatch(function: Any, args: Any, options: dict[str, Any]) -> Any:
    """Compute a NumPy function with boxes among its arguments.

    Raises:
        NotImplementedError: if the function has no rule.
        TypeError: if a box would have to be written into an ordinary array.
    """
    rule = RULES.get(function)
    if rule is not None:
        if options.get("out") is not None:
            raise TypeError(
                f"{name_of(function)}: `out` (or an operator as `a += x` with an array `a`) would write a value that "
                "is being differentiated into an ordinary array, where its derivative is lost; write `a = a + x`"
            )
        return boxed(rule(*args, **options))
    if function in CONSTANT:
        return function(*mapped(getval, tuple(args)), **mapped(getval, options))
    raise NotImplementedError(
        f"wengert.compat.hips has no derivative of NumPy's {name_of(function)}: express it by other functions, define "
        "one with primitive and defvjp, or compute it from the value, getval(x)"
    )


def name_of(function: Any) -> str:
    """Return the name of a function, as far as it is known."""
    return getattr(function, "__name__", str(function))


def getval(value: Any) -> Any:
    """Return the plain array (or NumPy number) in a box; other values are returned unchanged."""
    return plain(value.tensor) if isinstance(value, ArrayBox) else value


def shape_of(value: Any) -> tuple[int, ...]:
    """Return the shape of a box, a tensor, an array or a number, without computing values."""
    return tuple(value.shape) if isinstance(value, (ArrayBox, Tensor)) else np.shape(value)


def isbox(value: Any) -> bool:
    """Return whether a value is a box."""
    return isinstance(value, ArrayBox)


def has_box(value: Any) -> bool:
    """Return whether there is a box in nested lists and tuples."""
    if isinstance(value, (list, tuple)):
        return any(has_box(item) for item in value)
    return isinstance(value, ArrayBox)


def plain(tensor: Any) -> Any:
    """Return the values of a tensor: an array, or a NumPy number if it has no dimensions."""
    return tensor.detach().numpy()[()]


def boxed(value: Any) -> Any:
    """Convert tensors, also in containers, to boxes, or to values if they are not being differentiated."""
    if isinstance(value, Tensor):
        return ArrayBox(value) if RUNNING and is_followed(value) else plain(value)
    if isinstance(value, (list, tuple)):
        return type(value)(*map(boxed, value)) if hasattr(value, "_fields") else type(value)(map(boxed, value))
    return value


def tensor_of(value: Any) -> Any:
    """Return the tensor of a box, or a tensor that shares the memory of an array; tensors are returned unchanged.

    Raises:
        TypeError: if no dtype of tensors corresponds to the data type.
    """
    if isinstance(value, ArrayBox):
        return value.tensor
    if isinstance(value, Tensor):
        return value
    array = np.asarray(value)
    if array.dtype.kind not in "biufc" or array.dtype.itemsize > (16 if array.dtype.kind == "c" else 8):
        raise TypeError(f"expected an array of numbers of at most 64 bits, but got one of {array.dtype}")
    native = array.dtype.newbyteorder("=")
    if any(step < 0 for step in array.strides) or not array.flags.writeable or array.dtype != native:
        array = array.astype(native, order="C", copy=True)
    return from_numpy(array)


def rule(*functions: Any) -> Callable[[Any], Any]:
    """Register the decorated function as the rule of NumPy functions; it returns tensors, or containers of them."""

    def register(body: Any) -> Any:
        RULES.update(dict.fromkeys(functions, body))
        return body

    return register


OPERATORS = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.true_divide,
    "pow": np.power,
    "mod": np.mod,
    "matmul": np.matmul,
    "floordiv": np.floor_divide,
}
COMPARISONS = {
    "eq": np.equal,
    "ne": np.not_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lt": np.less,
    "le": np.less_equal,
}
UNARY = {"neg": np.negative, "pos": np.positive, "abs": np.absolute}
MEMBERS = (
    *("all", "any", "argmax", "argmin", "argpartition", "argsort", "nonzero", "searchsorted", "round", "clip"),
    *("cumprod", "cumsum", "diagonal", "max", "mean", "min", "prod", "ptp", "ravel", "repeat", "squeeze"),
    *("std", "sum", "swapaxes", "take", "trace", "var", "conj", "conjugate", "copy"),
)
"""Methods that are NumPy's functions of the same name."""


def calling(function: Any) -> Any:
    """Return a method that calls a NumPy function."""

    def method(self: Any, *args: Any, **options: Any) -> Any:
        return function(self, *args, **options)

    return method


def reflected(function: Any) -> Any:
    """Return the reflected method of an operator, whose first operand is not a box."""

    def method(self: Any, other: Any) -> Any:
        return function(other, self)

    return method


def set_up() -> None:
    """Add operators and methods to the class."""
    for name, function in (OPERATORS | COMPARISONS | UNARY).items():
        setattr(ArrayBox, f"__{name}__", calling(function))
    for name, function in OPERATORS.items():
        setattr(ArrayBox, f"__r{name}__", reflected(function))
    for name in MEMBERS:
        setattr(ArrayBox, name, calling(getattr(np, name)))


set_up()
CONSTANT.update(
    {
        *COMPARISONS.values(),
        *(np.floor, np.ceil, np.round, np.around, np.rint, np.fix, np.trunc, np.floor_divide, np.sign, np.signbit),
        *(np.all, np.any, np.argmax, np.argmin, np.argpartition, np.argsort, np.argwhere, np.nonzero, np.lexsort),
        *(np.flatnonzero, np.count_nonzero, np.searchsorted, np.digitize, np.ndim, np.shape, np.size),
        *(np.logical_and, np.logical_or, np.logical_not, np.logical_xor, np.isfinite, np.isinf, np.isnan),
        *(np.isneginf, np.isposinf, np.allclose, np.isclose, np.array_equal, np.array_equiv, np.iscomplexobj),
        *(np.iscomplex, np.isreal, np.isrealobj, np.result_type, np.zeros_like, np.ones_like, np.empty_like),
        *(np.heaviside, np.nanargmax, np.nanargmin, np.array_repr, np.array_str, np.array2string, np.may_share_memory),
    }
)
