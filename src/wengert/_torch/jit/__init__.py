"""`torch.jit` without a compiler: scripting or tracing returns the Python function or module itself.

The first call of `script` or `trace` says so in a warning.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, Final as Final, TypeVar

_IN_PACKAGE = ("ScriptFunction", "ScriptModule")

Anything = TypeVar("Anything")

_said: set[str] = set()


def _say(name: str) -> None:
    """Warn once for each of the functions that would compile."""
    if name not in _said:
        _said.add(name)
        warnings.warn(f"torch.jit.{name} compiles nothing here: the Python code itself runs", UserWarning, stacklevel=3)


def script(obj: Anything, *args: Any, **kwargs: Any) -> Anything:
    """Return the function, module or class itself.

    Raises:
        TypeError: if `obj` is a number or a string.
    """
    if isinstance(obj, (int, float, complex, str, bytes)):
        raise TypeError(f"{type(obj)} is a built-in class")
    _say("script")
    return obj


def trace(func: Anything, *args: Any, **kwargs: Any) -> Anything:
    """Return the function or module itself, without calling it."""
    _say("trace")
    return func


def trace_module(mod: Anything, inputs: Any, *args: Any, **kwargs: Any) -> Anything:
    """Return the module itself."""
    _say("trace_module")
    return mod


def _get_trace_graph(f: Any, args: Any = (), kwargs: Any = None, *rest: Any, **options: Any) -> Any:
    """Raise RuntimeError: calls are not traced into a graph of torch's compiler.

    Raises:
        RuntimeError: always; there is no graph of torch's compiler.
    """
    raise RuntimeError(
        "torch.jit._get_trace_graph: wengert has no graph of torch's compiler; viz.graph and explain show that of a "
        "tensor that the function returns"
    )


def freeze(mod: Anything, *args: Any, **kwargs: Any) -> Anything:
    """Return the module itself."""
    return mod


def optimize_for_inference(mod: Anything, *args: Any, **kwargs: Any) -> Anything:
    """Return the module itself."""
    return mod


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """A decorator that changes nothing."""
    return drop if callable(drop) else lambda function: function


def unused(fn: Anything) -> Anything:
    """The function itself."""
    return fn


def export(fn: Anything) -> Anything:
    """The function itself."""
    return fn


def interface(obj: Anything) -> Anything:
    """The class itself."""
    return obj


def _overload(func: Anything) -> Anything:
    """The function itself: the definition that follows it counts, which takes all types."""
    return func


_overload_method = _overload


def script_method(fn: Anything) -> Anything:
    """The function itself."""
    return fn


def script_if_tracing(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The function itself: nothing is traced."""
    return fn


_script_if_tracing = script_if_tracing


def is_scripting() -> bool:
    """False: it is Python that runs."""
    return False


def is_tracing() -> bool:
    """False: it is Python that runs."""
    return False


def Attribute(value: Anything, type: Any) -> Anything:  # noqa: N802 - torch's name
    """The value."""
    return value


def annotate(the_type: Any, the_value: Anything) -> Anything:
    """The value."""
    return the_value


def isinstance(obj: Any, target_type: Any) -> bool:
    """Return whether a value is of a type."""
    import builtins

    return builtins.isinstance(obj, target_type)


def fork(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call the function at once; `wait` returns its result."""
    return func(*args, **kwargs)


def wait(future: Anything) -> Anything:
    """Return the result of `fork`."""
    return future


def enable_onednn_fusion(enabled: bool) -> None:
    """Nothing."""


@contextlib.contextmanager
def optimized_execution(should_optimize: bool) -> Iterator[None]:
    """A `with` block that changes nothing."""
    yield


@contextlib.contextmanager
def fuser(name: str) -> Iterator[None]:
    """A `with` block that changes nothing."""
    yield


class Error(RuntimeError):
    """An error of a compiled program; never raised here, so that programs may name it."""


class TracerWarning(Warning):
    """Torch's warning of tracing, which is never issued here."""


class ScriptModule:
    """Torch's class of scripted modules; there are no instances here, so `isinstance` returns False."""


class ScriptFunction:
    """Torch's class of scripted functions; there are no instances here."""


class RecursiveScriptModule(ScriptModule):
    """Torch's class of scripted modules; there are no instances here."""


def load(f: Any, *args: Any, **kwargs: Any) -> Any:
    """Raise RuntimeError: a compiled program cannot run here.

    Raises:
        RuntimeError: always; compiled programs cannot run here.
    """
    raise RuntimeError("torch.jit.load: compiled programs (TorchScript) cannot be run here; load the weights instead")


def save(m: Any, f: Any, *args: Any, **kwargs: Any) -> Any:
    """Raise RuntimeError: there are no compiled programs.

    Raises:
        RuntimeError: always; nothing is compiled here.
    """
    raise RuntimeError("torch.jit.save: nothing is compiled here; save the weights (state_dict) instead")


import_module(f"{__name__}.annotations")  # replaces the feature of that name here
