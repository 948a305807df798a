"""Checkpointing: parts of a forward pass keep only their inputs, and run again in the backward pass.

It trades time for memory: the tensors that a part would save for its derivatives are not kept between the passes.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from .._start.boundary import boundary
from .._tensor import Tensor
from ..amp import casting
from ..amp.autocast_mode import autocast
from ..autograd import Function, backward, enable_grad, is_grad_enabled
from ..autograd.recomputation import CHECKS, CheckpointError, Inputs, Region, is_partial, warn
from ..ops.create.create import empty
from ..ops.randomness.generator import default_generator, fork_rng
from .selective_checkpoint import CheckpointPolicy, SelectiveCheckpointContext, create_selective_checkpoint_contexts

ContextFunction = Callable[[], tuple[AbstractContextManager[Any], AbstractContextManager[Any]]]

_BE_EXPLICIT = (
    "the use_reentrant parameter should be passed explicitly. use_reentrant=False is recommended, but if you need to "
    "preserve the current default behavior, you can pass use_reentrant=True."
)


class _Settings(threading.local):
    """Settings of the guards below in this thread; None to use the argument of the call."""

    early_stop: bool | None = None
    debug: bool | None = None


_settings = _Settings()


_ONLY_WHOLE_PASSES = (
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` parameter to "
    ".backward(). To resolve this error, you can either set use_reentrant=False, or call .backward() without passing "
    "the `inputs` argument."
)


def noop_context_fn() -> tuple[AbstractContextManager[Any], AbstractContextManager[Any]]:
    """Return two contexts that do nothing: the default of `context_fn`."""
    return nullcontext(), nullcontext()


@boundary
def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: ContextFunction = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """Call `function(*args, **kwargs)` without saving tensors for its derivatives, which are computed again on demand.

    There are two forms. The recommended one (`use_reentrant=False`) records the call as usual, but its nodes keep
    placeholders instead of tensors; the function runs again when the first of them is needed. It works with all ways to
    compute derivatives. The older form (`use_reentrant=True`) runs the function unrecorded, as one node, whose backward
    step runs it again, recorded, and starts its own backward pass.

    Args:
        function: the function, which must do the same each time it is called with these arguments. It may return
            anything.
        args, kwargs: its arguments; keyword arguments only with `use_reentrant=False`. Besides,
            `preserve_rng_state=False` lets it draw other random numbers when it runs again.
        use_reentrant: the form, which should be given explicitly. None stands for True, with a warning.
        context_fn: function that returns two context managers: for this call and for recomputations.
        determinism_check: "default" compares shape, dtype and device of each recomputed tensor with the original,
            "none" only their number, "operators" (not in torch) also the operators that save them.
        debug: list all operations of both runs in the error about a function that did not do the same.
        early_stop: run the function again only as far as needed.

    Returns:
        The result of the function.

    Raises:
        ValueError: if an argument is not supported by this form.
        CheckpointError: if the function did not do the same (in the backward pass).

    >>> import wengert as wg
    >>> from wengert.utils.checkpoint import checkpoint
    >>> x = wg.tensor([0.0, 1.0], requires_grad=True)
    >>> y = checkpoint(lambda x: x.exp() * x, x, use_reentrant=False)
    >>> y.sum().backward()
    >>> x.grad
    tensor([1.0000, 5.4366])
    """
    if use_reentrant is None:
        warnings.warn(f"torch.utils.checkpoint: {_BE_EXPLICIT}", stacklevel=3)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if use_reentrant:
        if kwargs:
            raise ValueError(f"Unexpected keyword arguments: {','.join(kwargs)}")
        if context_fn is not noop_context_fn or debug:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve, *args)
    if determinism_check not in CHECKS:
        text = f"determinism_check should be one of ['default', 'none'], but got {determinism_check}"
        raise ValueError(f"{text}. There is also 'operators', which compares the names of the operators, too.")
    now, later = context_fn()
    if not is_grad_enabled():
        with now:
            return function(*args, **kwargs)
    region = Region(
        _repeat(function, Inputs(args, kwargs), later, preserve),
        early_stop=early_stop if _settings.early_stop is None else _settings.early_stop,
        check=determinism_check,
        debug=debug if _settings.debug is None else _settings.debug,
    )

    def forward() -> Any:
        with now:
            return function(*args, **kwargs)

    return region.record(forward)


def _repeat(
    function: Callable[..., Any], inputs: Inputs, context: AbstractContextManager[Any], preserve: bool
) -> Callable[[], None]:
    """Return a function that repeats this call, with the current autocast state and optionally random numbers."""
    place, precision = default_generator.mark() if preserve else None, Precision()

    def run() -> None:
        args, kwargs = inputs.unpack()
        with fork_rng(enabled=preserve), precision.region(), context:
            if place:
                default_generator.resume(place)
            function(*args, **kwargs)

    return run


class Precision:
    """The autocast state at its creation."""

    def __init__(self) -> None:
        self.dtype = casting.get_autocast_dtype("cpu")
        self.enabled = casting.is_autocast_enabled("cpu")
        self.cached = casting.is_autocast_cache_enabled()

    def region(self) -> autocast:
        """Return a region of the same kind."""
        return autocast("cpu", self.dtype, self.enabled, self.cached)


class CheckpointFunction(Function):
    """Older form of `checkpoint`: one node, whose backward step runs the function again and then a backward pass.

    The arguments are the function, whether to preserve the random state, and the arguments of the function.
    """

    @staticmethod
    def forward(ctx: Any, run_function: Callable[..., Any], preserve_rng_state: bool, *args: Any) -> Any:
        """Run the function, unrecorded."""
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.place = default_generator.mark() if preserve_rng_state else None
        ctx.precision = Precision()
        ctx.others = [None if isinstance(arg, Tensor) else arg for arg in args]
        ctx.places = [at for at, arg in enumerate(args) if isinstance(arg, Tensor)]
        ctx.save_for_backward(*[args[at] for at in ctx.places])
        return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Run the function again, recorded, and a backward pass from its outputs."""
        if is_partial():
            raise RuntimeError(_ONLY_WHOLE_PASSES)
        args = list(ctx.others)
        for at, tensor in zip(ctx.places, detach_variable(ctx.saved_tensors), strict=True):
            args[at] = tensor
        with fork_rng(enabled=ctx.place is not None), ctx.precision.region(), enable_grad():
            if ctx.place is not None:
                default_generator.resume(ctx.place)
            outputs = ctx.run_function(*args)
        results = outputs if isinstance(outputs, tuple) else (outputs,)
        pairs = [
            (result, grad)
            for result, grad in zip(results, grads, strict=True)
            if isinstance(result, Tensor) and result.requires_grad
        ]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([result for result, _ in pairs], [grad for _, grad in pairs])
        return (None, None, *[arg.grad if isinstance(arg, Tensor) else None for arg in args])


def check_backward_validity(inputs: Iterable[Any]) -> None:
    """Warn if no tensor among the inputs requires a gradient.

    Args:
        inputs: tensors and other values.
    """
    if not any(isinstance(input_, Tensor) and input_.requires_grad for input_ in inputs):
        warn("None of the inputs have requires_grad=True. Gradients will be None")


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return new leaves on the memory of tensors, with the same `requires_grad`.

    Args:
        inputs: a tuple of tensors; other values are unchanged.

    Raises:
        RuntimeError: if `inputs` is not a tuple.
    """
    if not isinstance(inputs, tuple):
        raise RuntimeError(f"Only tuple of tensors is supported. Got Unsupported input type: {type(inputs).__name__}")
    return tuple(
        input_.detach().requires_grad_(input_.requires_grad) if isinstance(input_, Tensor) else input_
        for input_ in inputs
    )


@boundary
def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """Call functions one after the other, in segments; all segments except the last are checkpointed.

    Args:
        functions: an `nn.Sequential`, or modules or functions of one argument.
        segments: the number of segments, of equal length if possible.
        input: the argument of the first function.
        use_reentrant: as for `checkpoint`.
        kwargs: `preserve_rng_state`, as for `checkpoint`.

    Returns:
        The result of the last function.

    Raises:
        ValueError: if there is another keyword argument, or fewer functions than segments.
        TypeError: if `functions` are not functions.
        ZeroDivisionError: if `segments` is 0.
    """
    if use_reentrant is None:
        warnings.warn(f"torch.utils.checkpoint.checkpoint_sequential: {_BE_EXPLICIT}", stacklevel=3)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError(f"Unexpected keyword arguments: {','.join(kwargs)}")
    steps = functions.children() if hasattr(functions, "children") else functions
    if not hasattr(steps, "__iter__"):
        raise TypeError(
            f"checkpoint_sequential() takes an nn.Sequential or a sequence of functions, not {type(functions).__name__}"
        )
    if segments == 0:
        raise ZeroDivisionError("checkpoint_sequential(): expected 1 or more segments, got 0")
    steps = list(steps)
    length = len(steps) // segments
    if length == 0:
        raise ValueError(f"checkpoint_sequential() cannot make {segments} segments of {len(steps)} functions")
    last = length * (segments - 1)
    for start in range(0, last, length):
        segment = _chain(steps[start : start + length])
        input = checkpoint(segment, input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return _chain(steps[last:])(input)


def _chain(steps: Sequence[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    """Return the composition of functions."""

    def run(input: Any) -> Any:
        for step in steps:
            input = step(input)
        return input

    return run


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Context that overrides `early_stop` of calls of `checkpoint` in this thread.

    It is needed only in the forward pass.

    Args:
        enable: whether to stop early.
    """
    before = _settings.early_stop
    _settings.early_stop = enable
    try:
        yield
    finally:
        _settings.early_stop = before


@contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """Context that overrides `debug` of calls of `checkpoint` in this thread.

    Args:
        enabled: the value of `debug`; None to use that of the call.
    """
    before = _settings.debug
    _settings.debug = enabled
    try:
        yield
    finally:
        _settings.debug = before


__all__ = [
    "CheckpointError",
    "CheckpointFunction",
    "CheckpointPolicy",
    "SelectiveCheckpointContext",
    "check_backward_validity",
    "checkpoint",
    "checkpoint_sequential",
    "create_selective_checkpoint_contexts",
    "detach_variable",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
]


# ---- other devices ---------------------------------------------------------------------------------------------------


class DefaultDeviceType:
    """Default accelerator whose random state is preserved; there is none."""

    _type = "cuda"

    @staticmethod
    def set_device_type(device: str = "cuda") -> None:
        """Set the name of the device."""
        DefaultDeviceType._type = device

    @staticmethod
    def get_device_type() -> str:
        """Return the name of the device."""
        return DefaultDeviceType._type


def get_device_states(*args: Any) -> tuple[list[int], list[Tensor]]:
    """Return the numbers of the accelerators of tensors, and their random states: there are none."""
    return [], []


def set_device_states(devices: Sequence[int], states: Sequence[Tensor], *, device_type: str | None = None) -> None:
    """Restore the result of `get_device_states`.

    Raises:
        RuntimeError, AssertionError: if there are states of an unavailable device.
    """
    for number, _ in zip(devices, states):
        empty(0, device=f"{device_type or DefaultDeviceType.get_device_type()}:{number}")
