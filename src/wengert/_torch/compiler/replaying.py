"""`wg.compile(function, replay=True)`: calls are recorded as lists of calls on arrays, which later calls replay."""

from __future__ import annotations

import functools
import linecache
import warnings
import weakref
from collections.abc import Callable
from itertools import islice
from typing import Any

from wengert import _kernels as kernels
from wengert._core.capture.captured import Captured, difference, record
from wengert._core.capture.native_calls import build_calls
from wengert._core.capture.recorder import Recorder
from wengert._core.capture.replayable import Replayable, Signature
from wengert.ops.randomness.generator import WORDS, default_generator

MOST_LISTS = 64
"""Maximum number of lists of one function; further calls are not recorded."""
MOST_SIGNATURES = 256
"""Maximum number of combinations of Python values among the arguments."""
MOST_BRANCHES = 8
"""Maximum number of lists for the same shapes, which differ in values that Python code reads."""
TOO_MANY = f"calls differ in values that Python code reads, or that shapes depend on; {MOST_BRANCHES} lists fitted none"
HIGHER = "gradients of higher order are computed through its results; compile a function that contains these"

NATIVES = None if kernels.native is None else (kernels.native.replay_calls, kernels.native.run_calls)
"""The native functions that run the calls of a list."""
KNOWN: weakref.WeakSet[Any] = weakref.WeakSet()
"""All functions that are replayed or followed, for `wg.compiler.reset`."""


class Group:
    """The calls of a signature with the same shapes, dtypes and flags of tensors.

    Attributes:
        lists: the lists, which differ in values that Python code reads.
        reason: the reason why calls are no longer recorded; "" if they are.
        place: the place of the reason in the program, as a part of a sentence.
    """

    def __init__(self) -> None:
        self.lists: list[Captured] = []
        self.reason = self.place = ""


class Replaying(Replayable):
    """A function whose calls are replayed.

    Args:
        function: the function.
        fullgraph: raise an error if it cannot be captured, instead of a warning.
    """

    def __init__(self, function: Callable[..., Any], fullgraph: bool) -> None:
        functools.update_wrapper(self, function, updated=())
        self.function = function
        self.fullgraph = fullgraph
        self.signatures: dict[Any, Signature] = {}
        self.recent = None
        self.count = 0
        self.warned = False
        self.modules = modules_of(function)
        KNOWN.add(self)

    def __getattr__(self, name: str) -> Any:
        if name == "function":  # of an object that is being copied
            raise AttributeError(name)
        return getattr(self.function, name)

    def __reduce__(self) -> Any:
        return Replaying, (self.function, self.fullgraph)

    def __repr__(self) -> str:
        return f"<replaying {self.function!r}>"

    def forget(self) -> None:
        """Discard all lists, and the reasons why others were not recorded."""
        self.signatures, self.recent, self.count, self.warned = {}, None, 0, False

    def __get__(self, instance: Any, owner: Any) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def position(self) -> Position:
        return Position()

    def higher(self, signature: Signature, captured: Captured, args: Any, kwargs: Any) -> Any:
        """Call the function, now and in future calls with such arguments: gradients of higher order need its graph."""
        for group in signature.groups.values():
            if captured in group.lists:
                signature.lists = [other for other in signature.lists if other not in group.lists]
                group.lists, group.reason = [], HIGHER
        if not self.warned:
            self.warned = True
            warnings.warn(f"torch.compile: {name_of(self.function)} is called eagerly: {HIGHER}", stacklevel=4)
        return self.function(*args, **kwargs)

    def unknown(self, key: Any, signature: Signature | None, args: Any, kwargs: Any, leaves: list[Any]) -> Any:
        """Call the function with arguments that no list fits; record it from the second such call on."""
        if signature is None:
            if len(self.signatures) >= MOST_SIGNATURES:
                return self.beyond_limits(args, kwargs)
            signature = self.signatures[key] = Signature()
        facts = tuple([facts_of(leaf) for leaf in leaves])
        group = signature.groups.get(facts)
        if group is None:
            signature.groups[facts] = Group()
            return self.function(*args, **kwargs)
        if group.reason:
            return self.function(*args, **kwargs)
        if self.count >= MOST_LISTS:
            return self.beyond_limits(args, kwargs)
        if len(group.lists) >= MOST_BRANCHES:
            self.give_up(signature, group, TOO_MANY, None)
            return self.function(*args, **kwargs)
        self.modules = modules_of(self.function)
        recorder = Recorder(Position(), NATIVES)
        result, captured = record(self.function, args, kwargs, leaves, recorder)
        if captured is None:
            self.give_up(signature, group, recorder.reason or "", recorder)
            return result
        self.keep(signature, group, captured)
        return result

    def beyond_limits(self, args: Any, kwargs: Any) -> Any:
        """Call the function with arguments that are not recorded, because the maximum number of lists is reached."""
        self.tell(f"calls with other Python values or shapes than the first {self.count} lists have are eager", None)
        return self.function(*args, **kwargs)

    def keep(self, signature: Signature, group: Group, captured: Captured) -> None:
        """Keep a new list."""
        build_calls(captured)
        signature.lists.insert(0, captured)
        group.lists.append(captured)
        self.count += 1

    def verified(self, signature: Signature, captured: Captured, args: Any, kwargs: Any, leaves: list[Any]) -> Any:
        """Call the function, and compare its calls with the list."""
        group = signature.groups.setdefault(tuple([facts_of(leaf) for leaf in leaves]), Group())
        recorder = Recorder(Position(), NATIVES)
        result, again = record(self.function, args, kwargs, leaves, recorder)
        if again is None:
            self.give_up(signature, group, recorder.reason or "", recorder)
            return result
        branch, reason = difference(captured, again)
        if branch:
            if any(difference(other, again) == (False, "") for other in group.lists):
                return result
            if len(group.lists) >= MOST_BRANCHES:
                self.give_up(signature, group, TOO_MANY, None)
            else:
                self.keep(signature, group, again)
        elif reason:
            reason = f"the function differs from call to call, but replay=True needs equal calls; {reason}"
            self.give_up(signature, group, reason, recorder)
        return result

    def give_up(self, signature: Signature, group: Group, reason: str, recorder: Recorder | None) -> None:
        """Call the function eagerly from now on with such arguments."""
        signature.lists = [captured for captured in signature.lists if captured not in group.lists]
        group.lists, group.reason, group.place = [], reason, place_in(recorder)
        self.tell(f"it is called eagerly: {reason}", recorder)

    def tell(self, text: str, recorder: Recorder | None) -> None:
        """Warn, once for the function, that it is not replayed.

        Raises:
            RuntimeError: if `fullgraph` is True, instead of the warning.
        """
        message = f"torch.compile: {name_of(self.function)} is not replayed; {text}{place_in(recorder)}"
        if self.fullgraph:
            raise RuntimeError(message)
        if not self.warned:
            self.warned = True
            warnings.warn(message, stacklevel=5)


def modules_of(function: Any) -> list[Any]:
    """Return a module and those in it, if `function` is a module or a method of one; else an empty list."""
    module = getattr(function, "__self__", function)
    return list(module.modules()) if hasattr(module, "training") and hasattr(module, "modules") else []


def name_of(function: Any) -> str:
    """Return the name of a function for messages."""
    return str(getattr(function, "__qualname__", type(function).__name__))


def facts_of(tensor: Any) -> tuple[Any, ...]:
    """Return the properties of a tensor that a list depends on."""
    array = tensor._array_
    return type(tensor), tensor._flags_, tensor.requires_grad, array.shape, array.strides, array.dtype


def place_in(recorder: Recorder | None) -> str:
    """Return the place of the reason in the program, as a part of a sentence."""
    if recorder is None or recorder.origin is None:
        return ""
    code, offset = recorder.origin
    positions = next(islice(code.co_positions(), offset // 2, None), None)
    number = code.co_firstlineno if positions is None or positions[0] is None else positions[0]
    line = linecache.getline(code.co_filename, number).strip()
    return f' (File "{code.co_filename}", line {number}, in {code.co_name}: {line})'


class Position:
    """Position of the default generator of random numbers; calls at the same position return equal values."""

    def __init__(self) -> None:
        import ctypes

        self.stream = default_generator._stream
        source = self.stream.source()
        self.words = (ctypes.c_uint32 * (WORDS + 1)).from_address(source.bits.ctypes.state_address)
        self.kept = source.kept
        self.saved = bytes(self.words), self.kept.copy()

    def __call__(self) -> Any:
        """Return a key of the present position."""
        stream = default_generator._stream
        if stream is not self.stream:  # the program has gone to another position
            return stream
        words = self.words  # the words of the state, and behind them the place among them
        return words[WORDS], words[0], words[1], self.kept.tobytes()

    def go_back(self) -> None:
        """Return to the position at which the object was created."""
        self.words[:] = list(type(self.words).from_buffer_copy(self.saved[0]))
        self.kept[:] = self.saved[1]
