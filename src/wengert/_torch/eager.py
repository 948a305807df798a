"""Names of torch for symbolic numbers and branches of its compiler; here everything is computed at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from wengert._core.calls import overriding
from wengert._core.calls.asking import may_answer
from wengert._core.types.devices import contiguous_format
from wengert._core.types.dtypes import int64
from wengert._tensor import Tensor
from wengert.ops import asking
from wengert.ops.create.create import tensor

_IN_PACKAGE = (
    "SymBool",
    "SymFloat",
    "SymInt",
    "_assert",
    "_assert_async",
    "_check",
    "_check_index",
    "_check_is_size",
    "_check_not_implemented",
    "_check_tensor_all",
    "_check_tensor_all_with",
    "_check_type",
    "_check_value",
    "_check_with",
    "_shape_as_tensor",
    "_softmax_backward_data",
    "classes",
    "cond",
    "legacy_contiguous_format",
    "newaxis",
    "sym_float",
    "sym_int",
    "sym_ite",
    "sym_max",
    "sym_min",
    "sym_not",
    "sym_sqrt",
    "sym_sum",
    "while_loop",
)

newaxis = None


class SymInt:
    """A symbolic integer of torch's compiler. There are no instances here; programs use it in `isinstance`."""

    def __new__(cls, *args: Any) -> Any:
        """Refuse.

        Raises:
            TypeError: always; numbers are Python's here.
        """
        raise TypeError(f"torch.{cls.__name__}: there are no symbolic numbers here; use Python's")


class SymFloat(SymInt):
    """A symbolic float, see `SymInt`."""


class SymBool(SymInt):
    """A truth value of the kind that `SymInt` describes."""


def sym_int(a: int | float) -> int:
    """The number without its fraction.

    Args:
        a: a number.

    Examples:
        >>> import wengert as wg
        >>> wg.sym_int(2.7)
        2
    """
    return math.floor(a) if isinstance(a, float) and a >= 0 else int(a)


@asking
def sym_float(a: int | float) -> float:
    """The number as a float.

    Examples:
        >>> import wengert as wg
        >>> wg.sym_float(2)
        2.0
    """
    return float(a)


@asking
def sym_not(a: bool) -> bool:
    """Return whether `a`, a bool, is false.

    Examples:
        >>> import wengert as wg
        >>> wg.sym_not(True)
        False
    """
    if may_answer(a):
        raise TypeError(f"sym_not(): argument 'a' (position 1) must be bool, not {type(a).__name__}")
    return not a


@asking
def sym_max(a: int | float, b: int | float) -> int | float:
    """The greater number; a float if one of the two is.

    Args:
        a, b: numbers.

    Examples:
        >>> import wengert as wg
        >>> wg.sym_max(2, 3.0)
        3.0
    """
    return float(max(a, b)) if isinstance(a, float) or isinstance(b, float) else max(a, b)


@asking
def sym_min(a: int | float, b: int | float) -> int | float:
    """The smaller number; a float if one of the two is.

    Args:
        a, b: numbers.

    Examples:
        >>> import wengert as wg
        >>> wg.sym_min(2, 3.0)
        2.0
    """
    return float(min(a, b)) if isinstance(a, float) or isinstance(b, float) else min(a, b)


@asking
def sym_sum(args: Sequence[int | float]) -> int | float:
    """The sum of numbers.

    Args:
        args: an iterable of numbers.

    Examples:
        >>> import wengert as wg
        >>> wg.sym_sum([1, 2, 3])
        6
    """
    return sum(args)


@asking
def sym_sqrt(a: int | float) -> float:
    """The root of a number.

    Examples:
        >>> import wengert as wg
        >>> wg.sym_sqrt(9)
        3.0
    """
    return math.sqrt(a)


@asking
def sym_ite(b: bool, t: int | float, f: int | float) -> int | float:
    """`t` if the bool `b` is true, otherwise `f`, which is of the same type.

    Raises:
        AssertionError: if `b` is not a bool, or the types differ.

    Examples:
        >>> import wengert as wg
        >>> wg.sym_ite(True, 1, 2)
        1
    """
    if not isinstance(b, bool):
        raise AssertionError(f"expected SymBool or bool, got {type(b)}")
    if type(t) is not type(f):
        raise AssertionError(f"type mismatch: {type(t)} vs {type(f)}")
    return t if b else f


def cond(
    pred: bool | Tensor, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Sequence[Any] = ()
) -> Any:
    """Call one of two functions, depending on a predicate.

    Args:
        pred: a bool, or a tensor with one element.
        true_fn, false_fn: called with the operands if `pred` is true, or false.
        operands: a tuple of tensors, or containers of them.

    Returns:
        The result of the one that was called, with its gradients.

    Raises:
        RuntimeError: if `pred` is a number, or a tensor of several elements; a function cannot be called; the operands
            are no tuple.

    Examples:
        >>> import wengert as wg
        >>> wg.cond(wg.tensor(True), lambda x: x + 1, lambda x: x - 1, (wg.tensor([1.0]),))
        tensor([2.])
    """
    if not isinstance(pred, (bool, Tensor)):
        raise RuntimeError(f"Expected pred to be bool or tensor, but got {pred}.")
    if isinstance(pred, Tensor) and pred.numel() != 1:
        raise RuntimeError(f"Expected pred to be bool or single-element tensor, but got {pred}.")
    if not callable(true_fn) or not callable(false_fn):
        raise RuntimeError("Expect both branches to be callable.")
    if not isinstance(operands, (tuple, list)):
        raise RuntimeError(f"Expect operands to be a tuple of possibly nested dict/list/tuple, but got {operands}.")
    return true_fn(*operands) if pred else false_fn(*operands)


def while_loop(cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: Sequence[Any]) -> Any:
    """Call `body_fn` repeatedly with its last result, as long as `cond_fn` of that is true.

    Args:
        cond_fn: returns a bool, or a boolean tensor with one element.
        body_fn: returns a tuple of as many values as it takes.
        carried_inputs: tuple of the initial values.

    Returns:
        A tuple of the last values.

    Raises:
        RuntimeError: if `carried_inputs` is not a tuple, a function cannot be called, or `body_fn` returns another
            number of values.

    Examples:
        >>> import wengert as wg
        >>> wg.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (wg.tensor(0), wg.tensor([1.0])))
        (tensor(3), tensor([8.]))
    """
    if not callable(cond_fn) or not callable(body_fn):
        raise RuntimeError("Expect cond_fn and body_fn to be callable.")
    if not isinstance(carried_inputs, (tuple, list)):
        raise RuntimeError(f"Expect carried_inputs to be a tuple of possibly nested containers, got {carried_inputs}")
    carried = tuple(carried_inputs)
    while cond_fn(*carried):
        result = body_fn(*carried)
        result = tuple(result) if isinstance(result, (tuple, list)) else (result,)
        if len(result) != len(carried):
            raise RuntimeError(f"body_fn should return the same number of elements as carried_inputs, {len(carried)}")
        carried = result
    return carried


IMPROVE = "(Could this error message be improved? If so, please report an enhancement request to PyTorch.)"


def _check_with(error_type: type[Exception], cond: bool, message: Callable[[], str] | None) -> None:
    """Refuse where a condition does not hold.

    Args:
        error_type: type of the error.
        cond: a bool, no tensor.
        message: function that returns the message.

    Raises:
        TypeError: if `cond` is not a bool, or `message` cannot be called.
        error_type: if `cond` is false.
    """
    if isinstance(cond, Tensor):
        raise TypeError(
            "cond must be a bool, but got a Tensor. For tensor conditions, use torch._check_tensor_all() to assert "
            "that all elements are true."
        )
    if not isinstance(cond, bool):
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    refuse_unless(error_type, cond, message)


def refuse_unless(error_type: type[Exception], cond: bool, message: Callable[[], str] | None) -> None:
    """Raise an error unless a bool is true."""
    if cond:
        return
    if not (isinstance(error_type, type) and issubclass(error_type, Exception)) or issubclass(error_type, Warning):
        raise AssertionError(f"error_type must be a subclass of Exception but not Warning, got {error_type}")
    if message is not None and not callable(message):
        raise TypeError("message must be a callable")
    raise error_type(f"Expected cond to be True, but got False. {IMPROVE}" if message is None else str(message()))


def _check(cond: bool, message: Callable[[], str] | None = None) -> None:
    """Raise RuntimeError where a condition does not hold."""
    _check_with(RuntimeError, cond, message)


def _check_index(cond: bool, message: Callable[[], str] | None = None) -> None:
    """Raise IndexError where a condition does not hold."""
    _check_with(IndexError, cond, message)


def _check_value(cond: bool, message: Callable[[], str] | None = None) -> None:
    """Raise ValueError where a condition does not hold."""
    _check_with(ValueError, cond, message)


def _check_type(cond: bool, message: Callable[[], str] | None = None) -> None:
    """Raise TypeError where a condition does not hold."""
    _check_with(TypeError, cond, message)


def _check_not_implemented(cond: bool, message: Callable[[], str] | None = None) -> None:
    """Raise NotImplementedError where a condition does not hold."""
    _check_with(NotImplementedError, cond, message)


def _check_is_size(i: int, message: Callable[[], str] | None = None, *, max: int | None = None) -> None:
    """Raise RuntimeError if a number is not a valid length: negative, or above `max`."""
    if isinstance(i, Tensor):
        _check(i, message)  # refused, with what to do
    _check(i >= 0 and (max is None or i <= max), message)


def _check_tensor_all_with(error_type: type[Exception], cond: Tensor, message: Callable[[], str] | None = None) -> None:
    """Raise an error where not all elements of a bool tensor are true.

    Args:
        error_type: type of the error.
        cond: a tensor of bools.
        message: function that returns the message.

    Raises:
        TypeError: if `cond` is not a boolean tensor, or `message` cannot be called.
        error_type: if an element is false.
    """
    if not isinstance(cond, Tensor):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond.dtype.name != "bool":
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    refuse_unless(error_type, bool(cond.all()), message)


def _check_tensor_all(cond: Tensor, message: Callable[[], str] | None = None) -> None:
    """Raise RuntimeError where not all elements of a bool tensor are true."""
    _check_tensor_all_with(RuntimeError, cond, message)


def _assert(condition: Any, message: str) -> None:
    """Raise AssertionError where a condition, a bool or a tensor of one, does not hold."""
    if type(condition) not in (bool, Tensor) and overriding.is_asked(condition):
        overriding.of_python(_assert, (condition,), (condition, message), {})
    elif not condition:
        raise AssertionError(message)


def _assert_async(self: Tensor, assert_msg: str | None = None) -> None:
    """Raise RuntimeError where the one element of a tensor is zero or False.

    Args:
        self: a tensor of one element.
        assert_msg: message of the error.

    >>> import wengert as wg
    >>> _assert_async(wg.tensor(True))
    """
    if not self:
        raise RuntimeError(assert_msg or "Expected Tensor with single nonzero value, but got zero")


legacy_contiguous_format = contiguous_format
"""Older name of the function."""


def _shape_as_tensor(self: Tensor) -> Any:
    """The lengths of the dimensions as an int64 tensor."""
    return tensor(list(self.shape), dtype=int64)


def _softmax_backward_data(grad_output: Any, output: Any, dim: int, input_dtype: Any) -> Any:
    """The gradient of `softmax` by its input.

    Args:
        grad_output: the gradient of the result.
        output: the result.
        dim: along which it sums to 1.
        input_dtype: the dtype of the input.
    """
    share = grad_output * output
    return (share - output * share.sum(dim, keepdim=True)).to(input_dtype)


class ScriptClasses:
    """`torch.classes`: classes that shared libraries bring, which cannot be loaded here.

    Args:
        path: the namespace, or "" for all of them.
    """

    def __init__(self, path: str = "") -> None:
        self._path = path

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if not self._path:
            return ScriptClasses(name)
        raise RuntimeError(
            f"Tried to instantiate class '{self._path}.{name}', but it does not exist: such classes are in shared "
            "libraries for torch's own library, which is not there"
        )

    def load_library(self, path: str) -> None:
        """Raise OSError, as `ops.load_library` does for a library that the package does not know.

        Raises:
            OSError: always; such libraries need torch's own library.
        """
        raise OSError(f"torch.classes.load_library: {path} needs torch's own library, which is not there")


classes = ScriptClasses()
"""`torch.classes`."""
