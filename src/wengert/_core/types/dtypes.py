"""Element types: torch's names over NumPy's dtypes, and torch's promotion rules.

Source of the rules: torch's documentation of `torch.promote_types` and `torch.result_type`. A tensor with dimensions
decides before a 0-dim tensor, and that before a Python number; a lower one matters only if its category (bool < int <
float < complex) is higher.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..._start.loading import load

BOOL, INTEGER, FLOAT, COMPLEX = range(4)


class dtype:
    """Element type of a tensor, such as `wg.float32`. It prints and compares as torch's; `numpy` is its NumPy dtype."""

    __slots__ = ("category", "itemsize", "legacy", "name", "numpy")

    def __init__(self, name: str, numpy_dtype: Any, category: int, legacy: str, itemsize: int = 0) -> None:
        self.name = name
        self.category = category
        self.legacy = legacy
        self.itemsize = itemsize
        if numpy_dtype is not None:
            self.numpy = np.dtype(numpy_dtype)
            self.itemsize = self.numpy.itemsize

    def __getattr__(self, name: str) -> Any:
        """Look up `bfloat16.numpy` on first use: NumPy has no such type, the package ml_dtypes has.

        Raises:
            ModuleNotFoundError: if ml_dtypes is not installed.
            TypeError: if this is one of the dtypes that are names only, see `UNHELD`.
        """
        if name != "numpy":
            raise AttributeError(f"'torch.dtype' object has no attribute {name!r}")
        if self.name != "bfloat16":
            raise TypeError(
                f"there are no tensors of {self} in wengert, which computes with NumPy's numbers: the smallest dtypes "
                "are torch.bfloat16, torch.float16, torch.complex64, torch.int8, torch.uint8 and torch.bool"
            )
        try:
            ml_dtypes = load("ml_dtypes")
        except ImportError as error:
            text = "torch.bfloat16 needs the package ml_dtypes: pip install ml_dtypes"
            raise ModuleNotFoundError(text, name="ml_dtypes") from error
        self.numpy = np.dtype(ml_dtypes.bfloat16)
        of[self.numpy] = self
        return self.numpy

    @property
    def is_floating_point(self) -> bool:
        """True if values are real floating-point numbers."""
        return self.category == FLOAT

    @property
    def is_complex(self) -> bool:
        """True if values are complex numbers."""
        return self.category == COMPLEX

    @property
    def is_signed(self) -> bool:
        """True if values may be negative."""
        return self.category != BOOL and self.name[0] != "u" and self.name != "float8_e8m0fnu"

    def to_real(self) -> dtype:
        """The real type of the same precision."""
        return _REAL.get(self, self)

    def to_complex(self) -> dtype:
        """The complex type of the same precision.

        Raises:
            RuntimeError: if the dtype is integer or bool.
        """
        if self.category < FLOAT:
            raise RuntimeError(f"Unknown Complex ScalarType for {self.legacy[:-6]}")
        return _COMPLEX.get(self, self)

    @property
    def c_name(self) -> str:
        """The C++ name of the elements, as in some of torch's errors."""
        return C_NAMES.get(self.name, self.name)

    @property
    def abbr(self) -> str:
        """A short name: the kind and the number of bits."""
        if self.category == BOOL:
            return "b8"
        short = self.name.replace("_", "")
        for kind in ("float", "complex", "uint", "int"):
            short = short.replace(kind, kind[0])
        return short

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return (by_name, (self.name,))


C_NAMES = {
    "bool": "bool",
    "uint8": "unsigned char",
    "int8": "signed char",
    "int16": "short int",
    "int32": "int",
    "int64": "long int",
    "float16": "c10::Half",
    "bfloat16": "c10::BFloat16",
    "float32": "float",
    "float64": "double",
    "complex64": "c10::complex<float>",
    "complex128": "c10::complex<double>",
}

uint8 = dtype("uint8", np.uint8, INTEGER, "ByteTensor")
uint16 = dtype("uint16", np.uint16, INTEGER, "UInt16Tensor")
uint32 = dtype("uint32", np.uint32, INTEGER, "UInt32Tensor")
uint64 = dtype("uint64", np.uint64, INTEGER, "UInt64Tensor")
int8 = dtype("int8", np.int8, INTEGER, "CharTensor")
int16 = dtype("int16", np.int16, INTEGER, "ShortTensor")
int32 = dtype("int32", np.int32, INTEGER, "IntTensor")
int64 = dtype("int64", np.int64, INTEGER, "LongTensor")
float16 = dtype("float16", np.float16, FLOAT, "HalfTensor")
bfloat16 = dtype("bfloat16", None, FLOAT, "BFloat16Tensor", 2)
float32 = dtype("float32", np.float32, FLOAT, "FloatTensor")
float64 = dtype("float64", np.float64, FLOAT, "DoubleTensor")
complex64 = dtype("complex64", np.complex64, COMPLEX, "ComplexFloatTensor")
complex128 = dtype("complex128", np.complex128, COMPLEX, "ComplexDoubleTensor")
bool_ = dtype("bool", np.bool_, BOOL, "BoolTensor")

ALL: tuple[dtype, ...] = (
    uint8,
    uint16,
    uint32,
    uint64,
    int8,
    int16,
    int32,
    int64,
    float16,
    float32,
    float64,
    complex64,
    complex128,
    bool_,
)
"""All dtypes that NumPy has itself; `bfloat16` is not among them."""
HALVES = frozenset({float16, bfloat16})
"""The dtypes of 16 bits, in which nothing is computed: see `operators.halves`."""
ALIASES = {
    "byte": uint8,
    "char": int8,
    "short": int16,
    "int": int32,
    "long": int64,
    "half": float16,
    "float": float32,
    "double": float64,
    "cfloat": complex64,
    "cdouble": complex128,
}
UNHELD = {
    name: dtype(name, None, category, "", size)
    for category, size, names in (
        (FLOAT, 1, "float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn_x2"),
        (COMPLEX, 4, "complex32"),
        (INTEGER, 1, "int1 int2 int3 int4 int5 int6 int7 uint1 uint2 uint3 uint4 uint5 uint6 uint7"),
        (INTEGER, 1, "qint8 quint8 quint2x4 quint4x2 bits1x8 bits2x4 bits4x2 bits8"),
        (INTEGER, 2, "bits16"),
        (INTEGER, 4, "qint32"),
    )
    for name in names.split()
}
"""torch's dtypes that NumPy has no numbers for: programs put them into tables, compare them; tensors are refused."""
UNHELD |= {"chalf": UNHELD["complex32"], "bit": UNHELD["uint1"]}

_NAMES = {member.name: member for member in (*ALL, bfloat16, *UNHELD.values())}
of: dict[Any, dtype] = {member.numpy: member for member in ALL}
"""NumPy dtype -> dtype."""

_WIDE = {uint16, uint32, uint64}
_REAL = {complex64: float32, complex128: float64}
_COMPLEX = {float16: complex64, bfloat16: complex64, float32: complex64, float64: complex128}


def by_name(name: str) -> dtype:
    """The dtype called `name`.

    Raises:
        KeyError: if no dtype has that name.
    """
    return _NAMES[name]


class _Default:
    """The process-wide default type of Python floats (process-wide in torch too)."""

    dtype = float32


def get_default_dtype() -> dtype:
    """Return the dtype of Python floats in factories and promotion: float32 unless changed.

    Examples:
        >>> import wengert as wg
        >>> wg.get_default_dtype()
        torch.float32
    """
    return _Default.dtype


def set_default_dtype(d: dtype) -> None:
    """Set the dtype of Python floats in factories and promotion.

    Raises:
        TypeError: if `d` is not a floating-point dtype, or one that no tensors have here.

    Examples:
        >>> import wengert as wg
        >>> wg.set_default_dtype(wg.float64)
        >>> x = wg.tensor([1.5])
        >>> wg.set_default_dtype(wg.float32)
        >>> x
        tensor([1.5000], dtype=torch.float64)
    """
    if not (isinstance(d, dtype) and d.is_floating_point and d.numpy):
        raise TypeError(
            f"{'' if isinstance(d, dtype) else 'invalid dtype object: '}only floating-point types are supported as the "
            "default type"
        )
    _Default.dtype = d


def from_numpy(numpy_dtype: Any) -> dtype:
    """The dtype of a NumPy dtype.

    Raises:
        TypeError: if NumPy's type has no counterpart (strings, objects, dates ...).
    """
    result = of.get(numpy_dtype)
    if result is None:
        native = np.dtype(numpy_dtype).newbyteorder("=")
        result = bfloat16 if native.name == "bfloat16" and native == bfloat16.numpy else of.get(native)
    if result is None:
        raise TypeError(
            f"can't convert np.ndarray of type numpy.{np.dtype(numpy_dtype).type.__name__}. The only supported types "
            "are: float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, "
            "uint16, uint8, and bool."
        )
    return result


def canonical(array: Any) -> Any:
    """The array with NumPy's own object for its dtype, which promotion and the native kernels compare by identity.

    An equal dtype may be another object, e.g. after `newbyteorder`. The memory is shared.
    """
    expected = from_numpy(array.dtype).numpy
    return array if array.dtype is expected or array.dtype != expected else array.view(expected)


def of_number(value: object) -> dtype:
    """The dtype that a Python number stands for."""
    if isinstance(value, bool):
        return bool_
    if isinstance(value, int):
        return int64
    if isinstance(value, complex):
        if _Default.dtype is bfloat16:
            raise RuntimeError("invalid default scalar type for complex")
        return _Default.dtype.to_complex()
    return _Default.dtype


PYTHON_TYPES: dict[Any, dtype] = {float: float64, int: int64, bool: bool_, complex: complex128}
"""Python's types where a dtype is asked for."""


def as_dtype(value: Any) -> Any:
    """A dtype for one of Python's types; anything else as it is."""
    return PYTHON_TYPES.get(value, value) if isinstance(value, type) else value


def check_dtype(name: str, argument: str, position: int, value: object) -> None:
    """Refuse a value that is not a dtype.

    Raises:
        TypeError: if `value` is not a dtype.
    """
    if not isinstance(value, dtype):
        type_name = type(value).__name__
        raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be torch.dtype, not {type_name}")


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """Return the smallest dtype that holds both by torch's table.

    Args:
        type1, type2: dtypes.

    Raises:
        RuntimeError: if a wide unsigned integer meets a bool, another integer or a complex type, which torch leaves
            undefined.

    Examples:
        >>> import wengert as wg
        >>> wg.promote_types(wg.int32, wg.float16)
        torch.float16
    """
    type1, type2 = as_dtype(type1), as_dtype(type2)
    if type1 is type2:
        return type1
    check_dtype("promote_types", "type1", 1, type1)
    check_dtype("promote_types", "type2", 2, type2)
    low, high = sorted((type1, type2), key=lambda operand: operand.category)
    if (low in _WIDE or high in _WIDE) and high.category != FLOAT:
        raise RuntimeError(
            f"Promotion for uint16, uint32, uint64 types is not supported, attempted to promote {type1.legacy[:-6]} "
            f"and {type2.legacy[:-6]}"
        )
    if low.category < high.category:
        if high.category == COMPLEX and low.category == FLOAT:
            return complex128 if low is float64 else high
        return high
    if low.category == COMPLEX:
        return complex128
    if low.category == FLOAT:
        return low if low.itemsize > high.itemsize else high if high.itemsize > low.itemsize else float32
    return of[np.promote_types(low.numpy, high.numpy)]


def _combine(higher: dtype | None, lower: dtype | None) -> dtype | None:
    if higher is None or lower is None:
        return higher or lower
    if higher.category == COMPLEX:
        return higher
    if higher.category == FLOAT:
        return higher.to_complex() if lower.category == COMPLEX else higher
    if lower.category == COMPLEX:
        return lower
    if higher.category == BOOL or lower.category == FLOAT:
        return promote_types(higher, lower)
    return higher


def result_type(arrays: Iterable[Any], numbers: Iterable[object] = ()) -> dtype:
    """Return the common dtype of arrays and Python numbers.

    Args:
        arrays: objects with `dtype` (NumPy's) and `ndim`; those with dimensions decide first.
        numbers: Python numbers; they decide last.
    """
    ranked: list[dtype | None] = [None, None, None]
    for array in arrays:
        rank = 0 if array.ndim else 1
        kind = from_numpy(array.dtype)
        known = ranked[rank]
        ranked[rank] = kind if known is None else promote_types(known, kind)
    for number in numbers:
        kind = of_number(number)
        known = ranked[2]
        ranked[2] = kind if known is None else promote_types(known, kind)
    result = _combine(ranked[0], _combine(ranked[1], ranked[2]))
    assert result is not None, "result_type needs at least one operand"
    return result


def limits_of(real: dtype) -> Any:
    """NumPy's description of a floating-point dtype, or that of ml_dtypes."""
    if real is not bfloat16 and not real.name.startswith("float8"):
        return np.finfo(real.numpy)
    bfloat16.numpy  # noqa: B018 - raises if the package is missing
    ml_dtypes = load("ml_dtypes")

    return ml_dtypes.finfo(getattr(ml_dtypes, real.name))


class Limits:
    """Base of `finfo` and `iinfo`: those of one dtype are equal."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    __hash__ = None


class finfo(Limits):
    """The limits of a floating-point dtype, or of the parts of a complex one (`bits`, `eps`, `max`, `resolution`, ...).

    Raises:
        TypeError: if the dtype is neither floating-point nor complex.
    """

    def __init__(self, type: dtype | None = None) -> None:
        kind = _Default.dtype if type is None else as_dtype(type)
        check_dtype("finfo", "type", 1, kind)
        if kind.category < FLOAT:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
            )
        real = kind.to_real()
        limits = limits_of(real)
        self.dtype = real.name
        self.bits = limits.bits
        self.eps, self.max, self.min = float(limits.eps), float(limits.max), float(limits.min)
        self.tiny = self.smallest_normal = float(limits.tiny)
        self.resolution = 10.0**-limits.precision if limits.bits > 8 else 1.0

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )


class iinfo(Limits):
    """The limits of an integer dtype: `bits, max, min`.

    Raises:
        TypeError: if the dtype is not an integer dtype.
    """

    def __init__(self, type: dtype) -> None:
        type = as_dtype(type)
        check_dtype("iinfo", "type", 1, type)
        if type.category == BOOL:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        if type.category != INTEGER:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        limits = np.iinfo(type.numpy)
        self.dtype = type.name
        self.bits, self.max, self.min = limits.bits, int(limits.max), int(limits.min)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"


def can_cast(from_: dtype, to: dtype) -> bool:
    """Return whether torch lets a result of type `from_` be written into a tensor of type `to`: no category is lost.

    Examples:
        >>> import wengert as wg
        >>> wg.can_cast(wg.float64, wg.float32), wg.can_cast(wg.float32, wg.int64)
        (True, False)
    """
    from_, to = as_dtype(from_), as_dtype(to)
    check_dtype("can_cast", "from_", 1, from_)
    check_dtype("can_cast", "to", 2, to)
    return from_.category <= to.category and not (to.category == BOOL and from_.category != BOOL)
