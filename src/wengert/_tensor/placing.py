"""On which device new tensors are: `with torch.device("meta"):`, `torch.set_default_device`."""

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
    """The factories that make tensors on the device that is chosen: those that take no tensor."""
    package: Any = sys.modules["wengert"]
    names = """
    arange as_tensor asarray bartlett_window blackman_window empty empty_permuted empty_strided eye full hamming_window
    hann_window kaiser_window linspace logspace ones rand randint randn randperm range scalar_tensor tensor tril_indices
    triu_indices zeros sparse_coo_tensor sparse_compressed_tensor sparse_csr_tensor sparse_csc_tensor sparse_bsr_tensor
    sparse_bsc_tensor
    """
    known = load_all()
    return {getattr(package, each) for each in names.split() if each in known} | {
        package.fft.fftfreq,
        package.fft.rfftfreq,
    }


class DeviceContext(TorchFunctionMode):
    """A context in which factories that are told no device make their tensors on this one.

    >>> import wengert as wg
    >>> with wg.device("meta"):
    ...     wg.ones(2, 3)
    tensor(..., device='meta', size=(2, 3))
    """

    _staged_ = False

    def __init__(self, device: Any) -> None:
        self.device = Device(device)
        self.old_device: Any = None

    def _takes_(self, func: Any) -> bool:
        return func is None or func in _device_constructors()

    def __torch_function__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        given = dict(kwargs or {})
        if func in _device_constructors() and given.get("device") is None:
            given["device"] = self.device
        return func(*args, **given)


def chosen() -> Device:
    """The device of new tensors in this thread."""
    for each in reversed(current().functions):
        if isinstance(each, DeviceContext):
            return each.device
    return CPU


def begin(device: Device) -> None:
    """Enter the context of a device.

    Raises:
        AssertionError, RuntimeError: it is neither the CPU nor "meta".
    """
    if device.type != "meta":
        refuse_absent(device)
    made = DeviceContext(device) if device.type == "meta" or chosen() != CPU else None  # the CPU is no change elsewhere
    if made is not None:
        made.__enter__()
    _thread_contexts().append(made)


def end() -> None:
    """Leave the innermost context of a device."""
    made = _thread_contexts().pop()
    if made is not None:
        made.__exit__()


def _thread_contexts() -> list[DeviceContext | None]:
    """The contexts of this thread, the innermost last; None for the CPU where it is the device anyway."""
    if not hasattr(running, "contexts"):
        running.contexts = []
    return running.contexts


def set_default(device: Any) -> None:
    """Let a device be that of new tensors of this thread; None, or the CPU: as ever.

    Raises:
        AssertionError, RuntimeError: it is neither the CPU nor "meta".
    """
    modes = current()
    wanted = CPU if device is None else Device(device)
    if wanted.type != "meta":
        refuse_absent(wanted)
    others = [each for each in modes.functions if not getattr(each, "lasting", False)]
    if wanted != CPU:
        lasting = DeviceContext(wanted)
        lasting.lasting = True  # type: ignore[attr-defined]
        others.insert(0, lasting)
    from .._core.profiling import events

    events.count_open(len(others) - len(modes.functions))
    modes.override(others)


def set_device(device: Any) -> Any:
    """A decorator whose function runs in the context of a device.

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
