"""Custom Functions: operations with derivatives written by the program."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from .._core.functions import function_errors as errors
from .._core.functions.function import FunctionNode, refuse_derivative
from .._core.functions.function_call import call
from .._core.state.grad_mode import is_grad_enabled, no_grad
from .._core.state.modes import current
from .._core.tensor.base import Tensor
from .._start.boundary import shorten
from .observers import inform

F = TypeVar("F", bound=Callable[..., Any])


class FunctionCtx:
    """Context `ctx` of `forward`, `setup_context` and `backward`; it takes any further attribute."""

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Save tensors for `backward`, which reads them from `ctx.saved_tensors`.

        Call it at most once, in `forward` or `setup_context`. Tensors are saved when `forward` has returned, are
        checked for later in-place writes when they are read, and pass through the hooks for saved tensors. Inputs and
        outputs may be differentiated again in `backward`; intermediate results have no derivative.

        Args:
            tensors: inputs, outputs or intermediate results of `forward`; None keeps a place.
        """
        self.to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Save tensors for `jvp`, which reads them from `ctx.saved_tensors`."""
        for tensor in tensors:
            assert isinstance(tensor, Tensor) or tensor is None, errors.SAVE_FOR_FORWARD
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Tensor) -> None:
        """Declare inputs that `forward` has written to in place: the writes are counted, the history is rewritten.

        Args:
            args: inputs, each of which `forward` also has to return.
        """
        self.dirty_tensors = args

    def mark_shared_storage(self, *pairs: Any) -> None:
        """Do nothing; exists for old programs."""
        warnings.warn(errors.SHARED_STORAGE, FutureWarning, stacklevel=2)

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Declare outputs that have no derivative, so that they do not require a gradient.

        Integer and boolean outputs have none anyway. `backward` gets zeros for them.
        """
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Choose what `backward` receives for an output without a gradient: zeros (True, the default) or None.

        Raises:
            TypeError: if `value` is not a bool.
        """
        if not isinstance(value, bool):
            raise TypeError(errors.wrong_flag("set_materialize_grads", value))
        self.materialize_grads = value


class BackwardCFunction(FunctionNode, FunctionCtx):
    """Base class of nodes: each Function has its own subclass, `<Name>Backward`. An instance is a `ctx`."""

    _forward_cls: type[Function]

    def _get_user_fn(self) -> Callable[..., Any]:
        """Return the function that computes the gradients.

        Raises:
            RuntimeError: if the Function defines both `backward` and `vjp`.
        """
        backward, vjp = self._forward_cls.backward, self._forward_cls.vjp
        if vjp is Function.vjp:
            return backward
        if backward is not Function.backward:
            raise RuntimeError(errors.BACKWARD_AND_VJP)
        return vjp

    def __repr__(self) -> str:
        return f"<torch.autograd.function.{type(self).__name__} object at {id(self):#x}>"

    def _argument_names(self) -> list[str]:
        """Return the names of the parameters of `forward`, for errors; those of `*args` have no names."""
        function = self._forward_cls
        try:
            parameters = list(inspect.signature(function.forward).parameters.values())
        except (TypeError, ValueError):  # written in C
            return []
        named = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        names = [parameter.name for parameter in parameters if parameter.kind in named]
        return names[1:] if function.setup_context is Function.setup_context else names


class FunctionMeta(type):
    """Metaclass that makes the class of nodes, `_backward_cls`, of each Function."""

    _backward_cls: type[BackwardCFunction]

    def __init__(cls, name: str, bases: tuple[type, ...], attributes: dict[str, Any]) -> None:
        cls._backward_cls = type(f"{name}Backward", (BackwardCFunction,), {"_forward_cls": cls, "__module__": __name__})
        super().__init__(name, bases, attributes)


class Function(FunctionCtx, metaclass=FunctionMeta):
    """An operation with a derivative written by the program.

    A subclass has static methods: `forward` and `backward` (or `vjp`, another name for it), which share a `ctx`; or a
    `forward` without `ctx` beside `setup_context`. Call it by `apply`; it is never instantiated.

    Attributes:
        generate_vmap_rule: whether `vmap` may run `forward` and `backward` on batches as they are.
        boxed_grads_call: pass `backward` one list of gradients, which it may empty, rather than separate arguments.
        clear_saved_tensors_on_access: free `ctx.saved_tensors` when they are read; they can be read only once.

    >>> import wengert as wg
    >>> class Cube(wg.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x**3
    ...
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         (x,) = ctx.saved_tensors
    ...         return grad * 3 * x**2
    >>> x = wg.tensor(2.0, requires_grad=True)
    >>> y = Cube.apply(x)
    >>> y
    tensor(8., grad_fn=<CubeBackward>)
    >>> y.backward()
    >>> x.grad
    tensor(12.)
    """

    generate_vmap_rule = False
    boxed_grads_call = False
    clear_saved_tensors_on_access = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(errors.instantiated(type(self)), DeprecationWarning, stacklevel=2)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Raise an error: calling an instance was the first generation of the API."""
        raise RuntimeError(errors.LEGACY.format(type(self).__name__))

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the outputs. Must be overridden; recording is off while it runs.

        Either `forward(ctx, *args)`, or, where `setup_context` is overridden, `forward(*args)`.

        Returns:
            A tensor or a tuple. Tensors in the tuple are outputs of the operation, anything else is returned as it is.
            A tensor that is also an input is returned as a view of it, unless it was marked dirty.
        """
        raise NotImplementedError(errors.NO_FORWARD)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Store on `ctx` what `backward` needs, for a `forward` without `ctx`.

        Args:
            inputs: the arguments of `forward` by position, defaults included.
            output: the result of `forward`.
        """
        raise NotImplementedError(errors.NO_SETUP_CONTEXT)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any, **kwargs: Any) -> Any:
        """Compute the gradients of the inputs from those of the outputs. Must be overridden.

        Args:
            grad_outputs: for each output a tensor of its shape and dtype (None for outputs that are not tensors).

        Returns:
            A gradient or None for each argument of `forward`, as a tuple if there are several. Further Nones may
            follow. Gradients of arguments that do not require a gradient are ignored.
        """
        raise NotImplementedError(errors.NO_BACKWARD)

    @staticmethod
    def vjp(ctx: Any, *grad_outputs: Any) -> Any:
        """Alias of `backward`; a Function defines one of the two."""
        raise NotImplementedError(errors.NO_BACKWARD)

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any, **kwargs: Any) -> Any:
        """Compute the tangents of the outputs from those of the inputs (forward mode). Must be overridden."""
        raise NotImplementedError(errors.NO_JVP)

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """Compute the outputs for a batch. Must be overridden, or `generate_vmap_rule` set.

        Args:
            info: `info.batch_size` and `info.randomness`.
            in_dims: for each argument its batch dimension, or None.

        Returns:
            The outputs and, of the same structure, their `out_dims`.
        """
        raise NotImplementedError(errors.NO_VMAP)

    @classmethod
    def _check_one_rule(cls) -> None:
        """Refuse a Function with both `vmap` and `generate_vmap_rule`."""
        if cls.vmap is not Function.vmap:
            raise RuntimeError(errors.vmap_twice(cls.__name__))

    @classmethod
    def _for_members(cls, args: tuple[Any, ...], keywords: Any) -> Any:
        """Run on a batch, by `vmap`.

        Raises:
            RuntimeError: if `vmap` was not overridden, or keyword-only arguments are passed.
        """
        if cls.generate_vmap_rule:
            cls._check_one_rule()
        elif cls.vmap is Function.vmap:
            raise RuntimeError(errors.no_vmap(cls.__name__))
        if keywords:
            raise RuntimeError(errors.vmap_keywords(cls.__name__))
        from .function_batches import run

        return run(cls, args)

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run the operation, and record it if an argument requires a gradient.

        Args:
            args, kwargs: the arguments of `forward`, without `ctx`. Keywords are bound by its signature. Tensors that
                are arguments themselves are differentiated, tensors within containers are not.

        Returns:
            The result of `forward`; its tensors are part of the graph.

        Raises:
            TypeError: if the arguments do not fit `forward`, or something other than a tensor was saved.
            RuntimeError: if a tensor marked dirty may not be written to, or was not returned.
        """
        try:
            if current().observers:
                inform("function", cls.__name__, (*args, *kwargs.values()))
            split = cls.setup_context is not Function.setup_context
            if not kwargs and not (split and takes_more(cls.forward, len(args))):
                results = call(cls, args, None, split)
            else:
                places, keywords = bound(cls.forward, args, kwargs, split)
                results = call(cls, places, keywords, split)
            if current().observers:
                inform("returned", cls.__name__, (*args, *kwargs.values()), results)
            return results
        except Exception as error:
            shorten(error)
            raise


def takes_more(forward: Any, count: int) -> bool:
    """Return whether a function may have parameters beyond the first `count`."""
    code = getattr(forward, "__code__", None)
    return code is None or code.co_argcount > count or code.co_kwonlyargcount > 0


def bound(
    forward: Any, args: tuple[Any, ...], kwargs: dict[str, Any], split: bool
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments by position, defaults included, and the keyword-only arguments of `forward`.

    Raises:
        TypeError: if the arguments do not fit the signature.
    """
    signature = inspect.signature(forward)
    try:
        arguments = signature.bind(*args, **kwargs) if split else signature.bind(None, *args, **kwargs)
    except TypeError as error:
        raise TypeError(f"forward() {error}") from None
    arguments.apply_defaults()
    return (arguments.args if split else arguments.args[1:]), arguments.kwargs


def once_differentiable(fn: F) -> F:
    """Decorate a `backward` that cannot be differentiated itself: differentiating it raises an error.

    Args:
        fn: a `backward`; it runs with recording off.
    """

    @functools.wraps(fn)
    def wrapper(ctx: Any, *args: Any) -> Any:
        with no_grad():
            outputs = fn(ctx, *args)
        if not is_grad_enabled():
            return outputs
        values = [grad for arg in args for grad in (arg if isinstance(arg, list) else (arg,))]
        sources = [grad for grad in values if isinstance(grad, Tensor) and grad.requires_grad]
        if not sources:
            return outputs
        if isinstance(outputs, tuple):
            return refuse_derivative(outputs, sources, errors.ONCE_DIFFERENTIABLE)
        return refuse_derivative((outputs,), sources, errors.ONCE_DIFFERENTIABLE)[0]

    return wrapper  # type: ignore[return-value]


class InplaceFunction(Function):
    """A Function with an attribute `inplace`, for old programs; use `Function`."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class NestedIOFunction(Function):
    """A Function of nested containers, for old programs; use `Function`, which returns containers as they are."""

    def forward_extended(self, *input: Any) -> None:
        """Must be overridden."""
        raise NotImplementedError

    def backward_extended(self, *grad_output: Any) -> None:
        """Must be overridden."""
        raise NotImplementedError


__all__ = [
    "BackwardCFunction",
    "Function",
    "FunctionCtx",
    "FunctionMeta",
    "InplaceFunction",
    "NestedIOFunction",
    "once_differentiable",
]
