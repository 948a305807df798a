"""Stand-ins for torch's modules for accelerators and for several processes, of which there are none.

Programs that ask first go on with the CPU and in one process.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, NoReturn


class Absent:
    """An accelerator that does not exist. Its methods are the functions of torch's module of that name.

    Args:
        name: name of torch's module and of the device.
        label: its name in torch's errors.
    """

    def __init__(self, name: str, label: str) -> None:
        self.name, self.label = name, label

    def refuse(self, *args: object, **kwargs: object) -> NoReturn:
        """Refuse a call that needs the accelerator itself.

        Raises:
            AssertionError: always; there is no accelerator.
        """
        raise AssertionError(
            f"Torch not compiled with {self.label} enabled: wengert computes on the CPU; ask "
            f"torch.{self.name}.is_available() first"
        )

    def is_available(self) -> bool:
        """Return False."""
        return False

    def is_initialized(self) -> bool:
        """Return False."""
        return False

    def is_bf16_supported(self, including_emulation: bool = True) -> bool:
        """Return False."""
        return False

    def device_count(self) -> int:
        """Return 0."""
        return 0

    def manual_seed(self, seed: int) -> None:
        """Do nothing: no device has a generator."""

    manual_seed_all = manual_seed

    def seed(self) -> None:
        """Do nothing: no device has a generator."""

    seed_all = seed

    def synchronize(self, device: Any = None) -> None:
        """Do nothing: no device has pending work."""

    def empty_cache(self) -> None:
        """Do nothing: no device caches memory."""

    def ipc_collect(self) -> None:
        """Do nothing: no device shares memory."""

    def memory_allocated(self, device: Any = None) -> int:
        """Return 0."""
        return 0

    max_memory_allocated = memory_reserved = max_memory_reserved = memory_cached = memory_allocated

    def reset_peak_memory_stats(self, device: Any = None) -> None:
        """Do nothing: there are no statistics."""

    reset_max_memory_allocated = reset_max_memory_cached = reset_peak_memory_stats

    def memory_stats(self, device: Any = None) -> dict[str, Any]:
        """Return an empty dictionary."""
        return {}

    def get_arch_list(self) -> list[str]:
        """Return an empty list."""
        return []

    def get_rng_state_all(self) -> list[Any]:
        """Return an empty list: there is one state for each device."""
        return []

    def set_rng_state_all(self, new_states: Any) -> None:
        """Do nothing for an empty list; refuse states of devices."""
        if len(new_states):
            self.refuse()

    def set_device(self, device: Any) -> None:
        """Do nothing for a negative number, as in torch; refuse a device."""
        if not isinstance(device, int) or device >= 0:
            self.refuse()


class NoDevice:
    """`with torch.cuda.device(None)`: changes nothing, since there is no device."""

    absent: Absent

    def __init__(self, device: Any = None) -> None:
        self.device = device

    def __enter__(self) -> None:
        if self.device is not None and self.device != -1:
            self.absent.refuse()

    def __exit__(self, *error: object) -> None:
        return None


class NoDeviceOf(NoDevice):
    """`with torch.cuda.device_of(tensor)`: changes nothing for a tensor on the CPU."""

    def __enter__(self) -> None:
        return None


class NoStream:
    """Streams and events of an accelerator.

    Raises:
        RuntimeError: if one is created.
    """

    absent: Absent

    def __new__(cls, *args: object, **kwargs: object) -> NoStream:
        """Refuse the call."""
        raise RuntimeError(f"torch.{cls.absent.name}.{cls.__name__} requires {cls.absent.label} support")


def refusing(path: str, says: str) -> Any:
    """Return a function that refuses, in the place of one that does not exist.

    Args:
        path: its name for programmers.
        says: the rest of the RuntimeError of a call.
    """

    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError(f"{path}: {says}")

    return refuse


class StandIn(type):
    """A class in the place of one that does not exist: annotations and `isinstance` may name it; it has no instances.

    Its attributes, such as the members of an enumeration that a default names, are functions that refuse.
    """

    path: str
    says: str

    def __call__(cls, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuse the call."""
        raise RuntimeError(f"{cls.path}: {cls.says}")

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}")
        return refusing(f"{cls.path}.{name}", cls.says)


@functools.cache
def stand_in(module: str, name: str, says: str) -> Any:
    """Return the stand-in of `name` in a module: a class, if it is named like one, or a function; the same each time.

    Raises:
        AttributeError: if `name` is one of Python's own (`__path__`).
    """
    if name.startswith("__"):
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    path = f"torch.{module.partition('.')[2]}.{name}"
    if name[0].isupper() and not name.isupper():
        return StandIn(name, (), {"__module__": module, "path": path, "says": says})
    return refusing(path, says)


def hollow(name: str, answers: Callable[[str, str], Any]) -> ModuleType:
    """A module, and a package, without names of its own.

    Args:
        name: name of the module.
        answers: returns the stand-in of a name, called with the module and that name.
    """
    module = ModuleType(name)
    module.__path__ = []
    vars(module)["__getattr__"] = functools.partial(answers, name)
    return module


def hollows(answers: Callable[[str, str], Any]) -> Callable[[str], ModuleType]:
    """Return the function from a name to its module without names of its own, the same each time."""

    @functools.cache
    def below(name: str) -> ModuleType:
        return hollow(name, answers)

    return below


class Below(Loader):
    """Loads modules below one that does not exist, for programs that import them before they ask: all names refuse.

    Args:
        below: returns the module of a name.
    """

    def __init__(self, below: Callable[[str], ModuleType]) -> None:
        self.below = below

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module."""
        return self.below(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: the module has its names already."""
