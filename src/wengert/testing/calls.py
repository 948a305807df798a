"""One call of an operator as data: its arguments can be listed, exchanged and called again, as every check does."""

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
        args, kwargs: the arguments; tensors may lie in lists and tuples.
        smooth: the arguments lie away from kinks, so that differences approach derivatives.
        through: what calls the operator, or None, see `Sample`.
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
        """The tensors among the arguments, from left to right."""
        return [*tensors_in(self.args), *tensors_in(tuple(self.kwargs.values()))]

    def differentiable(self) -> list[Tensor]:
        """The tensors that require a gradient."""
        return [each for each in self.tensors() if each.requires_grad]

    def exchanged(self, change: Callable[[Tensor], Tensor]) -> Call:
        """The same call with `change(tensor)` in place of each tensor; a tensor that occurs twice is changed once."""
        known: dict[int, Tensor] = {}

        def once(tensor: Tensor) -> Tensor:
            if id(tensor) not in known:
                known[id(tensor)] = change(tensor)
            return known[id(tensor)]

        kwargs = {name: replaced(value, once) for name, value in self.kwargs.items()}
        return Call(self.operator, replaced(self.args, once), kwargs, self.smooth, self.through)

    def with_tensors(self, tensors: Sequence[Tensor]) -> Call:
        """The same call with other tensors, in the order of `tensors()`."""
        following = iter(tensors)
        args = replaced(self.args, lambda _: next(following))
        kwargs = {name: replaced(value, lambda _: next(following)) for name, value in self.kwargs.items()}
        return Call(self.operator, args, kwargs, self.smooth, self.through)

    def run(self) -> Any:
        """What the operator returns."""
        function = self.operator.body if isinstance(self.operator, Composite) else self.operator
        if self.through is not None:
            return self.through(function, *self.args, **self.kwargs)
        return function(*self.args, **self.kwargs)

    def outputs(self) -> list[Tensor]:
        """The tensors among what the operator returns."""
        return list(tensors_in(self.run()))

    def __repr__(self) -> str:
        words = [shown(each) for each in self.args]
        words += [f"{name}={shown(value)}" for name, value in self.kwargs.items()]
        return f"{getattr(self.operator, 'name', self.operator)}({', '.join(words)})"


def shown(value: Any) -> str:
    """An argument as messages show it: tensors by dtype and shape."""
    if isinstance(value, Tensor):
        return f"{value.dtype.name}{list(value.shape)}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(shown, value))}]"
    return repr(value)


def tensors_in(value: Any) -> Iterator[Tensor]:
    """All tensors in nested lists, tuples and dictionaries."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from tensors_in(each)
    elif isinstance(value, dict):
        yield from tensors_in(tuple(value.values()))


def replaced(value: Any, change: Callable[[Tensor], Tensor]) -> Any:
    """A nested value with each tensor exchanged."""
    if isinstance(value, Tensor):
        return change(value)
    if type(value) in (list, tuple):
        return type(value)(replaced(each, change) for each in value)
    if isinstance(value, dict):
        return {name: replaced(each, change) for name, each in value.items()}
    return value


def leaf(array: Any, like: Tensor | None = None, requires_grad: bool | None = None) -> Tensor:
    """A leaf over `array`; it requires a gradient as told, or as `like` does."""
    made = wrap(np.asarray(array))
    wanted = like is not None and like.requires_grad if requires_grad is None else requires_grad
    if wanted and made.dtype.category >= dtypes.FLOAT:
        made.requires_grad = True
    return made


def copied(tensor: Tensor) -> Tensor:
    """A contiguous leaf of the same values."""
    return leaf(np.array(tensor._array_, order="C", copy=True), tensor)


def inside(tensor: Tensor, whole: Any, part: Any) -> Tensor:
    """A leaf on `part`, a view of the larger array `whole`, with the values of `tensor`."""
    part[...] = tensor._array_
    made = share(part, Storage(whole))
    if tensor.requires_grad:
        made.requires_grad = True
    return made


class Case:
    """One sample of one operator in one dtype; makes a fresh call each time it is asked.

    Attributes:
        name: the operator's name in the registry.
        dtype: the dtype under test.
        number: which of the samples.
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
        """The sample, made anew, and what made it; nothing requires a gradient that the operator refuses."""
        refused = isinstance(self.operator, Card) and bool(self.operator.why) and bool(self.operator.refused)
        maker = Maker(self.dtype, self.name, requires_grad and not refused)
        for number, sample in enumerate(self.operator.sampler(maker)):
            if number == self.number:
                return sample, maker
            maker.begin()
        raise LookupError(f"{self.name} has no sample {self.number} in {self.dtype.name}")

    def call(self, requires_grad: bool = True) -> Call:
        """A fresh call."""
        sample, maker = self.sample(requires_grad)
        return Call(self.operator, sample.args, sample.kwargs, maker.smooth, sample.through)

    def __repr__(self) -> str:
        return f"{self.name}-{self.dtype.name}-{self.number}"


@contextmanager
def named(what: object) -> Iterator[None]:
    """Say in a failure of which of several forms of a case it is: a test of each would make their number large."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"with: {what}")
        raise


def samples_of(operator: Operator, dtype: dtypes.dtype) -> list[Sample]:
    """All samples of an operator in a dtype; a single one if its sampler raises, so that the error is a test's."""
    try:
        return [] if operator.sampler is None else list(operator.sampler(Maker(dtype, operator.name)))
    except Exception:
        return [Sample()]


@functools.cache
def refused_samples(sampler: Any, name: str, dtype: dtypes.dtype) -> tuple[bool, ...]:
    """For each sample in a dtype whether it must be refused; the samples themselves are made when a test runs."""
    try:
        return tuple([isinstance(each, Bad) for each in sampler(Maker(dtype, name))])
    except Exception:
        return (False,)


def numbers_of(operator: Operator, dtype: dtypes.dtype, bad: bool = False) -> list[int]:
    """Which samples of an operator must be accepted in a dtype, or refused if `bad`."""
    if operator.sampler is None:
        return []
    refused = refused_samples(operator.sampler, operator.name, dtype)
    return [number for number, each in enumerate(refused) if each == bad]


def cases(wanted: Wanted, bad: bool = False, names: Iterable[str] | None = None) -> list[Case]:
    """Case for every operator in the registry, dtype for which `wanted(operator, dtype)`, and sample.

    Args:
        bad: the samples that must be refused, rather than those that must be accepted.
        names: these operators only.
    """
    own = operators()
    return [
        Case(name, dtype, number)
        for name in (own if names is None else names)
        for dtype in dtypes_wanted(own[name], wanted)
        for number in numbers_of(own[name], dtype, bad)
    ]


def dtypes_wanted(operator: Operator, wanted: Wanted) -> list[dtypes.dtype]:
    """The dtypes for which `wanted(operator, dtype)`, of those that the operator is tested in."""
    tested = dtypes_of(operator)
    return [dtype for dtype in dtypes.ALL if dtype in tested and wanted(operator, dtype)]


def names_of(wanted: Wanted) -> list[str]:
    """The operators of `cases(wanted)`, found without making a sample of them."""
    return [name for name, operator in operators().items() if dtypes_wanted(operator, wanted)]


def operators(sparse: bool = False) -> dict[str, Operator]:
    """Every operator in the registry once, by its own name rather than by other names that it may have.

    Args:
        sparse: also those of sparse tensors, which `tests/ops/sparse` checks: what checks samples reads arrays of
            elements.
    """
    own = {name: operator for name, operator in REGISTRY.items() if operator.name == name}
    return {name: operator for name, operator in own.items() if sparse or name not in CARDS | GIVING_SPARSE}


def dtypes_of(operator: Operator) -> frozenset[dtypes.dtype]:
    """The dtypes that an operator is tested in: the declared ones; for composites, which declare none, real ones.

    A composite whose samples accept no real dtype (`imag`) is tested in complex ones.
    """
    if not isinstance(operator, Composite):
        return operator.declared_dtypes
    return REAL if numbers_of(operator, dtypes.float64) else COMPLEX


def one_dtype(operator: Operator) -> dtypes.dtype:
    """The dtype for checks in which one is enough: double precision if the operator exists for it."""
    tested = dtypes_of(operator)
    return next(each for each in PREFERRED if each in tested)


def once(operator: Operator, dtype: dtypes.dtype) -> bool:
    """Whether a dtype is the one for checks in which one is enough."""
    return dtype is one_dtype(operator)
