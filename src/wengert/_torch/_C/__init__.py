"""Private names of torch's compiled library that programs use; there is no such library here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from enum import Enum
from itertools import count
from typing import Any
from weakref import WeakKeyDictionary

from wengert._core.calls.overriding import (
    DisableTorchFunction as DisableTorchFunction,
    DisableTorchFunctionSubclass as DisableTorchFunctionSubclass,
)
from wengert._core.calls.unanswered import (
    DisableTorchDispatch as _DisableTorchDispatch,
    disabled as _disabled_torch_function_impl,
    undispatched as _disabled_torch_dispatch_impl,
)
from wengert._core.state.grad_mode import is_multithreading_enabled as _is_multithreading_enabled, set_grad_enabled
from wengert._core.state.modes import Pass, current
from wengert._core.tensor.base import Tensor
from wengert._core.types.devices import device
from wengert._start.absent import StandIn
from wengert._start.loading import load, on_demand
from wengert.amp.autocast_mode import autocast
from wengert.nn.modules.conversion import parse_to as _parse_to
from wengert.ops.linalg.matrices import LinAlgError as _LinAlgError
from wengert.ops.randomness.generator import Generator as Generator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import _functorch as _functorch

_TensorMeta = type(Tensor)
PACKAGE = str(__package__).rpartition(".")[0]


class Native:
    """Functions of a module under torch's names in this module, which generated code of graphs uses.

    Args:
        module: the module of this package.
        prefix: prefix of the names here.
        names: further ones.
    """

    def __init__(self, module: str, prefix: str = "", **names: Any) -> None:
        self._module, self._prefix = module, prefix
        vars(self).update(names)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not name.startswith(self._prefix):
            raise AttributeError(f"torch._C._{self._module} has no attribute {name!r}")
        attribute = {"log_sigmoid": "logsigmoid"}.get(name, name.removeprefix(self._prefix))
        return getattr(load(f"{PACKAGE}.{self._module}"), attribute)


_nn = Native("nn.functional", _parse_to=_parse_to)
_linalg, _fft, _special = Native("linalg", "linalg_"), Native("fft", "fft_"), Native("special", "special_")


def _log_api_usage_once(*args: object) -> None:
    """Nothing: nobody counts."""


def _get_tracing_state() -> None:
    """None: nothing is traced."""


def _is_tracing() -> bool:
    """False: nothing is traced."""
    return False


_passes: WeakKeyDictionary[Pass, int] = WeakKeyDictionary()
"""Counter of the numbers of backward passes."""
_numbers = count()


def _current_graph_task_id() -> int:
    """Return the number of the backward pass that runs in this thread, -1 if there is none."""
    begun = current().passing
    return -1 if begun is None else _passes.setdefault(begun, next(_numbers))


def _set_grad_enabled(mode: bool) -> None:
    """Switch recording on or off in this thread."""
    set_grad_enabled(mode)


def _is_torch_function_enabled() -> bool:
    """Return whether `__torch_function__` of subclasses of Tensor is called."""
    return current().overriding == 0


def _is_torch_function_all_disabled() -> bool:
    """Return whether not even a `TorchFunctionMode` is called."""
    return current().overriding == 2


def _are_functorch_transforms_active() -> bool:
    """Return whether `func.grad`, `vmap` or another transform of functions runs in this thread."""
    return current().transforms > 0


class DispatchKey(Enum):
    """Names of torch's kinds of kernels, for programs that say which of them to pass over."""

    CPU = "CPU"
    CUDA = "CUDA"
    Meta = "Meta"
    Autograd = "Autograd"
    AutogradCPU = "AutogradCPU"
    AutocastCPU = "AutocastCPU"
    AutocastCUDA = "AutocastCUDA"
    AutocastXPU = "AutocastXPU"
    CompositeImplicitAutograd = "CompositeImplicitAutograd"
    CompositeExplicitAutograd = "CompositeExplicitAutograd"


class DispatchKeySet:
    """A set of them.

    Args:
        keys: one, or those of another set.
    """

    def __init__(self, keys: DispatchKey | Iterable[DispatchKey]) -> None:
        self._keys = frozenset((keys,) if isinstance(keys, DispatchKey) else keys)

    def __or__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(self._keys | other._keys)

    def __and__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(self._keys & other._keys)

    def __sub__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(self._keys - other._keys)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DispatchKeySet) and self._keys == other._keys

    def __hash__(self) -> int:
        return hash(self._keys)

    def has(self, key: DispatchKey) -> bool:
        """Return whether a key is in the set."""
        return key in self._keys


class _ExcludeDispatchKeyGuard:
    """A `with` block without some kinds of kernels: of those that are there, the casts of autocast on the CPU.

    Args:
        keys: the kinds.
    """

    def __init__(self, keys: DispatchKeySet) -> None:
        self._block = autocast("cpu", enabled=False) if keys.has(DispatchKey.AutocastCPU) else nullcontext()

    def __enter__(self) -> None:
        self._block.__enter__()

    def __exit__(self, *error: Any) -> None:
        self._block.__exit__(*error)


def _get_privateuse1_backend_name() -> str:
    """The name of torch's kind of devices that other libraries bring."""
    return "privateuseone"


def _get_accelerator(check: bool | None = None) -> device:
    """Return the default device of tensors."""
    return device("cpu")


def _get_default_device() -> str:
    """Return the kind of device that default types are for: "cpu", whatever `set_default_device` says, as in torch."""
    return "cpu"


def _jit_switch(name: str) -> Callable[..., bool]:
    """A switch of torch's script compiler, which is not there: off, whatever a program sets."""

    def switch(*value: Any) -> bool:
        """False."""
        return False

    switch.__name__ = name
    return switch


_jit_set_profiling_executor = _jit_switch("_jit_set_profiling_executor")
_jit_set_profiling_mode = _jit_switch("_jit_set_profiling_mode")
_jit_override_can_fuse_on_cpu = _jit_switch("_jit_override_can_fuse_on_cpu")
_jit_override_can_fuse_on_gpu = _jit_switch("_jit_override_can_fuse_on_gpu")
_jit_can_fuse_on_cpu = _jit_switch("_jit_can_fuse_on_cpu")
_jit_can_fuse_on_gpu = _jit_switch("_jit_can_fuse_on_gpu")
_jit_set_texpr_fuser_enabled = _jit_switch("_jit_set_texpr_fuser_enabled")
_jit_set_nvfuser_enabled = _jit_switch("_jit_set_nvfuser_enabled")
_jit_set_nvfuser_guard_mode = _jit_switch("_jit_set_nvfuser_guard_mode")


class Graph(metaclass=StandIn):
    """A graph of torch's script compiler: there is none here."""

    path, says = "torch._C.Graph", "there is no compiler here"


class Value(metaclass=StandIn):
    """A value in such a graph."""

    path, says = "torch._C.Value", "there is no compiler here"


__getattr__, __dir__ = on_demand(globals())

__all__ = [
    "DisableTorchFunction",
    "DisableTorchFunctionSubclass",
    "DispatchKey",
    "DispatchKeySet",
    "Generator",
    "_DisableTorchDispatch",
    "_LinAlgError",
    "_disabled_torch_dispatch_impl",
    "_disabled_torch_function_impl",
    "_is_multithreading_enabled",
]
