"""A function at a point: its differentiable inputs and outputs, complex ones split into parts."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ..._core.operators.overlap import overlaps_itself
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from . import errors

AnyFunction = Callable[..., Any]


@dataclass(frozen=True)
class Options:
    """Options of `gradcheck`, which documents them."""

    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    check_undefined_grad: bool
    check_grad_dtypes: bool
    check_batched_grad: bool
    check_batched_forward_grad: bool
    check_forward_ad: bool
    check_backward_ad: bool
    fast_mode: bool
    masked: bool | None


@dataclass(frozen=True)
class Subject:
    """A function, its arguments and its results.

    Attributes:
        part: "real" or "imaginary" if complex tensors were replaced by that part, otherwise empty.
        split: the numbers of the outputs (in forward mode, inputs) with a derivative that were complex before that.
    """

    func: AnyFunction
    inputs: tuple[Any, ...]
    results: tuple[Any, ...]
    part: str = ""
    split: tuple[int, ...] = ()

    @property
    def leaves(self) -> list[Tensor]:
        """The inputs that require a gradient."""
        return [input_ for input_ in self.inputs if isinstance(input_, Tensor) and input_.requires_grad]

    @property
    def places(self) -> list[int]:
        """Positions of the results that require a gradient.

        Raises:
            AttributeError: if a result is not a tensor.
        """
        return differentiable(self.results)

    @property
    def outputs(self) -> list[Tensor]:
        """The results that require a gradient."""
        return [self.results[at] for at in self.places]


def differentiable(results: tuple[Any, ...]) -> list[int]:
    """Return the positions of the results that require a gradient.

    Raises:
        AttributeError: if a result is not a tensor.
    """
    places = []
    for at, result in enumerate(results):
        try:
            if result.requires_grad:
                places.append(at)
        except AttributeError as error:
            raise AttributeError(errors.no_tensor(error, at, result)) from None
    return places


def floating(tensor: Any) -> bool:
    """Return whether a value is a tensor of a dtype that has derivatives."""
    return isinstance(tensor, Tensor) and tensor.dtype.category >= dtypes.FLOAT


def as_tuple(value: Any) -> tuple[Any, ...]:
    """Return one tensor or several as a tuple."""
    if isinstance(value, tuple):
        return value
    return tuple(value) if isinstance(value, list) else (value,)


def check_inputs(inputs: tuple[Any, ...]) -> None:
    """Refuse inputs for which differences cannot be computed.

    Raises:
        RuntimeError: if an input overlaps itself in memory, or its memory is read-only.
        ValueError: if no input requires a gradient.
    """
    any_leaf = False
    for at, input_ in enumerate(inputs):
        if not isinstance(input_, Tensor) or not input_.requires_grad:
            continue
        if input_.dtype not in (dtypes.float64, dtypes.complex128):
            warnings.warn(errors.narrow_input(at), stacklevel=5)
        if overlaps_itself(input_._array_):
            raise RuntimeError(errors.overlapping_input(at))
        if not input_._array_.flags.writeable:
            raise RuntimeError(errors.read_only_input(at))
        any_leaf = True
    if not any_leaf:
        raise ValueError(errors.NO_INPUT)


def parts_of_outputs(subject: Subject) -> Iterator[Subject]:
    """Return the subject itself if its results are real; otherwise one each for their imaginary and real parts."""
    if not any(result.is_complex() for result in subject.results):
        yield subject
        return
    split = tuple(at for at, output in enumerate(subject.outputs) if output.is_complex())
    for part, attribute in (("imaginary", "imag"), ("real", "real")):
        func = part_of_results(subject.func, attribute)
        yield Subject(func, subject.inputs, func(*subject.inputs), part, split)


def part_of_results(func: AnyFunction, attribute: str) -> AnyFunction:
    """Return the function of the real or the imaginary parts of results."""

    def of_part(*inputs: Any) -> tuple[Any, ...]:
        results = as_tuple(func(*inputs))
        return tuple(getattr(result, attribute) if result.is_complex() else result for result in results)

    return of_part


def parts_of_inputs(subject: Subject) -> Iterator[Subject]:
    """Return the subject itself if its inputs are real; otherwise one each for their imaginary and real parts.

    The other part is kept as it is.
    """
    places = {at for at, input_ in enumerate(subject.inputs) if isinstance(input_, Tensor) and input_.is_complex()}
    if not places:
        yield subject
        return
    leaves = [at for at, input_ in enumerate(subject.inputs) if isinstance(input_, Tensor) and input_.requires_grad]
    split = tuple(rank for rank, at in enumerate(leaves) if at in places)
    for part in ("imaginary", "real"):
        func = of_part_of_inputs(subject, places, part)
        attribute = "imag" if part == "imaginary" else "real"
        inputs = tuple(
            getattr(input_, attribute) if at in places else input_ for at, input_ in enumerate(subject.inputs)
        )
        yield Subject(func, inputs, as_tuple(func(*inputs)), part, split)


def of_part_of_inputs(subject: Subject, places: set[int], part: str) -> AnyFunction:
    """Return the function of one part of the complex inputs at `places`."""

    def of_part(*inputs: Any) -> Any:
        operands = list(inputs)
        for at in places:
            operand = subject.inputs[at]
            operands[at] = inputs[at] + operand.imag * 1j if part == "real" else operand.real + inputs[at] * 1j
        return subject.func(*operands)

    return of_part
