"""One call of an operator as data, whose arguments can be listed and replaced."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np

from .._core.calls.sparse import CARDS
from .._core.cards.card import REGISTRY, Bad, Card, Composite, Sample
from .._core.tensor.base import Tensor, share, wrap
from .._core.tensor.storage import Storage
from .._core.types import dtypes
from .samples import Maker

Operator: TypeAlias = Card | Composite
Wanted: TypeAlias = Callable[[Operator, dtypes.dtype], bool]

REAL = frozenset({dtypes.float32, dtypes.float64})
COMPLEX = frozenset({dtypes.complex64, dtypes.complex128})
PREFERRED = (dtypes.float64, dtypes.complex128, dtypes.int64, dtypes.bool_, dtypes.uint8)

GIVING_SPARSE = frozenset(
    {
        "_embedding_sparse",
        "resize_as_sparse_",
        "saddmm",
        "smm",
        *(
            f"{part}_copy"
            for part in ("ccol_indices", "col_indices", "crow_indices", "indices", "row_indices", "values")
        ),
        *(f"sparse_{kind}_tensor" for kind in ("bsc", "bsr", "compressed", "coo", "csc", "csr")),
    }
)
"""Operators that take sparse tensors, or whose results or gradients are sparse, apart from those in `CARDS`."""


class Call:
    """An operator with arguments.

    Attributes:
        operator: a card, a composite, or any function of tensors.
        args, kwargs: the arguments; tensors may be in lists and tuples.
        smooth: whether the arguments are away from kinks, so that differences approach derivatives.
        through: function that calls the operator, or None, see `Sample`.
    """

    def __init__(
        self,
        operator: Any,
        args: Sequence[Any],
        kwargs: dict[str, Any] | None = None,
        smooth: bool = True,
        through: Callable[..., Any] | None = None,
    ) -> None:
        self.operator = operator
        self.args = tuple(args)
        self.kwargs = dict(kwargs or {})
        self.smooth = smooth
        self.through = through

    def tensors(self) -> list[Tensor]:
        """Return the tensors among the arguments, from left to right."""
        return [*tensors_in(self.args), *tensors_in(tuple(self.kwargs.values()))]

    def differentiable(self) -> list[Tensor]:
        """Return the tensors that require a gradient."""
        return [tensor for tensor in self.tensors() if tensor.requires_grad]

    def exchanged(self, change: Callable[[Tensor], Tensor]) -> Call:
        """Return the call with `change(tensor)` in place of each tensor; a tensor that occurs twice is changed once."""
        known: dict[int, Tensor] = {}

        def once(tensor: Tensor) -> Tensor:
            if id(tensor) not in known:
                known[id(tensor)] = change(tensor)
            return known[id(tensor)]

        kwargs = {name: replaced(value, once) for name, value in self.kwargs.items()}
        return Call(self.operator, replaced(self.args, once), kwargs, self.smooth, self.through)

    def with_tensors(self, tensors: Sequence[Tensor]) -> Call:
        """Return the call with other tensors, in the order of `tensors()`."""
        following = iter(tensors)
        args = replaced(self.args, lambda _: next(following))
        kwargs = {name: replaced(value, lambda _: next(following)) for name, value in self.kwargs.items()}
        return Call(self.operator, args, kwargs, self.smooth, self.through)

    def run(self) -> Any:
        """Call the operator and return its result."""
        function = self.operator.body if isinstance(self.operator, Composite) else self.operator
        if self.through is not None:
            return self.through(function, *self.args, **self.kwargs)
        return function(*self.args, **self.kwargs)

    def outputs(self) -> list[Tensor]:
        """Return the tensors among the results."""
        return list(tensors_in(self.run()))

    def __repr__(self) -> str:
        words = [shown(arg) for arg in self.args]
        words += [f"{name}={shown(value)}" for name, value in self.kwargs.items()]
        return f"{getattr(self.operator, 'name', self.operator)}({', '.join(words)})"


def shown(value: Any) -> str:
    """Return an argument as messages show it: tensors by dtype and shape."""
    if isinstance(value, Tensor):
        return f"{value.dtype.name}{list(value.shape)}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(shown, value))}]"
    return repr(value)


def tensors_in(value: Any) -> Iterator[Tensor]:
    """Iterate over all tensors in nested lists, tuples and dictionaries."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_in(item)
    elif isinstance(value, dict):
        yield from tensors_in(tuple(value.values()))


def replaced(value: Any, change: Callable[[Tensor], Tensor]) -> Any:
    """Replace each tensor in a nested value."""
    if isinstance(value, Tensor):
        return change(value)
    if type(value) in (list, tuple):
        return type(value)(replaced(item, change) for item in value)
    if isinstance(value, dict):
        return {name: replaced(item, change) for name, item in value.items()}
    return value


def leaf(array: Any, like: Tensor | None = None, requires_grad: bool | None = None) -> Tensor:
    """Return a leaf over `array`; `requires_grad` is as given, or that of `like`."""
    result = wrap(np.asarray(array))
    wanted = like is not None and like.requires_grad if requires_grad is None else requires_grad
    if wanted and result.dtype.category >= dtypes.FLOAT:
        result.requires_grad = True
    return result


def copied(tensor: Tensor) -> Tensor:
    """Return a contiguous leaf with the same values."""
    return leaf(np.array(tensor._array_, order="C", copy=True), tensor)


def inside(tensor: Tensor, whole: Any, part: Any) -> Tensor:
    """Return a leaf on `part`, a view of the larger array `whole`, with the values of `tensor`."""
    part[...] = tensor._array_
    result = share(part, Storage(whole))
    if tensor.requires_grad:
        result.requires_grad = True
    return result


class Case:
    """One sample of one operator in one dtype; creates a new call each time.

    Attributes:
        name: the operator's name in the registry.
        dtype: the dtype under test.
        number: index of the sample.
    """

    def __init__(self, name: str, dtype: dtypes.dtype, number: int) -> None:
        self.name = name
        self.dtype = dtype
        self.number = number

    @property
    def operator(self) -> Any:
        """The card or composite."""
        return REGISTRY[self.name]

    def sample(self, requires_grad: bool = True) -> tuple[Sample, Maker]:
        """Return a new sample and its maker; operands that the operator cannot differentiate require no gradient."""
        refused = isinstance(self.operator, Card) and bool(self.operator.why) and bool(self.operator.refused)
        maker = Maker(self.dtype, self.name, requires_grad and not refused)
        for number, sample in enumerate(self.operator.sampler(maker)):
            if number == self.number:
                return sample, maker
            maker.begin()
        raise LookupError(f"{self.name} has no sample {self.number} in {self.dtype.name}")

    def call(self, requires_grad: bool = True) -> Call:
        """Return a new call."""
        sample, maker = self.sample(requires_grad)
        return Call(self.operator, sample.args, sample.kwargs, maker.smooth, sample.through)

    def __repr__(self) -> str:
        return f"{self.name}-{self.dtype.name}-{self.number}"


@contextmanager
def named(what: object) -> Iterator[None]:
    """Add the name of a variant to a failure: separate tests of all variants would be too many."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"with: {what}")
        raise


def samples_of(operator: Operator, dtype: dtypes.dtype) -> list[Sample]:
    """Return all samples of an operator in a dtype; a single one if its sampler raises, so that a test reports it."""
    try:
        return [] if operator.sampler is None else list(operator.sampler(Maker(dtype, operator.name)))
    except Exception:
        return [Sample()]


@functools.cache
def refused_samples(sampler: Any, name: str, dtype: dtypes.dtype) -> tuple[bool, ...]:
    """Return, for each sample in a dtype, whether it must be refused; samples are created when a test runs."""
    try:
        return tuple([isinstance(sample, Bad) for sample in sampler(Maker(dtype, name))])
    except Exception:
        return (False,)


def numbers_of(operator: Operator, dtype: dtypes.dtype, bad: bool = False) -> list[int]:
    """Return the numbers of the samples of an operator that must be accepted in a dtype, or refused if `bad`."""
    if operator.sampler is None:
        return []
    refused = refused_samples(operator.sampler, operator.name, dtype)
    return [number for number, is_refused in enumerate(refused) if is_refused == bad]


def cases(wanted: Wanted, bad: bool = False, names: Iterable[str] | None = None) -> list[Case]:
    """Return a case for every operator of the registry, dtype for which `wanted(operator, dtype)`, and sample.

    Args:
        bad: select the samples that must be refused, not those that must be accepted.
        names: names of the operators; all if None.
    """
    known = operators() if names is None else REGISTRY  # the first is made anew each time
    return [
        Case(name, dtype, number)
        for name in (known if names is None else names)
        for dtype in dtypes_wanted(known[name], wanted)
        for number in numbers_of(known[name], dtype, bad)
    ]


def dtypes_wanted(operator: Operator, wanted: Wanted) -> list[dtypes.dtype]:
    """Return the tested dtypes of an operator for which `wanted(operator, dtype)`."""
    tested = dtypes_of(operator)
    return [dtype for dtype in dtypes.ALL if dtype in tested and wanted(operator, dtype)]


def names_of(wanted: Wanted) -> list[str]:
    """Return the operators of `cases(wanted)`, without creating samples."""
    return [name for name, operator in operators().items() if dtypes_wanted(operator, wanted)]


def operators(sparse: bool = False) -> dict[str, Operator]:
    """Return every operator of the registry once, by its main name.

    Args:
        sparse: include those of sparse tensors, which `tests/ops/sparse` checks: checks of samples need dense arrays.
    """
    current = {name: operator for name, operator in REGISTRY.items() if operator.name == name}
    return {name: operator for name, operator in current.items() if sparse or name not in CARDS | GIVING_SPARSE}


def dtypes_of(operator: Operator) -> frozenset[dtypes.dtype]:
    """Return the dtypes in which an operator is tested: the declared ones, or real ones for composites.

    A composite whose samples accept no real dtype (`imag`) is tested in complex ones.
    """
    if not isinstance(operator, Composite):
        return operator.declared_dtypes
    return REAL if numbers_of(operator, dtypes.float64) else COMPLEX


def one_dtype(operator: Operator) -> dtypes.dtype:
    """Return the dtype for checks that need only one: double precision if the operator supports it."""
    tested = dtypes_of(operator)
    return next(dtype for dtype in PREFERRED if dtype in tested)


def once(operator: Operator, dtype: dtypes.dtype) -> bool:
    """Return whether a dtype is the one for checks that need only one."""
    return dtype is one_dtype(operator)
