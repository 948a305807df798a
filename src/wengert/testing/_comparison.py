"""Parts of `assert_close` under torch's names: pairs of values, which libraries extend by further kinds."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from .._core.tensor.base import Tensor
from .._core.types import dtypes
from .._core.types.devices import strided
from ..ops.create.create import tensor
from .close import (
    BFLOAT16,
    TOLERANCES,
    Comparison,
    assert_allclose,
    assert_close,
    compare_numbers,
    compare_sparse,
    compare_values,
    differ,
    where,
)

Id = tuple[Any, ...]
PRECISIONS = {**TOLERANCES, dtypes.bfloat16: BFLOAT16}


class ErrorMeta(Exception):  # noqa: N818 - torch's name
    """A difference between two values.

    Args:
        type: type of the error to raise.
        msg: message of the error.
        id: path inside nested containers.
    """

    def __init__(self, type: type[Exception], msg: str, *, id: Id = ()) -> None:
        super().__init__(
            "If you are a user and see this message during normal operation please file an issue: this error is to be "
            f"turned into a {type.__name__} with `raise error_meta.to_error()`."
        )
        self.type, self.msg, self.id = type, msg, id

    def to_error(self, msg: str | Callable[[str], str] | None = None) -> Exception:
        """Return the error, with its path.

        Args:
            msg: message that replaces the default one, or a function of the default message.
        """
        if isinstance(msg, str):
            return self.type(msg)
        usual = self.msg + where(self.id)
        return self.type(usual if msg is None else msg(usual))


class UnsupportedInputs(Exception):  # noqa: N818 - torch's name
    """A kind of pairs does not support such values."""


def default_tolerances(
    *inputs: Any, dtype_precisions: dict[dtypes.dtype, tuple[float, float]] | None = None
) -> tuple[float, float]:
    """Return the larger of the default tolerances of the dtypes.

    Args:
        inputs: tensors, or dtypes.
        dtype_precisions: relative and absolute tolerances by dtype; those of `assert_close` unless given.

    Returns:
        The relative and the absolute tolerance.

    Raises:
        TypeError: if an input is neither a tensor nor a dtype.
    """
    known = PRECISIONS if dtype_precisions is None else dtype_precisions
    pairs = []
    for value in inputs:
        kind = value.dtype if isinstance(value, Tensor) else value
        if not isinstance(kind, dtypes.dtype):
            raise TypeError(f"Expected a torch.Tensor or a torch.dtype, but got {type(value)} instead.")
        pairs.append(known.get(kind, (0.0, 0.0)))
    return max(pair[0] for pair in pairs), max(pair[1] for pair in pairs)


def get_tolerances(*inputs: Any, rtol: float | None, atol: float | None, id: Id = ()) -> tuple[float, float]:
    """Return the given tolerances, or those of the dtypes if none is given.

    Args:
        inputs: tensors, or dtypes.
        rtol, atol: both or none.
        id: path of the values inside nested containers.

    Raises:
        ErrorMeta: if one of the two is given.
    """
    if (rtol is None) != (atol is None):
        missing = "atol" if atol is None else "rtol"
        raise ErrorMeta(
            ValueError, f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}.", id=id
        )
    return default_tolerances(*inputs) if rtol is None or atol is None else (rtol, atol)


class Pair(abc.ABC):
    """Two values to compare.

    Args:
        actual, expected: the values.
        id: path inside nested containers.
        unknown_parameters: options of other kinds of pairs, ignored.

    Raises:
        UnsupportedInputs: if the values are of another kind.
    """

    def __init__(self, actual: Any, expected: Any, *, id: Id = (), **unknown_parameters: Any) -> None:
        self.actual, self.expected, self.id = actual, expected, id
        self._unknown_parameters = unknown_parameters

    @staticmethod
    def _inputs_not_supported() -> NoReturn:
        raise UnsupportedInputs

    @staticmethod
    def _check_inputs_isinstance(*inputs: Any, cls: Any) -> None:
        if not all(isinstance(value, cls) for value in inputs):
            Pair._inputs_not_supported()

    def _fail(self, type: type[Exception], msg: str, *, id: Id = ()) -> NoReturn:
        raise ErrorMeta(type, msg, id=id or self.id)

    def _checked(self, compare: Callable[..., None], *values: Any, options: Comparison) -> None:
        """Compare values by a function of `close`; its error becomes an error of this pair."""
        try:
            compare(*values, options, ())
        except AssertionError as error:
            self._fail(AssertionError, str(error))

    @abc.abstractmethod
    def compare(self) -> None:
        """Compare the two values.

        Raises:
            ErrorMeta: if they differ.
        """

    def extra_repr(self) -> Sequence[str | tuple[str, Any]]:
        """Return further details of the pair to print."""
        return []

    def __repr__(self) -> str:
        shown = [("id", self.id), ("actual", self.actual), ("expected", self.expected)]
        shown += [
            (detail, getattr(self, detail)) if isinstance(detail, str) else detail for detail in self.extra_repr()
        ]
        return "\n".join((f"{type(self).__name__}(", *[f"    {name}={value!s}," for name, value in shown], ")"))


class ObjectPair(Pair):
    """Any two values, compared by `==`."""

    def compare(self) -> None:
        """Compare the two values.

        Raises:
            ErrorMeta: if they differ.
        """
        try:
            equal = bool(self.actual == self.expected)
        except Exception as error:  # whatever `==` raises
            text = f"{self.actual} == {self.expected} failed with:\n{error}."
            raise ErrorMeta(ValueError, text, id=self.id) from error
        if not equal:
            self._fail(AssertionError, f"{self.actual} != {self.expected}")


class NonePair(Pair):
    """None and any value."""

    def __init__(self, actual: Any, expected: Any, **other_parameters: Any) -> None:
        if actual is not None and expected is not None:
            self._inputs_not_supported()
        super().__init__(actual, expected, **other_parameters)

    def compare(self) -> None:
        """Compare the two values.

        Raises:
            ErrorMeta: if one is not None.
        """
        if self.actual is not self.expected:
            self._fail(AssertionError, f"None mismatch: {self.actual} is not {self.expected}")


class BooleanPair(Pair):
    """Two bools, also NumPy's."""

    def __init__(self, actual: Any, expected: Any, *, id: Id = (), **other_parameters: Any) -> None:
        self._check_inputs_isinstance(actual, expected, cls=(bool, np.bool_))
        super().__init__(bool(actual), bool(expected), id=id, **other_parameters)

    def compare(self) -> None:
        """Compare the two values.

        Raises:
            ErrorMeta: if they differ.
        """
        if self.actual is not self.expected:
            self._fail(AssertionError, f"Booleans mismatch: {self.actual} is not {self.expected}")


WIDE = {bool: dtypes.bool_, int: dtypes.int64, float: dtypes.float64, complex: dtypes.complex128}
"""The dtypes of Python's numbers."""


class NumberPair(Pair):
    """Two numbers, also NumPy's.

    Args:
        actual, expected, id: as for `Pair`.
        rtol, atol, equal_nan, check_dtype: as for `assert_close`.
        other_parameters: options of other kinds of pairs.
    """

    def __init__(
        self,
        actual: Any,
        expected: Any,
        *,
        id: Id = (),
        rtol: float | None = None,
        atol: float | None = None,
        equal_nan: bool = False,
        check_dtype: bool = False,
        **other_parameters: Any,
    ) -> None:
        self._check_inputs_isinstance(actual, expected, cls=(int, float, complex, np.number))
        actual_number, expected_number = (
            value.item() if isinstance(value, np.number) else value for value in (actual, expected)
        )
        super().__init__(actual_number, expected_number, id=id, **other_parameters)
        kinds = [WIDE[type(value)] for value in (actual_number, expected_number)]
        self.rtol, self.atol = get_tolerances(*kinds, rtol=rtol, atol=atol, id=id)
        self.equal_nan, self.check_dtype = equal_nan, check_dtype

    def compare(self) -> None:
        """Compare the two values.

        Raises:
            ErrorMeta: if they differ.
        """
        self._checked(compare_numbers, self.actual, self.expected, options=options_of(self))

    def extra_repr(self) -> Sequence[str]:
        """The options."""
        return ("rtol", "atol", "equal_nan", "check_dtype")


class TensorLikePair(Pair):
    """Two tensors, or values that can be converted to tensors.

    Args:
        actual, expected, id: as for `Pair`.
        allow_subclasses, rtol, atol, equal_nan, check_device, check_dtype, check_layout, check_stride: as for
            `assert_close`.
        other_parameters: options of other kinds of pairs.
    """

    def __init__(
        self,
        actual: Any,
        expected: Any,
        *,
        id: Id = (),
        allow_subclasses: bool = True,
        rtol: float | None = None,
        atol: float | None = None,
        equal_nan: bool = False,
        check_device: bool = True,
        check_dtype: bool = True,
        check_layout: bool = True,
        check_stride: bool = False,
        **other_parameters: Any,
    ) -> None:
        actual_tensor, expected_tensor = self._process_inputs(
            actual, expected, id=id, allow_subclasses=allow_subclasses
        )
        super().__init__(actual_tensor, expected_tensor, id=id, **other_parameters)
        self.rtol, self.atol = get_tolerances(actual_tensor, expected_tensor, rtol=rtol, atol=atol, id=id)
        self.equal_nan, self.check_device, self.check_dtype = equal_nan, check_device, check_dtype
        self.check_layout, self.check_stride = check_layout, check_stride

    def _process_inputs(self, actual: Any, expected: Any, *, id: Id, allow_subclasses: bool) -> tuple[Any, Any]:
        related = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
        if not (related if allow_subclasses else type(actual) is type(expected)):
            self._inputs_not_supported()
        return self._to_tensor(actual), self._to_tensor(expected)

    def _to_tensor(self, tensor_like: Any) -> Any:
        if isinstance(tensor_like, Tensor):
            return tensor_like
        if isinstance(tensor_like, (str, bytes, Mapping)) or tensor_like is None:
            self._inputs_not_supported()
        try:
            return tensor(tensor_like)
        except (TypeError, ValueError, RuntimeError):
            self._inputs_not_supported()

    def compare(self) -> None:
        """Compare the two values.

        Raises:
            ErrorMeta: if they differ.
        """
        self._compare_attributes(self.actual, self.expected)
        if not (self.actual.is_meta or self.expected.is_meta):
            self._compare_values(*self._equalize_attributes(self.actual, self.expected))

    def _compare_attributes(self, actual: Any, expected: Any) -> None:
        if actual.shape != expected.shape:
            self._fail(AssertionError, differ("shape", actual.shape, expected.shape))
        for name in ("layout", "device", "dtype"):
            actual_value, expected_value = getattr(actual, name), getattr(expected, name)
            if getattr(self, f"check_{name}") and actual_value != expected_value:
                self._fail(AssertionError, differ(name, actual_value, expected_value))
        dense = actual.layout is strided and expected.layout is strided
        if self.check_stride and dense and actual.stride() != expected.stride():
            self._fail(AssertionError, differ("stride()", actual.stride(), expected.stride()))

    def _equalize_attributes(self, actual: Any, expected: Any) -> tuple[Any, Any]:
        if actual.dtype != expected.dtype:
            common = dtypes.promote_types(actual.dtype, expected.dtype)
            actual, expected = actual.to(common), expected.to(common)
        if actual.layout is not expected.layout:
            actual, expected = (value if value.layout is strided else value.to_dense() for value in (actual, expected))
        return actual, expected

    def _compare_values(self, actual: Any, expected: Any) -> None:
        if actual.layout is not strided:
            self._checked(compare_sparse, actual, expected, options=options_of(self))
        else:
            self._checked(compare_values, actual._array_, expected._array_, options=options_of(self))

    def extra_repr(self) -> Sequence[str]:
        """The options."""
        return ("rtol", "atol", "equal_nan", "check_device", "check_dtype", "check_layout", "check_stride")


def options_of(pair: Any) -> Comparison:
    """Return the options of a pair as a `Comparison`."""
    names = ("check_layout", "check_stride", "check_device")
    options = {name: getattr(pair, name, False) for name in names}
    return Comparison(
        rtol=pair.rtol, atol=pair.atol, equal_nan=pair.equal_nan, check_dtype=pair.check_dtype, msg=None, **options
    )


def originate_pairs(
    actual: Any,
    expected: Any,
    *,
    pair_types: Sequence[type[Pair]],
    sequence_types: tuple[type, ...] = (Sequence,),
    mapping_types: tuple[type, ...] = (Mapping,),
    id: Id = (),
    **options: Any,
) -> list[Pair]:
    """Return the pairs of values in two containers.

    Args:
        actual, expected: values, possibly in sequences and mappings.
        pair_types: kinds of pairs; the first that supports two values is used.
        sequence_types, mapping_types: types of containers.
        id: path of the values inside nested containers.
        options: options of the pairs.

    Raises:
        ErrorMeta: if containers differ in length or keys, or no kind of pairs supports two values.
    """
    both, inner = (
        (actual, expected),
        {"pair_types": pair_types, "sequence_types": sequence_types, "mapping_types": mapping_types, **options},
    )
    if all(isinstance(value, sequence_types) and not isinstance(value, str) for value in both):
        if len(actual) != len(expected):
            text = f"The length of the sequences mismatch: {len(actual)} != {len(expected)}"
            raise ErrorMeta(AssertionError, text, id=id)
        keys: Sequence[Any] = range(len(actual))
    elif all(isinstance(value, mapping_types) for value in both):
        keys = common_keys(actual, expected, id)
    else:
        return [single_pair(actual, expected, pair_types, id, options)]
    return [pair for key in keys for pair in originate_pairs(actual[key], expected[key], id=(*id, key), **inner)]


def common_keys(actual: Any, expected: Any, id: Id) -> list[Any]:
    """Return the keys of two mappings.

    Raises:
        ErrorMeta: if they differ.
    """
    missing, added = expected.keys() - actual.keys(), actual.keys() - expected.keys()
    if missing or added:
        raise ErrorMeta(
            AssertionError,
            "The keys of the mappings do not match:\n"
            f"Missing keys in the actual mapping: {sorted(missing, key=str)}\n"
            f"Additional keys in the actual mapping: {sorted(added, key=str)}",
            id=id,
        )
    return sorted(actual, key=str)


def single_pair(actual: Any, expected: Any, pair_types: Sequence[type[Pair]], id: Id, options: dict[str, Any]) -> Pair:
    """Return the pair of two values, of the first kind that supports them.

    Raises:
        ErrorMeta: if no kind supports them.
    """
    for kind in pair_types:
        try:
            return kind(actual, expected, id=id, **options)
        except UnsupportedInputs:
            continue
    text = f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}."
    raise ErrorMeta(TypeError, text, id=id)


def not_close_error_metas(
    actual: Any,
    expected: Any,
    *,
    pair_types: Sequence[type[Pair]] = (ObjectPair,),
    sequence_types: tuple[type, ...] = (Sequence,),
    mapping_types: tuple[type, ...] = (Mapping,),
    **options: Any,
) -> list[ErrorMeta]:
    """Return the differences between values, possibly in containers.

    Args:
        actual, expected, pair_types, sequence_types, mapping_types, options: as for `originate_pairs`.

    Raises:
        Exception: if the values cannot be compared at all; the error of `ErrorMeta.to_error`.
    """
    try:
        pairs = originate_pairs(
            actual,
            expected,
            pair_types=pair_types,
            sequence_types=sequence_types,
            mapping_types=mapping_types,
            **options,
        )
    except ErrorMeta as error:
        raise error.to_error() from None
    errors = []
    for pair in pairs:
        try:
            pair.compare()
        except ErrorMeta as error:
            errors.append(error)
    return errors


__all__ = [
    "BooleanPair",
    "ErrorMeta",
    "NonePair",
    "NumberPair",
    "ObjectPair",
    "Pair",
    "TensorLikePair",
    "UnsupportedInputs",
    "assert_allclose",
    "assert_close",
    "default_tolerances",
    "get_tolerances",
    "not_close_error_metas",
    "originate_pairs",
]
