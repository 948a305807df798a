"""The class Module, base of all layers and networks."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from ..._start.boundary import boundary, guarded
from ..._tensor import Tensor
from ...autograd import no_grad
from ...ops.create.placed import empty_like
from .conversion import NO_DATA, converted, read_to
from .global_hooks import (
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from .hooking import Hooking
from .state import (
    EXTRA_STATE as _EXTRA_STATE_KEY_SUFFIX,  # noqa: F401 - transformers asks for it here
    _IncompatibleKeys as _IncompatibleKeys,
)
from .utils import keep_functions

__all__ = [
    "Module",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]

Self = TypeVar("Self", bound="Module")
T_destination = TypeVar("T_destination", bound=dict[str, Any])


class Module(Hooking):
    """Base of all layers and networks: holds parameters, buffers and other modules, and is called like a function.

    A subclass calls `super().__init__()`, assigns parameters and modules to attributes, and defines `forward`.

    Attributes:
        training: whether layers such as dropout behave as in training; set by `train()` and `eval()`.
        call_super_init: whether `__init__` goes on to the next class, which then gets its arguments.

    >>> import wengert as wg
    >>> class Double(wg.nn.Module):
    ...     def forward(self, x):
    ...         return x * 2
    >>> Double()(wg.tensor(3.0))
    tensor(6.)
    """

    _options_shown: ClassVar[tuple[str, ...]] = ()
    """Names of the attributes that `extra_repr` shows."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        keep_functions(cls)
        guarded(cls)
        cls._fill_slots()

    # ---- modes and gradients -----------------------------------------------------------------------------------------

    def train(self: Self, mode: bool = True) -> Self:
        """Switch this module and all below it to training (or, with False, to evaluation).

        Raises:
            ValueError: if `mode` is not a bool.
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self: Self) -> Self:
        """Switch this module and all below it to evaluation."""
        return self.train(False)

    def requires_grad_(self: Self, requires_grad: bool = True) -> Self:
        """Set `requires_grad` of all parameters."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Reset the gradients of all parameters: to None, or to zero."""
        for parameter in self.parameters():
            reset_grad(parameter, set_to_none)

    # ---- conversions -------------------------------------------------------------------------------------------------

    def apply(self: Self, fn: Callable[[Any], None]) -> Self:
        """Call `fn` with every module below this one and then with this one."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self: Self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Replace the values of each parameter, gradient and buffer by `fn` of it; parameters stay the same objects,
        unless `torch.__future__` says otherwise."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        for name, parameter in self._parameters.items():
            if parameter is not None:
                with no_grad():
                    grad = parameter.grad
                    value, grad_value = fn(parameter), None if grad is None else fn(grad)  # before anything is written
                    self._parameters[name] = converted(parameter, value, grad_value, f"{self._get_name()}.{name}")
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    @boundary
    def to(self: Self, *args: Any, **kwargs: Any) -> Self:
        """Convert parameters and buffers: `to(dtype)`, `to(device)`, `to(device, dtype)` or `to(tensor)`.

        The dtype changes for floating-point and complex tensors only, the `memory_format` for those of rank 4 and 5
        only. The module itself is changed and returned.

        Raises:
            TypeError: if the arguments have none of these forms, or the dtype is neither floating-point nor complex.
            RuntimeError: if `copy` is given, or the device is not available.
        """
        target, wanted, layout = read_to(args, kwargs)

        def convert(tensor: Tensor) -> Tensor:
            kind = wanted if is_inexact(tensor) else None
            if tensor.is_meta and target is not None and target.type != "meta":
                raise NotImplementedError(NO_DATA)
            return tensor.to(target, kind, memory_format=layout if tensor.ndim in (4, 5) else None)

        return self if target is wanted is layout is None else self._apply(convert)

    def to_empty(self: Self, *, device: Any, recurse: bool = True) -> Self:
        """Give parameters and buffers new memory without values, on the CPU; on "meta" they have no memory."""
        return self._apply(lambda tensor: empty_like(tensor, device=device), recurse)

    def share_memory(self: Self) -> Self:
        """Move parameters and buffers to memory that other processes see, as by `Tensor.share_memory_`."""
        return self._apply(lambda tensor: tensor.share_memory_())

    def type(self: Self, dst_type: Any) -> Self:
        """Convert all parameters and buffers to a dtype."""
        return self._apply(lambda tensor: tensor.type(dst_type))

    def float(self: Self) -> Self:
        """Convert floating-point parameters and buffers to float32."""
        return self._apply(lambda tensor: tensor.float() if tensor.dtype.is_floating_point else tensor)

    def double(self: Self) -> Self:
        """Convert floating-point parameters and buffers to float64."""
        return self._apply(lambda tensor: tensor.double() if tensor.dtype.is_floating_point else tensor)

    def half(self: Self) -> Self:
        """Convert floating-point parameters and buffers to float16."""
        return self._apply(lambda tensor: tensor.half() if tensor.dtype.is_floating_point else tensor)

    def bfloat16(self: Self) -> Self:
        """Convert floating-point parameters and buffers to bfloat16."""
        return self._apply(lambda tensor: tensor.bfloat16() if tensor.dtype.is_floating_point else tensor)

    def cpu(self: Self) -> Self:
        """Return the module itself: it is on the CPU already."""
        return self

    def cuda(self: Self, device: Any = None) -> Self:
        """Raise as `Tensor.cuda` does, unless there is nothing to move."""
        return self._apply(lambda tensor: tensor.cuda(device))

    def xpu(self: Self, device: Any = None) -> Self:
        """Raise as `Tensor.xpu` does, unless there is nothing to move."""
        return self._apply(lambda tensor: tensor.xpu(device))

    def ipu(self: Self, device: Any = None) -> Self:
        """Raise as `Tensor.ipu` does, unless there is nothing to move."""
        return self._apply(lambda tensor: tensor.ipu(device))

    def mtia(self: Self, device: Any = None) -> Self:
        """Raise as `Tensor.mtia` does, unless there is nothing to move."""
        return self._apply(lambda tensor: tensor.mtia(device))

    def _replicate_for_data_parallel(self: Self) -> Self:
        """Return a copy that shares buffers, children and hooks, and has no parameters; a replica starts from it."""
        replica = self.__new__(builtins.type(self))
        shared = {"_parameters": {}, "_buffers": self._buffers.copy(), "_modules": self._modules.copy()}
        vars(replica).update(vars(self), _is_replica=True, **shared)
        return replica

    # ---- printing ----------------------------------------------------------------------------------------------------

    def _get_name(self) -> str:
        return builtins.type(self).__name__

    def extra_repr(self) -> str:
        """Return the text in the brackets of `repr` before the children; for subclasses.

        For layers of the package these are the attributes that `_options_shown` names.
        """
        return ", ".join([f"{name}={getattr(self, name)}" for name in self._options_shown])

    def __repr__(self) -> str:
        extra = self.extra_repr()
        extra_lines = extra.split("\n") if extra else []
        child_lines = [f"({name}): {indented(repr(module))}" for name, module in self._modules.items()]
        if not child_lines and len(extra_lines) <= 1:
            return f"{self._get_name()}({extra})"
        return f"{self._get_name()}(\n  " + "\n  ".join(extra_lines + child_lines) + "\n)"


Module._fill_slots()


def indented(text: str) -> str:
    """Return `text` with two spaces before all lines but the first."""
    return text.replace("\n", "\n  ")


def _addindent(s_: str, numSpaces: int) -> str:  # noqa: N803 - torch's names, which libraries import
    return s_.replace("\n", "\n" + " " * numSpaces)


def is_inexact(tensor: Tensor) -> bool:
    """Return whether the elements are floating-point or complex numbers."""
    return tensor.dtype.is_floating_point or tensor.dtype.is_complex


def reset_grad(parameter: Tensor, set_to_none: bool) -> None:
    """Reset a gradient: to None, or to zeros outside of any graph."""
    if parameter.grad is None:
        return
    if set_to_none:
        parameter.grad = None
        return
    if parameter.grad.grad_fn is not None:
        parameter.grad.detach_()
    else:
        parameter.grad.requires_grad_(False)
    parameter.grad.zero_()
