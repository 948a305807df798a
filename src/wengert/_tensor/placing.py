"""Device of new tensors: `with torch.device("meta"):`, `torch.set_default_device`."""

from __future__ import annotations

import functools
import sys
import threading
from typing import Any

from .._core.cards.card import load_all
from .._core.state.modes import current
from .._core.types.devices import device as Device, refuse_absent
from ..overrides import TorchFunctionMode

CPU = Device("cpu")
running = threading.local()


@functools.cache
def _device_constructors() -> set[Any]:
    """Factories whose results are on the device of the context: those without a tensor as argument."""
    package: Any = sys.modules["wengert"]
    names = """
    arange as_tensor asarray bartlett_window blackman_window empty empty_permuted empty_strided eye full hamming_window
    hann_window kaiser_window linspace logspace ones rand randint randn randperm range scalar_tensor tensor tril_indices
    triu_indices zeros sparse_coo_tensor sparse_compressed_tensor sparse_csr_tensor sparse_csc_tensor sparse_bsr_tensor
    sparse_bsc_tensor
    """
    known = load_all()
    return {getattr(package, name) for name in names.split() if name in known} | {
        package.fft.fftfreq,
        package.fft.rfftfreq,
    }


class DeviceContext(TorchFunctionMode):
    """A context that sets the device of factories which are called without one.

    >>> import wengert as wg
    >>> with wg.device("meta"):
    ...     wg.ones(2, 3)
    tensor(..., device='meta', size=(2, 3))
    """

    _staged_ = False
    lasting = False

    def __init__(self, device: Any) -> None:
        self.device = Device(device)
        self.old_device: Any = None

    def _takes_(self, func: Any) -> bool:
        return func is None or func in _device_constructors()

    def __torch_function__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        options = dict(kwargs or {})
        if func in _device_constructors() and options.get("device") is None:
            options["device"] = self.device
        return func(*args, **options)


def chosen() -> Device:
    """The device of new tensors in this thread."""
    for mode in reversed(current().functions):
        if isinstance(mode, DeviceContext):
            return mode.device
    return CPU


def begin(device: Device) -> None:
    """Enter the context of a device.

    Raises:
        AssertionError, RuntimeError: if the device is neither the CPU nor "meta".
    """
    if device.type != "meta":
        refuse_absent(device)
    context = (
        DeviceContext(device) if device.type == "meta" or chosen() != CPU else None
    )  # the CPU is the device without a context
    if context is not None:
        context.__enter__()
    _thread_contexts().append(context)


def end() -> None:
    """Leave the innermost context of a device."""
    context = _thread_contexts().pop()
    if context is not None:
        context.__exit__()


def _thread_contexts() -> list[DeviceContext | None]:
    """Contexts of this thread, the innermost last; None for the CPU where it is the device anyway."""
    if not hasattr(running, "contexts"):
        running.contexts = []
    return running.contexts


def set_default(device: Any) -> None:
    """Set the device of new tensors in this thread; None stands for the CPU.

    Raises:
        AssertionError, RuntimeError: if the device is neither the CPU nor "meta".
    """
    modes = current()
    wanted = CPU if device is None else Device(device)
    if wanted.type != "meta":
        refuse_absent(wanted)
    others = [mode for mode in modes.functions if not getattr(mode, "lasting", False)]
    if wanted != CPU:
        lasting = DeviceContext(wanted)
        lasting.lasting = True
        others.insert(0, lasting)
    from .._core.profiling import events

    events.count_open(len(others) - len(modes.functions))
    modes.override(others)


def set_device(device: Any) -> Any:
    """Return a decorator that runs a function in the context of a device.

    Args:
        device: "cpu" or "meta".
    """

    def decorate(function: Any) -> Any:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            with Device(device):
                return function(*args, **kwargs)

        return wrapper

    return decorate
