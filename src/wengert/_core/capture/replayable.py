"""Calls of a function that has recorded lists: the way to a list that fits, as compiled code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..state.modes import Modes, current
from ..tensor.base import Tensor
from ..types.dtypes import _Default as Default
from .captured import Captured, is_again
from .segments import Connections
from .signatures import flattened, is_plain


class Signature:
    """The calls of one function with the same nesting of arguments, the same Python values, and the same modes.

    Attributes:
        lists: the lists of all groups, the newest first.
        groups: the groups, by the properties of their tensors.
        count, grad, dtype: the key of calls with tensors alone: their number, and two modes; -1 for others.
    """

    lists: list[Any]
    groups: dict[Any, Any]
    count: int
    grad: bool
    dtype: Any

    __slots__ = ("count", "dtype", "grad", "groups", "lists")

    def __init__(self) -> None:
        self.lists = []
        self.groups = {}
        self.count = -1
        self.grad = False
        self.dtype = None


class Replayable:
    """A function whose calls are replayed where a list fits; a subclass records the lists.

    Attributes:
        function: the function.
        signatures: the signatures, by `key_of`.
        modules: the modules whose `training` calls depend on.
        recent: the signature of the latest replay, if its key is that of tensors alone; or None.
    """

    function: Callable[..., Any]
    modules: list[Any]
    signatures: dict[Any, Any]
    recent: Any

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return call(self, args, kwargs)

    def position(self) -> Any:
        """Return the position of the default generator of random numbers, which can go back."""
        raise NotImplementedError

    def higher(self, signature: Signature, captured: Captured, args: Any, kwargs: Any) -> Any:
        """Call the function, now and in future calls with such arguments: gradients of higher order need its graph."""
        raise NotImplementedError

    def unknown(self, key: Any, signature: Any, args: Any, kwargs: Any, leaves: list[Any]) -> Any:
        """Call the function with arguments that no list fits."""
        raise NotImplementedError

    def verified(self, signature: Signature, captured: Captured, args: Any, kwargs: Any, leaves: list[Any]) -> Any:
        """Call the function, and compare its calls with a list."""
        raise NotImplementedError


def call(owner: Replayable, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function, or replay one of its lists."""
    modes: Modes = current()
    if not is_plain(modes):  # a transform, a profile, another recording, a backward pass: they see what they would
        return owner.function(*args, **kwargs)
    if modes.tape is not None:
        modes.tape.follower.settle(modes.tape)
    signature: Signature = owner.recent
    leaves: tuple[Any, ...] = args
    key: Any = None
    if signature is None or kwargs or not is_recent(signature, args, modes):
        tensors: list[Any] = []
        key = key_of(args, kwargs, tensors, modes)
        leaves = tuple(tensors)
        if owner.modules:
            key = key, tuple([module.training for module in owner.modules])
        signature = owner.signatures.get(key)
    if signature is None:
        return owner.unknown(key, None, args, kwargs, list(leaves))
    captured: Captured
    graph: Connections
    for captured in signature.lists:
        owners = captured.owners(leaves)
        if owners is None:
            continue
        graph = captured.graph
        if graph is not None and graph.higher:
            return owner.higher(signature, captured, args, kwargs)
        captured.replays += 1
        if captured.replays & (captured.replays - 1) == 0:  # 1, 2, 4, 8, ...
            return owner.verified(signature, captured, args, kwargs, list(leaves))
        result = replayed(owner, captured, owners, args, kwargs)
        if not is_again(result):
            if key is not None and type(key[0]) is int:
                signature.count, signature.grad, signature.dtype = key
                owner.recent = signature
            return result
    return owner.unknown(key, signature, args, kwargs, list(leaves))


def replayed(owner: Replayable, captured: Captured, owners: list[Any], args: Any, kwargs: Any) -> Any:
    """Return the result of a replay, or AGAIN.

    If a replay without lasting effects raises an error, the function is called, and raises the error itself.
    """
    position: Any = owner.position() if captured.draws else None
    try:
        result = captured.replay(owners)
    except Exception:
        if captured.effects >= 0:
            raise
        if position is not None:
            position.go_back()
        return owner.function(*args, **kwargs)
    if is_again(result) and position is not None:
        position.go_back()
    return result


def key_of(args: tuple[Any, ...], kwargs: dict[str, Any], leaves: list[Any], modes: Modes) -> Any:
    """Return a key of the nesting and the Python values of arguments, and of the modes; collect the tensors.

    Tensors alone, the usual case, have their number as the key.
    """
    if not kwargs and are_tensors(args):
        leaves += args
        return len(args), modes.grad, Default.dtype
    return flattened(args, leaves), flattened(kwargs, leaves), modes.grad, Default.dtype


def is_recent(signature: Signature, args: tuple[Any, ...], modes: Modes) -> bool:
    """Return whether a call without keywords has the signature of a call with tensors alone."""
    if signature.count != len(args) or signature.grad != modes.grad or signature.dtype is not Default.dtype:
        return False
    return are_tensors(args)


def are_tensors(args: tuple[Any, ...]) -> bool:
    """Return whether all arguments are tensors."""
    for value in args:
        if not isinstance(value, Tensor):
            return False
    return True
