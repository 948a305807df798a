"""Classes with a `__torch_dispatch__`: the calls that they receive, and the use of their answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from .._core import flags
from .._core.calls import meta, unusual
from .._core.calls.overriding import declined, flattened, running
from .._core.calls.subclasses import dispatches
from .._core.calls.unanswered import DisableTorchDispatch as DisableTorchDispatch, is_dispatch_off
from .._core.cards.card import registered
from .._core.state.modes import Modes, current
from .._core.tensor.base import share
from .._core.tensor.wrappers import Wrapped, wrapped
from .._tensor import Tensor


class Names:
    """Names of operators in programs, which `utils` knows."""

    def operator(self, op: Any, values: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
        """Return the operator of a call as programs name it, with its arguments by position and by name."""
        raise NotImplementedError

    def method(self, name: str, form: str) -> Any:
        """Return an operator that is a method here."""
        raise NotImplementedError

    def is_factory(self, name: str) -> bool:
        """Return whether a function makes new tensors like its arguments."""
        raise NotImplementedError

    def factory(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the call of a factory."""
        raise NotImplementedError


names = Names()


class ClassCall:
    """A call that is handed to a class; calling `func` in turn runs the operator itself.

    Args:
        func: the operator as programs name it.
        op: the function that a call of `func` runs.
    """

    def __init__(self, func: Any, op: Any) -> None:
        self.func, self.op = func, op

    def make(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the operator."""
        return self.op(*args, **kwargs)


def dispatching_instances(values: Iterable[Any]) -> list[Any]:
    """Return one tensor of each class that handles a call, subclasses before their bases; none within
    `DisableTorchDispatch`.
    """
    instances: list[Any] = []
    if is_dispatch_off():
        return instances
    for value in flattened(values):
        kind = type(value)
        if (
            not isinstance(value, Tensor)
            or not dispatches(kind)
            or any(type(instance) is kind for instance in instances)
        ):
            continue
        place = next((at for at, instance in enumerate(instances) if issubclass(kind, type(instance))), len(instances))
        instances.insert(place, value)
    return instances


@contextmanager
def below_autograd(call: ClassCall) -> Iterator[None]:
    """Context in which a class computes: nothing is recorded, and no mode sees operators."""
    modes, calls = current(), vars(running).setdefault("calls", [])
    grad, mask, overriding, observers = modes.grad, modes.mask, modes.overriding, modes.observers
    depth = len(calls)
    try:
        calls.append(call)
        modes.set_grad(False)
        modes.observe([])
        yield
    finally:
        modes.grad, modes.mask, modes.overriding = grad, mask, overriding
        modes.observe(observers)
        del calls[depth:]


def first_answer(call: ClassCall, instances: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the first answer of the classes that are asked.

    Raises:
        TypeError: if all classes decline.
    """
    types = tuple(map(type, instances))
    with below_autograd(call):
        for instance in instances:
            result = type(instance).__torch_dispatch__(call.func, types, args, kwargs)
            if result is not NotImplemented:
                return result
    raise TypeError(declined(f"torch._ops.{call.func}", "dispatch", None, instances))


def ask_classes(op: Any, values: tuple[Any, ...], instances: list[Any]) -> Any:
    """Return the answer of classes to a call of an operator."""
    func, args, kwargs = names.operator(op, values)
    return first_answer(ClassCall(func, op), instances, args, kwargs)


def call(op: Any, args: tuple[Any, ...], word: int, modes: Modes) -> Any:
    """Return the result of a call from the classes of the arguments; run the call itself if no class is asked.

    Args:
        op: the operator.
        args: all its arguments.
        word: the flags of the arguments and of the modes, without `OBSERVED`.
        modes: the modes of the thread.
    """
    if op.name == "out=":  # the call that computed the values was reported
        return unusual.call(op, args, word, modes)
    instances = dispatching_instances(args)
    if not instances:
        meta.refuse_wrapped(args)
        return unusual.call(op, args, word, modes)
    refuse_transforms(op, word)
    if op.written(args) is not None:
        return op.complete(args, word, modes)
    result = ask_classes(op, args, instances) if op.name not in OWN else by_others(op, args, modes)
    return settled(op, args, checked(op, result), word, modes)


def by_others(op: Any, args: tuple[Any, ...], modes: Modes) -> Any:
    """Return the result of an operator that torch lacks, by operators that torch has."""
    grad, mask = modes.grad, modes.mask
    try:
        modes.set_grad(False)
        return OWN[op.name](*args)
    finally:  # stores only, see `modes`
        modes.grad, modes.mask = grad, mask


def indexed_backward(grad: Any, shape: Any, indices: Any) -> Any:
    """`index_backward`, written as in torch."""
    return grad.new_zeros(shape).index_put(indices, grad, accumulate=True)


def masked_gradient(grad: Any, mask: Any) -> Any:
    """`grad` where `mask` is true, zeros elsewhere."""
    return registered("where").public(mask, grad, 0.0)


def restrided(self: Any, stride: Any, gaps: bool) -> Any:
    """Return a copy with these strides."""
    return self.new_empty_strided(tuple(self.shape), tuple(stride)).copy_(self)


def joined(parts: Any, shape: Any, dim: int, starts: Any) -> Any:
    """`split_backward`: concatenate `parts` along `dim`, with zeros for missing parts."""
    pieces, place, axis = list[Any](), 0, dim % len(shape)
    for start, part in (*zip(starts, parts), (shape[axis], None)):
        if start > place:
            pieces.append(parts[0].new_zeros((*shape[:axis], start - place, *shape[axis + 1 :])))
        if part is not None:
            pieces.append(part)
            place = start + part.shape[axis]
    return registered("cat").public(pieces, axis)


OWN: dict[str, Any] = {
    "_restrided": restrided,
    "index_backward": indexed_backward,
    "kept_gradient": masked_gradient,
    "split_backward": joined,
}
"""Operators of backward passes that torch builds from other operators: classes see those instead."""


def refuse_transforms(op: Any, word: int) -> None:
    """Refuse calls that classes cannot handle.

    Raises:
        NotImplementedError: if an argument carries a tangent, or stands for the members of a batch.
    """
    if word & (flags.DUAL | flags.BATCHED):
        kind = "carries a tangent" if word & flags.DUAL else "stands for the members of a batch"
        raise NotImplementedError(
            f"{op.name}(): an argument of a class with a __torch_dispatch__ cannot be used with one that {kind}: use "
            "reverse mode, or a __torch_function__"
        )


def checked(op: Any, result: Any) -> Any:
    """Return the answer of a class if it can be the result of an operator.

    Raises:
        RuntimeError: if the answer is not a tensor, or not a sequence of tensors where the operator has several
            results.
    """
    if op.several and not isinstance(result, (tuple, list)):
        raise RuntimeError(f"Object of type {type(result).__name__!r} is not an instance of 'sequence'")
    for value in result if op.several else (result,):
        if value is not None and not isinstance(value, Tensor):
            raise RuntimeError(f"Unable to cast {value} to Tensor")
    return result


def settled(op: Any, args: tuple[Any, ...], result: Any, word: int, modes: Modes) -> Any:
    """Put the result of a call into the graph, as a view of its first argument if the operator returns views."""
    results = list(result) if op.several else [result]
    for at, tensor in enumerate(results):
        if isinstance(tensor, Tensor) and (tensor.requires_grad or any(tensor is value for value in args)):
            results[at] = tensor.detach()
    viewed = op.view and restride_views(op, args, results, modes)
    output: Any = tuple(results) if op.several else results[0]
    if (viewed or not op.view) and not any(tensor is None for tensor in results):
        op.remember(args, output, word, modes)
    return output


def restride_views(op: Any, args: tuple[Any, ...], results: list[Any], modes: Modes) -> bool:
    """Give views without values the strides that the operator gives them; return whether all results are views."""
    source = args[0]
    if not isinstance(source._array_, Wrapped):
        return all(result._storage_ is source._storage_ for result in results)
    strided = meta.computed(op, args, modes)
    for result, array in zip(results, strided if op.several else (strided,)):
        current = result._array_
        if not isinstance(current, Wrapped) or current.shape != array.shape or current.dtype != array.dtype:
            return False
        result._array_, result._storage_ = wrapped(array, result, current.device, current.layout), source._storage_
    return True


def write(op: Any, args: tuple[Any, ...], modes: Modes) -> bool:
    """Let classes write the result of a call into its first argument; return False if none is asked."""
    instances = dispatching_instances(args)
    if instances:
        ask_classes(op, args, instances)
    else:
        meta.refuse_wrapped(args)
    return bool(instances)


def of_method(name: str, form: str, tensor: Any, function: Any) -> Any:
    """Return the answer of a tensor's class to an operator that is a method here; run the method if it is not asked."""
    func = names.method(name, form)
    instances = dispatching_instances((tensor,))
    return first_answer(ClassCall(func, function), instances, (tensor,), {}) if instances else function(tensor)


def detached(tensor: Any) -> Any:
    """`tensor.detach()`."""
    if not dispatching_instances((tensor,)):
        return plainly_detached(tensor)
    result = of_method("detach", "default", tensor, Tensor.detach)
    if isinstance(tensor._array_, Wrapped) and isinstance(result._array_, Wrapped) and result is not tensor:
        result._storage_ = tensor._storage_  # writes to either are counted for both
    return result


def plainly_detached(tensor: Any) -> Any:
    """Return a plain tensor on the memory of a tensor whose class is not asked now."""
    if isinstance(tensor._array_, Wrapped):
        tensor._array_.refuse("detach()")
    return share(tensor._array_.view(), tensor._storage_)


def number(tensor: Any) -> Any:
    """Return the only value of a tensor by asking its class: `aten._local_scalar_dense`."""
    return of_method("_local_scalar_dense", "default", tensor, lambda value: value.item())


def ones_like(tensor: Any) -> Any:
    """Return ones of the shape of a tensor, made by its class."""
    return registered("ones_like").public(tensor)


def factory(name: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the answer of classes to a call of a factory that takes a tensor.

    NotImplemented if the function is not a factory, or no class is asked.
    """
    instances = dispatching_instances((*args, *kwargs.values())) if names.is_factory(name) else ()
    if not instances:
        return NotImplemented
    call = names.factory(function, args, kwargs)
    result = first_answer(ClassCall(call.func, function), instances, call.args, call.kwargs)
    return result.requires_grad_() if call.requires_grad and isinstance(result, Tensor) else result


__all__ = ["DisableTorchDispatch", "Names", "call", "detached", "factory", "number", "ones_like", "write"]
