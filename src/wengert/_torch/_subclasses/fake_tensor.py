"""`torch._subclasses.fake_tensor`: tensors that say that they are on a device and have no values.

A call with such tensors runs on the device "meta", so that it takes neither time nor memory, and its result says that
it is on the device of the arguments.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from wengert._tensor import Tensor
from wengert._tensor.attributes import device as Device
from wengert.ops.namespaces import NAMESPACES
from wengert.utils._python_dispatch import TorchDispatchMode, _disable_current_modes, is_traceable_wrapper_subclass
from wengert.utils._pytree import tree_leaves, tree_map
from wengert.utils.weak import WeakIdKeyDictionary

DATA_DEPENDENT = frozenset(("_local_scalar_dense", "equal", "is_nonzero"))
"""Operators whose result is a number that depends on values."""
DYNAMIC = frozenset(("bincount", "masked_select", "nonzero", "unique_consecutive", "unique_dim", "_unique2"))
"""Operators whose result has a shape that depends on values."""
CPU = Device("cpu")


class UnsupportedFakeTensorException(RuntimeError):  # noqa: N818 - torch's name
    """A tensor of a kind that has no tensor without values."""


class UnsupportedOperatorException(RuntimeError):  # noqa: N818 - torch's name
    """An operator whose result is not known without values."""

    def __init__(self, func: Any) -> None:
        super().__init__(func)
        self.func = func


class DynamicOutputShapeException(UnsupportedOperatorException):
    """An operator whose result has a shape that values decide."""


class DataDependentOutputException(UnsupportedOperatorException):
    """An operator whose result is a number that values decide."""


class FakeTensor(Tensor):
    """A tensor without values, as `FakeTensorMode.from_tensor` and factories within a `FakeTensorMode` make it.

    Args:
        fake_mode: the mode that it belongs to.
        elem: a tensor on the device "meta".
        device: device that it reports.
        constant: a tensor with its values, if the program has set them.

    Attributes:
        fake_mode, fake_device, constant: as above.
    """

    fake_mode: FakeTensorMode
    fake_device: Device
    constant: Any
    _elem: Any

    @staticmethod
    def __new__(cls: Any, fake_mode: FakeTensorMode, elem: Any, device: Any, constant: Any = None) -> Any:
        """Make one.

        Raises:
            AssertionError: if `elem` is not on the device "meta".
        """
        if elem.device.type != "meta":
            raise AssertionError(f"FakeTensor: elem must be on the device 'meta', not on {elem.device}")
        place = Device(device) if isinstance(device, str) else device
        fake: Any = Tensor._make_wrapper_subclass(  # type: ignore[attr-defined]
            cls,
            tuple(elem.shape),
            strides=elem.stride(),
            storage_offset=elem.storage_offset(),
            dtype=elem.dtype,
            device=place,
        )
        fake._elem, fake.fake_mode, fake.fake_device, fake.constant = elem, fake_mode, place, constant
        return fake

    @staticmethod
    def from_tensor(t: Any, fake_mode: FakeTensorMode) -> Any:
        """Return a tensor without values with the attributes of `t`."""
        return fake_mode.from_tensor(t)

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        fake = next(leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, FakeTensor))
        return fake.fake_mode.dispatch(func, types, args, kwargs)


class FakeTensorMode(TorchDispatchMode):
    """Mode of tensors without values; within it factories create such tensors.

    Args:
        allow_fallback_kernels: ignored: nothing is run on values.
        allow_non_fake_inputs: accept tensors with values in calls, which are refused otherwise.
        shape_env: must be None: sizes are numbers here, not symbols.
        static_shapes, export: ignored: sizes are numbers.

    >>> import wengert as wg
    >>> from wengert._subclasses import FakeTensorMode
    >>> mode = FakeTensorMode()
    >>> x = mode.from_tensor(wg.ones(2, 3))
    >>> x @ x.t()
    FakeTensor(..., size=(2, 2))
    >>> with mode:
    ...     wg.zeros(10**9).sum()
    FakeTensor(..., size=())
    """

    def __init__(
        self,
        *,
        allow_fallback_kernels: bool = True,
        allow_non_fake_inputs: bool = False,
        shape_env: Any = None,
        static_shapes: bool | None = None,
        export: bool = False,
    ) -> None:
        super().__init__()
        if shape_env is not None:
            raise NotImplementedError("FakeTensorMode: shape_env must be None: sizes are numbers here, not symbols")
        self.allow_fallback_kernels, self.allow_non_fake_inputs = allow_fallback_kernels, allow_non_fake_inputs
        self.shape_env, self.static_shapes, self.export = None, True, export
        self._known = WeakIdKeyDictionary()

    def from_tensor(
        self, tensor: Any, *, static_shapes: bool | None = None, source: Any = None, symbolic_context: Any = None
    ) -> Any:
        """Return a tensor without values with the attributes of `tensor`; the same result for the same tensor.

        Raises:
            UnsupportedFakeTensorException: if it is sparse, or of a class with a `__torch_dispatch__`.
        """
        if isinstance(tensor, FakeTensor) and tensor.fake_mode is self:
            return tensor
        known = self._known.get(tensor)
        if known is None:
            known = self._known[tensor] = self._begin(tensor)
        return known

    def _begin(self, tensor: Any) -> Any:
        if tensor.layout.name != "strided" or is_traceable_wrapper_subclass(tensor):
            raise UnsupportedFakeTensorException(f"FakeTensorMode: there is no FakeTensor of a {type(tensor).__name__}")
        with _disable_current_modes():
            elem = tensor._elem if isinstance(tensor, FakeTensor) else tensor.detach().to("meta")
            fake = FakeTensor(self, elem, tensor.device)
        fake.requires_grad = tensor.requires_grad
        if getattr(tensor, "_is_param", False) or hasattr(type(tensor), "_is_plain_parameter_"):
            fake._is_param = True
        return fake

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if any(isinstance(leaf, FakeTensor) for leaf in tree_leaves((args, kwargs))):
            return func(*args, **(kwargs or {}))  # the class is told
        return self.dispatch(func, types, args, kwargs)

    def dispatch(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Return the results of a call as tensors without values.

        Raises:
            AssertionError: if tensors with values are among the arguments, and these are not allowed.
            DataDependentOutputException, DynamicOutputShapeException: if values decide the result or its shape.
            UnsupportedOperatorException: if the result is not known without values.
            RuntimeError: if the arguments are on several devices.
        """
        args, options = tuple(args), dict(kwargs or {})
        name = func.overloadpacket.__name__
        if name == "lift_fresh":
            return self._constant(args[0])
        if name == "_local_scalar_dense" and args[0].constant is not None:
            return args[0].constant.item()
        refuse_values(func, name, args)
        args, options = tree_map(lambda value: self._taken(func, value), (args, options))
        place = options.get("device") or place_of(func, tree_leaves((args, options)))
        if "device" in options or not any(isinstance(leaf, FakeTensor) for leaf in tree_leaves((args, options))):
            options["device"] = "meta"
        plain_args, plain_options = tree_map(
            lambda value: value._elem if isinstance(value, FakeTensor) else value, (args, options)
        )
        try:
            result = func(*plain_args, **plain_options)
        except NotImplementedError as error:
            raise UnsupportedOperatorException(func) from error
        if args and isinstance(args[0], FakeTensor) and result is args[0]._elem:  # a write
            args[0].constant = None
            return args[0]
        return tree_map(lambda value: FakeTensor(self, value, place) if isinstance(value, Tensor) else value, result)

    def _constant(self, tensor: Any) -> Any:
        """Return a tensor whose values the program has set."""
        fake = self.from_tensor(tensor)
        fake.constant = tensor
        return fake

    def _taken(self, func: Any, value: Any) -> Any:
        """An argument of a call, without values if it is a tensor.

        Raises:
            AssertionError: if it has values, and these are not allowed.
        """
        if not isinstance(value, Tensor) or isinstance(value, FakeTensor):
            return value
        if not self.allow_non_fake_inputs:
            raise AssertionError(
                "Please convert all Tensors to FakeTensors first or instantiate FakeTensorMode with "
                f"'allow_non_fake_inputs'. Found in {func}"
            )
        return self.from_tensor(value)


def refuse_values(func: Any, name: str, args: tuple[Any, ...]) -> None:
    """Refuse operators whose result, or its shape, depends on values.

    Raises:
        DataDependentOutputException, DynamicOutputShapeException: if it is such an operator.
    """
    if name in DATA_DEPENDENT:
        raise DataDependentOutputException(func)
    masks = name == "index" and any(
        isinstance(leaf, Tensor) and not leaf.dtype.itemsize > 1 for leaf in tree_leaves(args[1])
    )
    if name in DYNAMIC or masks:
        raise DynamicOutputShapeException(NAMESPACES["aten"].nonzero.default if masks else func)


def place_of(func: Any, values: list[Any]) -> Device:
    """The device of the tensors without values among arguments; one of a number on the CPU counts for nothing.

    Raises:
        RuntimeError: if there are several devices.
    """
    place = CPU
    decided = False
    for value in values:
        if not isinstance(value, FakeTensor) or (decided and value.ndim == 0 and value.fake_device == CPU):
            continue
        if decided and value.fake_device != place:
            raise RuntimeError(
                f"Unhandled FakeTensor Device Propagation for {func}, found two different devices {place}, "
                f"{value.fake_device}"
            )
        place, decided = value.fake_device, decided or value.ndim > 0 or value.fake_device != CPU
    return place


def is_fake(x: Any) -> bool:
    """Return whether a value is a tensor without values, or contains one."""
    if isinstance(x, FakeTensor):
        return True
    if is_traceable_wrapper_subclass(x):
        return all(is_fake(getattr(x, name)) for name in x.__tensor_flatten__()[0])
    return False


def maybe_get_fake_mode(t: Any) -> Any:
    """The mode of a tensor without values; None for anything else."""
    return t.fake_mode if isinstance(t, FakeTensor) else None


@contextmanager
def unset_fake_temporarily() -> Iterator[Any]:
    """Context without the active dispatch modes; its value is the innermost `FakeTensorMode` among them, or None."""
    with _disable_current_modes() as off:
        yield next((mode for mode in reversed(off) if isinstance(mode, FakeTensorMode)), None)


__all__ = [
    "DataDependentOutputException",
    "DynamicOutputShapeException",
    "FakeTensor",
    "FakeTensorMode",
    "UnsupportedFakeTensorException",
    "UnsupportedOperatorException",
    "is_fake",
    "maybe_get_fake_mode",
    "unset_fake_temporarily",
]
