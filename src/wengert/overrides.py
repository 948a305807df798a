"""`torch.overrides`: types and modes of the program that answer in the place of the package's functions."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ._core.calls import intercepting, overriding
from ._core.calls.op import Op
from ._core.calls.staging import STAGE
from ._core.cards.card import load_all
from ._core.profiling import events
from ._core.state.modes import Modes, current
from ._core.state.regions import Region
from ._core.tensor.base import Tensor
from ._start.loading import load

__all__ = [
    "enable_reentrant_dispatch",
    "get_ignored_functions",
    "get_overridable_functions",
    "get_testing_overrides",
    "handle_torch_function",
    "has_torch_function",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "resolve_name",
    "wrap_torch_function",
]

FACTORIES = frozenset(
    """
    arange as_tensor asarray bartlett_window blackman_window broadcast_shapes empty empty_permuted empty_strided eye
    from_dlpack from_file from_numpy frombuffer full hamming_window hann_window is_tensor kaiser_window linspace
    logspace manual_seed normal ones rand randint randn randperm range scalar_tensor seed set_rng_state
    sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor sparse_csr_tensor
    tensor tril_indices triu_indices vander zeros
    """.split()  # noqa: SIM905 - so that it can be read
)
"""Functions without a tensor that could be asked."""


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Return whether the `__torch_function__` of an argument, or a mode, overrides the call."""
    return overriding.is_anyone_asked(relevant_args)


def has_torch_function_unary(tensor: Any) -> bool:
    """Return whether the `__torch_function__` of a tensor, or a mode, overrides the call."""
    return has_torch_function((tensor,))


def has_torch_function_variadic(*tensors: Any) -> bool:
    """Return whether the `__torch_function__` of one of several tensors, or a mode, overrides the call."""
    return has_torch_function(tensors)


def handle_torch_function(
    public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """Return what modes, or the first `__torch_function__` that does not decline, make of a call.

    Args:
        public_api: the function that was called.
        relevant_args: those of its arguments that are to be asked.
        args, kwargs: all its arguments.

    Raises:
        TypeError: if all decline.
    """
    return overriding.of_python(public_api, relevant_args, args, kwargs)


def is_tensor_like(inp: Any) -> bool:
    """Return whether a value is a tensor, or has a method `__torch_function__`."""
    return isinstance(inp, Tensor) or hasattr(type(inp), "__torch_function__")


def wrap_torch_function(dispatcher: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator by which a function of the program asks its arguments' `__torch_function__` first.

    Args:
        dispatcher: called with the arguments; gives those that may have one.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            relevant = dispatcher(*args, **kwargs)
            if overriding.is_anyone_asked(relevant, call):
                return handle_torch_function(call, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return call

    return decorate


def resolve_name(f: Any) -> str | None:
    """The name of a function as programs write it, `torch.add` or `torch.Tensor.shape.__get__`; None if it has none."""
    if isinstance(f, str):
        return f
    name, module = getattr(f, "__name__", None), getattr(f, "__module__", None) or ""
    if name is None or (inspect.isfunction(f) and not module.startswith(f"{__package__}.") and module != __package__):
        return None
    for part in ("nn.init", "nn.functional", "functional"):  # what several modules share has the name of one
        home = load(f"{__package__}.{part}")
        if name in home.__all__ and getattr(home, name) is f:
            return f"torch.{part}.{name}"
    return overriding.name_of(f)


def is_tensor_method_or_property(func: Callable[..., Any]) -> bool:
    """Return whether a function is a method of Tensor, or the getter or setter of a property of it."""
    name = getattr(func, "__name__", "")
    owner = getattr(func, "__self__", None)
    members = overriding.members()
    return members.get(name) is func or (name in ("__get__", "__set__", "__delete__") and owner in members.values())


def get_default_nowrap_functions() -> set[Callable[..., Any]]:
    """Return the functions whose tensors the inherited `__torch_function__` does not turn into the subclass."""
    return overriding.nowrap()


def get_overridable_functions() -> dict[Any, list[Callable[..., Any]]]:
    """The functions that ask `__torch_function__`: those of the package and of its modules, and what Tensor has.

    Returns:
        The module or class for each list of functions; properties are there by their `__get__`.
    """
    package: Any = sys.modules[__package__ or ""]
    silent = get_ignored_functions()
    functions = [getattr(package, name) for name, card in load_all().items() if card.function and name[0] != "_"]
    members: list[Any] = []
    for name in (*intercepting.interceptors(), "backward"):
        member = intercepting.original(name)
        members.append(member.__get__ if hasattr(member, "__set__") else member)
    stand_in = sys.modules.get("torch")  # where programs import that, it is what they look the functions up by
    is_stand_in = type(stand_in).__module__ == f"{__package__}.as_torch"
    return {
        stand_in if is_stand_in else package: [function for function in functions if function not in silent],
        **{module: listed(module, silent) for module in map(load, modules())},
        Tensor: members,
    }


def modules() -> list[str]:
    """The modules whose functions ask."""
    return [f"{__package__}.{name}" for name in ("functional", "nn.functional", "linalg", "fft", "special")]


def listed(module: Any, silent: set[Any]) -> list[Callable[..., Any]]:
    """The functions of a module, but for those that do not ask."""
    public = [getattr(module, name) for name in module.__all__]
    return [member for member in public if not isinstance(member, type) and member not in silent]


def get_testing_overrides() -> dict[Any, Callable[..., int]]:
    """For each function that asks `__torch_function__` one with the same parameters, which returns -1.

    >>> import wengert as wg
    >>> wg.overrides.get_testing_overrides()[wg.add](wg.ones(2), 1)
    -1
    """
    return {
        function: stand_in(function) for functions in get_overridable_functions().values() for function in functions
    }


def stand_in(function: Callable[..., Any]) -> Callable[..., int]:
    """A function with the parameters of another one, which returns -1."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # Python does not know those of every method
        signature = inspect.signature(lambda *args, **kwargs: -1)

    def answer(*args: Any, **kwargs: Any) -> int:
        signature.bind(*args, **kwargs)
        return -1

    answer.__signature__ = signature  # type: ignore[attr-defined]
    return answer


def get_ignored_functions() -> set[Callable[..., Any]]:
    """Functions of the package for which nobody is asked: switches, and questions that are not about tensors."""
    package: Any = sys.modules[__package__ or ""]
    named = {name: getattr(package, name) for name in dir(package) if name[:1] != "_" and name not in load_all()}
    ignored = {value for value in named.values() if callable(value) and not isinstance(value, (type, Op))}
    return ignored | {getattr(package, name) for name in FACTORIES if hasattr(package, name)}


@contextmanager
def enable_reentrant_dispatch() -> Iterator[None]:
    """A context that changes nothing: a handler may call operators as it likes."""
    yield


def _get_current_function_mode() -> Any:
    """The innermost mode that is on in this thread; None if there is none."""
    active = _get_current_function_mode_stack()
    return active[-1] if active else None


def _get_current_function_mode_stack() -> list[Any]:
    """All modes that are on in this thread, the outermost first."""
    return [mode for mode in current().functions if isinstance(mode, TorchFunctionMode)]


def _push_mode(mode: Any) -> None:
    """Switch a mode on, until `_pop_mode`."""
    modes = current()
    if mode._staged_:
        STAGE.count(1)
    modes.override([*modes.functions, mode])


def _pop_mode() -> Any:
    """Switch the innermost mode off and give it.

    Raises:
        RuntimeError: if no mode is active.
    """
    modes = current()
    if not _get_current_function_mode_stack():
        raise RuntimeError("trying to pop from empty mode stack")
    mode = modes.override(modes.functions[:-1])[-1]
    if getattr(mode, "_staged_", False):
        STAGE.count(-1)
    return mode


@contextmanager
def _pop_mode_temporarily() -> Iterator[Any]:
    """A context without the innermost mode, which it gives.

    Raises:
        RuntimeError: if no mode is active.
    """
    mode = _pop_mode()
    try:
        yield mode
    finally:
        _push_mode(mode)


class TorchFunctionMode(Region):
    """A context in which this object is asked for the result of each call of a function of tensors in this thread.

    Derived classes define `__torch_function__(self, func, types, args=(), kwargs=None)`. Inside that method the mode
    is switched off, those around it are not. Signs (`x * 2`), indexing and properties (`x.shape`) are calls, too.

    >>> import wengert as wg
    >>> class Names(wg.overrides.TorchFunctionMode):
    ...     def __torch_function__(self, func, types, args=(), kwargs=None):
    ...         print(func.__name__)
    ...         return func(*args, **(kwargs or {}))
    >>> with Names():
    ...     total = wg.ones(2).add(1).sum()
    ones
    add
    sum
    """

    def __torch_function__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        raise NotImplementedError

    _staged_ = True
    """Whether this mode is told of signs, methods and properties of plain tensors."""

    def _takes_(self, func: Any) -> bool:
        """Return whether the mode is asked for calls of a function; None stands for any."""
        return True

    def _before_(self, modes: Modes) -> Any:
        return modes.functions, [*modes.functions, self]

    def _begin_(self, modes: Modes, before: Any) -> Any:
        functions = before[1]
        if self._staged_:
            STAGE.hold(id(functions), True)
        modes.override(functions)
        events.hold_open(id(functions), True)
        return self

    def _end_(self, modes: Modes, before: Any) -> None:
        functions = before[1]
        events.hold_open(id(functions), False)
        modes.override(before[0])
        STAGE.hold(id(functions), False)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that changes nothing, to derive from."""

    def __torch_function__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))
