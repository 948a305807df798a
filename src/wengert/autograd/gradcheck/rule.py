"""`check_rule`: test a custom Function in one call."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ..._core.backward import passes
from ..._core.functions.function_errors import ONCE_DIFFERENTIABLE
from ..._core.state.grad_mode import no_grad
from ..._core.tensor.base import Tensor, wrap
from ..._core.types import dtypes
from ..function import Function
from . import batching, errors, gradcheck, gradgradcheck
from .comparison import close
from .errors import GradcheckError
from .subject import Subject, as_tuple

Array = Any


class LeftOut(Exception):  # noqa: N818  (no mistake)
    """Raised by a check that does not apply to a Function, with the reason."""


@dataclass(frozen=True)
class Tolerances:
    """Reference and tolerances of `check_rule`."""

    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    reference: Callable[..., Any] | None


@dataclass(frozen=True)
class Sample:
    """A custom Function with arguments.

    Attributes:
        number: the number of the sample, for errors.
    """

    function: type[Function]
    args: tuple[Any, ...]
    number: int

    @property
    def leaves(self) -> list[Tensor]:
        """The arguments that require a gradient."""
        return [arg for arg in self.args if isinstance(arg, Tensor) and arg.requires_grad]

    def exchanged(self, change: Callable[[Tensor], Tensor]) -> tuple[Any, ...]:
        """Return the arguments with `change(tensor)` in place of each tensor."""
        return tuple(change(arg) if isinstance(arg, Tensor) else arg for arg in self.args)

    def results(self, *args: Any) -> tuple[Tensor, ...]:
        """Return the tensors that the Function returns for copies of arguments, which it may write to."""
        return run(self.function, [arg.clone() if isinstance(arg, Tensor) else arg for arg in args])


def run(function: type[Function], args: Sequence[Any]) -> tuple[Tensor, ...]:
    """Return the tensors that a Function returns."""
    return tuple(value for value in as_tuple(function.apply(*args)) if isinstance(value, Tensor))


def copied(tensor: Tensor, array: Array | None = None) -> Tensor:
    """Return a leaf of the same values, or those of `array`, with the `requires_grad` of `tensor`."""
    copy = wrap(tensor._array_.copy() if array is None else array)
    copy.requires_grad = tensor.requires_grad
    return copy


def spread(tensor: Tensor) -> Tensor:
    """Return a non-contiguous leaf of the same values."""
    array = tensor._array_
    if not array.ndim:
        return copied(tensor)
    return copied(tensor, np.repeat(array, 2, axis=-1)[..., ::2])


def gradients(results: Sequence[Tensor], leaves: list[Tensor]) -> list[Array]:
    """Return the gradients of leaves for fixed random cotangents; zeros where there is no gradient."""
    random = np.random.default_rng(0)
    outputs = [result for result in results if result.requires_grad]
    if not outputs:
        return [np.zeros(leaf._array_.shape) for leaf in leaves]
    cotangents = [wrap(np.asarray(random.standard_normal(output.shape), output._array_.dtype)) for output in outputs]
    grads = passes.grad(outputs, leaves, cotangents, None, False, True)
    return [np.zeros(leaf._array_.shape) if grad is None else grad._array_ for leaf, grad in zip(leaves, grads)]


def agree(actual: Sequence[Array], wanted: Sequence[Array], rtol: float, atol: float) -> bool:
    """Return whether arrays agree in number, shape and values; NaN agrees with NaN."""
    return len(actual) == len(wanted) and all(
        value.shape == other.shape and close(np.nan_to_num(value), np.nan_to_num(other), rtol, atol)
        for value, other in zip(actual, wanted)
    )


def arrays(tensors: Sequence[Tensor]) -> list[Array]:
    """Return copies of the values of tensors."""
    return [tensor._array_.copy() for tensor in tensors]


EXACT = 1e-9
"""Tolerance for values computed from the same numbers in another order."""
SINGLE = 1e-3
"""Tolerance for single precision compared with double."""


def check_values(sample: Sample, tolerances: Tolerances) -> None:
    """Check that values are reproducible, recorded or not, contiguous or not; equal the reference; keep the inputs."""
    args = sample.exchanged(copied)
    wanted = arrays(sample.results(*args))
    with no_grad():
        require(agree(arrays(sample.results(*args)), wanted, 0.0, tolerances.nondet_tol), errors.VALUES_UNRECORDED)
    require(agree(arrays(sample.results(*args)), wanted, 0.0, tolerances.nondet_tol), errors.VALUES_AGAIN)
    # Not by `results`, whose copies would be contiguous.
    spread_args = [spread(arg) if isinstance(arg, Tensor) else arg for arg in args]
    with no_grad():
        actual = arrays(run(sample.function, spread_args))
    require(agree(actual, wanted, EXACT, EXACT), errors.VALUES_SPREAD)
    if tolerances.reference is not None:
        truth = [value for value in as_tuple(tolerances.reference(*args)) if isinstance(value, Tensor)]
        require(agree(wanted, arrays(truth), tolerances.rtol, tolerances.atol), errors.VALUES_REFERENCE)
    for place, tensor in enumerate(args):
        if isinstance(tensor, Tensor) and place not in dirty(sample):
            (after,) = arrays([called(sample)[0][place]])
            require(agree([after], [tensor._array_], 0.0, 0.0), errors.hidden_write(place))


def called(sample: Sample) -> tuple[list[Any], tuple[Tensor, ...]]:
    """Return copies of the arguments, which a recorded call may write to, and its results."""
    args = [value.clone() if isinstance(value, Tensor) else value for value in sample.exchanged(copied)]
    return args, run(sample.function, args)


def dirty(sample: Sample) -> list[int]:
    """Return the positions of the arguments that `mark_dirty` declares."""
    nodes = [value.grad_fn if isinstance(value, Tensor) else None for value in called(sample)[0]]
    return [place for place, node in enumerate(nodes) if isinstance(node, sample.function._backward_cls)]


def require(condition: bool, text: str) -> None:
    """Raise an error unless the condition holds.

    Raises:
        GradcheckError: if `condition` is False.
    """
    if not condition:
        raise GradcheckError(text)


def check_first(sample: Sample, tolerances: Tolerances) -> None:
    """Check reverse mode against differences, and the gradient of each argument alone against that among the others."""
    gradcheck(sample.results, sample.args, **options(tolerances))
    together = gradients(sample.results(*sample.args), sample.leaves)
    places = [at for at, arg in enumerate(sample.args) if isinstance(arg, Tensor) and arg.requires_grad]
    for place, wanted in zip(places, together):
        args = list(sample.exchanged(lambda value: value.detach()))
        args[place].requires_grad = True
        require(agree(gradients(sample.results(*args), [args[place]]), [wanted], EXACT, EXACT), errors.alone(place))


def options(tolerances: Tolerances) -> dict[str, Any]:
    """Return the tolerances as keyword arguments of `gradcheck`."""
    names = ("eps", "atol", "rtol", "nondet_tol")
    return {name: getattr(tolerances, name) for name in names}


def check_second(sample: Sample, tolerances: Tolerances) -> None:
    """Check reverse mode over reverse mode against differences."""
    try:
        gradgradcheck(sample.results, sample.args, **options(tolerances))
    except RuntimeError as error:
        if str(error).startswith(ONCE_DIFFERENTIABLE):
            raise LeftOut(f"the backward of {sample.function.__name__} is once_differentiable") from None
        raise


def with_forward_mode(function: type[Function]) -> None:
    """Leave out a check of forward mode if the Function has no `jvp`.

    Raises:
        LeftOut: if the Function has no `jvp`.
    """
    if function.jvp is Function.jvp:
        raise LeftOut(f"{function.__name__} has no jvp")


def check_forward(sample: Sample, tolerances: Tolerances) -> None:
    """Check forward mode against differences."""
    with_forward_mode(sample.function)
    gradcheck(sample.results, sample.args, check_forward_ad=True, check_backward_ad=False, **options(tolerances))


def check_forward_over_reverse(sample: Sample, tolerances: Tolerances) -> None:
    """Check forward mode over reverse mode against differences."""
    with_forward_mode(sample.function)
    only = {"check_fwd_over_rev": True, "check_rev_over_rev": False, "check_undefined_grad": False}
    gradgradcheck(sample.results, sample.args, **only, **options(tolerances))  # type: ignore[arg-type]


def check_batched_gradients(sample: Sample, tolerances: Tolerances) -> None:
    """Check a batch of cotangents against single ones."""
    batching.check_reverse(Subject(sample.results, sample.args, as_tuple(sample.results(*sample.args))))


def check_batching(sample: Sample, tolerances: Tolerances) -> None:
    """Check batches of every choice of arguments, along the first and the last dimension, against single calls."""
    function = sample.function
    if function.vmap is Function.vmap and not function.generate_vmap_rule:
        raise LeftOut(f"{function.__name__} has neither vmap nor generate_vmap_rule")
    vmap, count = batching.vmap(), len(sample.args)
    first = sample.exchanged(lambda value: value.detach())
    other = sample.exchanged(lambda value: value.detach() * 0.99 if inexact(value) else value)
    for chosen in choices([at for at, arg in enumerate(sample.args) if isinstance(arg, Tensor)]):
        second = [other[at] if at in chosen else first[at] for at in range(count)]
        wanted = [np.stack(pair) for pair in zip(*(arrays(sample.results(*pair)) for pair in (first, second)))]
        for dim in (0, -1):
            dims = tuple(dim if at in chosen else None for at in range(count))
            pairs = [
                single if place is None else wrap(np.stack([single._array_, two._array_], axis=dim))
                for single, two, place in zip(first, second, dims)
            ]
            actual = as_tuple(vmap(sample.results, in_dims=dims)(*pairs))
            require(agree(arrays(actual), wanted, EXACT, EXACT), errors.wrong_batch(dims))


def choices(tensors: list[int]) -> Iterator[tuple[int, ...]]:
    """Return all non-empty selections of arguments."""
    for count in range(1, len(tensors) + 1):
        yield from combinations(tensors, count)


def check_in_place(sample: Sample, tolerances: Tolerances) -> None:
    """Check the derivative of writes to views, and that saved tensors are guarded against writes."""
    for place in dirty(sample):
        if len(called(sample)[1]) == 1 and sample.args[place].requires_grad:
            check_view(sample, place, tolerances)
    check_guarded(sample)


def check_view(sample: Sample, place: int, tolerances: Tolerances) -> None:
    """Check that a write to a view has the right derivative for its base."""

    def of_copy(*args: Any) -> Tensor:
        base = args[place].expand(2, *args[place].shape).clone()
        sample.function.apply(*args[:place], base[0], *args[place + 1 :])
        return base

    gradcheck(of_copy, sample.args, check_undefined_grad=False, **options(tolerances))


def check_guarded(sample: Sample) -> None:
    """Check that a write to an argument or result before the backward pass is refused or changes no gradient."""

    def after(kind: str | None, at: int) -> list[Any]:
        leaves = sample.exchanged(copied)
        args = [leaf.clone() if isinstance(leaf, Tensor) else leaf for leaf in leaves]
        results = run(sample.function, args)
        if kind is not None:
            target = args[at] if kind == "argument" else results[at]
            target.detach().add_(1)
        return gradients(results, [leaf for leaf in leaves if isinstance(leaf, Tensor) and leaf.requires_grad])

    wanted = after(None, 0)
    places = [("argument", at) for at, arg in enumerate(sample.args) if inexact(arg)]
    places += [("output", at) for at, result in enumerate(sample.results(*sample.args)) if inexact(result)]
    for kind, at in places:
        try:
            actual = after(kind, at)
        except RuntimeError:
            continue  # refused: without the write there was no error
        require(agree(actual, wanted, EXACT, EXACT), errors.unguarded(kind, at))


def inexact(value: Any) -> bool:
    """Return whether a value is a tensor of a floating-point or complex dtype."""
    return isinstance(value, Tensor) and value.dtype.category >= dtypes.FLOAT


def check_dtypes(sample: Sample, tolerances: Tolerances) -> None:
    """Check results and gradients for inputs of single precision: their dtypes, and their values."""
    wide = sample.results(*sample.exchanged(copied))
    for narrow in (False, True):
        args = sample.exchanged(single if narrow else copied)
        function, seen = watched(sample.function)
        results = Sample(function, args, sample.number).results(*args)
        for at, (result, other) in enumerate(zip(results, wide)):
            wanted = single(other).dtype if narrow else other.dtype
            require(result.dtype is wanted, errors.wrong_dtype(at, result.dtype, wanted))
        if narrow:
            require(agree(arrays(results), arrays(wide), SINGLE, SINGLE), errors.VALUES_SINGLE)
        gradients(results, [arg for arg in args if isinstance(arg, Tensor) and arg.requires_grad])
        for returned in seen:
            for at, (grad, tensor) in enumerate(zip(as_tuple(returned), args)):
                if isinstance(grad, Tensor) and isinstance(tensor, Tensor) and tensor.requires_grad:
                    require(grad.dtype is tensor.dtype, errors.wrong_gradient(at, grad.dtype, tensor.dtype))


def single(tensor: Tensor) -> Tensor:
    """Return a leaf of the same values in single precision; integers are unchanged."""
    narrow = {dtypes.float64: np.float32, dtypes.complex128: np.complex64}.get(tensor.dtype)
    return copied(tensor) if narrow is None else copied(tensor, tensor._array_.astype(narrow))


def watched(function: type[Function]) -> tuple[type[Function], list[Any]]:
    """Return the same Function, and a list that collects the gradients of its `backward` before they are cast."""
    name = "backward" if function.vjp is Function.vjp else "vjp"
    rule, seen = getattr(function, name), []

    def noted(ctx: Any, *grads: Any) -> Any:
        returned = rule(ctx, *grads)
        seen.append(returned)
        return returned

    return type(function.__name__, (function,), {name: staticmethod(noted)}), seen


def check_leaks(sample: Sample, tolerances: Tolerances) -> None:
    """Check that arguments, results and nodes are freed with their last reference, before and after a backward pass."""
    enabled = gc.isenabled()
    try:
        gc.collect()
        gc.disable()
        for backward in (False, True):
            references = ended(sample, backward)
            alive = [name for name, reference in references.items() if reference() is not None]
            if alive:
                gc.collect()
                names = [name for name, reference in references.items() if reference() is not None]
                raise GradcheckError(errors.outliving(names) if names else errors.cycle(alive))
    finally:
        if enabled:
            gc.enable()


def ended(sample: Sample, backward: bool) -> dict[str, weakref.ref[Any]]:
    """Return weak references to all objects of a finished call."""
    leaves = sample.exchanged(copied)
    args = [leaf.clone() if isinstance(leaf, Tensor) else leaf for leaf in leaves]
    results = run(sample.function, args)
    references: dict[str, weakref.ref[Any]]
    references = {f"argument {at}": weakref.ref(arg) for at, arg in enumerate(args) if isinstance(arg, Tensor)}
    for at, result in enumerate(results):
        references[f"output {at}"] = weakref.ref(result)
        node = result.grad_fn
        if isinstance(node, sample.function._backward_cls):
            references[f"the ctx of output {at}"] = weakref.ref(node)
        del node
    if backward:
        gradients(results, [leaf for leaf in leaves if isinstance(leaf, Tensor) and leaf.requires_grad])
    return references


CHECKS: dict[str, Callable[[Sample, Tolerances], None]] = {
    "values": check_values,
    "first derivatives": check_first,
    "second derivatives": check_second,
    "forward mode": check_forward,
    "forward over reverse": check_forward_over_reverse,
    "batched gradients": check_batched_gradients,
    "batching": check_batching,
    "in-place": check_in_place,
    "dtypes": check_dtypes,
    "leaks": check_leaks,
}
"""Checks of `check_rule`, in this order."""


@dataclass(frozen=True)
class RuleReport:
    """Result of `check_rule`.

    Attributes:
        passed: the checks that ran on every sample without a mistake.
        left_out: the others, each with the reason.
    """

    passed: tuple[str, ...]
    left_out: dict[str, str]

    def __repr__(self) -> str:
        lines = []
        for name in CHECKS:
            verdict = "passed" if name in self.passed else f"left out: {self.left_out[name]}"
            lines.append(f"{name:22}{verdict}")
        return "\n".join(lines)


def check_rule(
    function: type[Function],
    samples: Iterable[Any],
    *,
    reference: Callable[..., Any] | None = None,
    without: Sequence[str] = (),
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    nondet_tol: float = 0.0,
) -> RuleReport:
    """Test a custom Function: its values, its rules for every kind of derivative, and its use of memory.

    - ***values**: equal to those of `reference`, and the same each time, recorded or not, contiguous or not; only
      inputs named by `mark_dirty` are written to.
    - ***first derivatives**: `gradcheck`, with missing gradients too; the gradient of an argument does not depend on
      which other gradients are asked for.
    - **second derivatives**: `gradgradcheck`, unless `backward` is `once_differentiable`.
    - **forward mode**: `jvp` against differences, with missing tangents too.
    - **forward over reverse**: `backward`, differentiated by forward mode.
    - ***batched gradients**: a backward pass over a batch of gradients equals one pass for each.
    - ***batching**: `vmap` equals one call for each member, for every choice of batched arguments.
    - ***in-place**: a dirty input that is a view rewrites the history of its base; a write to arguments or results
      between forward and backward pass is refused, or changes no gradient.
    - **dtypes**: single precision in, single precision out; `backward` returns gradients in the dtypes of the inputs.
    - ***leaks**: all objects are freed with their last reference, without the garbage collector.

    Args:
        function: the Function, a class.
        samples: arguments for `apply`, a tuple (or one tensor) for each tested call. Tensors that require a gradient
            are differentiated, and should have double precision.
        reference: a function of the same arguments that computes the values in another way.
        without: names of checks to leave out.
        eps, atol, rtol, nondet_tol: as for `gradcheck`.

    Returns:
        The checks that passed, and those that were left out with the reason; its text is a table.

    Raises:
        GradcheckError: if there are mistakes; the text lists all of them, each with its check and the number of the
            sample.
        TypeError: if `function` is not a Function.
        ValueError: if there is no sample, no tensor of a sample requires a gradient, or `without` has an unknown name.

    >>> import wengert as wg
    >>> class Double(wg.autograd.Function):
    ...     forward = staticmethod(lambda ctx, x: 2 * x)
    ...     backward = staticmethod(lambda ctx, grad: 2 * grad)
    >>> x = wg.tensor([1.0, -2.0], dtype=wg.float64, requires_grad=True)
    >>> wg.autograd.check_rule(Double, [x])
    values                passed
    first derivatives     passed
    second derivatives    passed
    forward mode          left out: Double has no jvp
    forward over reverse  left out: Double has no jvp
    batched gradients     ...
    batching              left out: Double has neither vmap nor generate_vmap_rule
    in-place              passed
    dtypes                passed
    leaks                 passed
    """
    if not (isinstance(function, type) and issubclass(function, Function)):
        raise TypeError(f"check_rule tests a subclass of autograd.Function, but got {function!r}")
    calls = [Sample(function, as_tuple(sample), number) for number, sample in enumerate(samples)]
    if not calls:
        raise ValueError("check_rule needs at least one sample: a tuple of arguments for apply")
    for call in calls:
        if not call.leaves:
            raise ValueError(f"no tensor of sample {call.number} requires a gradient")
    for name in without:
        if name not in CHECKS:
            raise ValueError(f"there is no check {name!r}; there are {', '.join(CHECKS)}")
    tolerances = Tolerances(eps, atol, rtol, nondet_tol, reference)
    return judged(function, calls, tolerances, without)


def judged(function: type[Function], calls: list[Sample], tolerances: Tolerances, without: Sequence[str]) -> RuleReport:
    """Run all checks on all samples.

    Raises:
        GradcheckError: if there is a mistake.
    """
    mistakes, left_out = [], dict.fromkeys(without, "not wanted")
    for name, check in CHECKS.items():
        for sample in calls if name not in without else ():
            try:
                check(sample, tolerances)
            except LeftOut as reason:
                left_out.setdefault(name, str(reason))
            except Exception as error:  # the rule under test may raise anything
                kind = "" if isinstance(error, GradcheckError) else f"{type(error).__name__}: "
                mistakes.append(f"{name}, sample {sample.number}: {kind}{error}")
    if mistakes:
        raise GradcheckError(errors.wrong_rule(function.__name__, mistakes))
    return RuleReport(tuple(name for name in CHECKS if name not in left_out), left_out)
