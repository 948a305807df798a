"""`wengert.array_api` by our tables of the array API standard 2024.12: parameters, dtypes, special cases."""

from __future__ import annotations

import cmath
import inspect
import itertools
import math
import operator

import numpy as np
import pytest

import wengert as wg
from tests.compat import array_api_special_cases as cases, array_api_table as table

xp = wg.array_api
FUNCTIONS = table.functions()
TYPED = [(name, kind, result) for name, _, kind, result in FUNCTIONS if kind != "-" and result != "-"]
ARGUMENTS = {
    "axes": (1, 0),
    "axis": 0,
    "destination": 1,
    "fill_value": 1,
    "n": 2,
    "repeats": 2,
    "repetitions": (2, 1),
    "shape": (3, 3),
    "shift": 1,
    "source": 0,
}
"""What functions are called with for parameters that are neither arrays nor optional."""

VECTORS = ("linalg.outer", "searchsorted", "take")
PARTS = {"complex64": "float32", "complex128": "float64"}
SUMMED = {**dict.fromkeys(table.SIGNED, "int64"), **dict.fromkeys(table.UNSIGNED, "uint64")}


def function(name):
    return operator.attrgetter(name)(xp)


def sample(name, dtype):
    """Return an array of a dtype with which the function can be called."""
    if name == "squeeze":
        return xp.ones((1, 3), dtype=dtype)
    if name in VECTORS:
        return xp.ones(3, dtype=dtype)
    return xp.eye(3, dtype=dtype) if name.startswith("linalg") else xp.ones((3, 3), dtype=dtype)


def call(name, *dtypes):
    """Return a function's result for arrays of dtypes, the first array if there are several."""
    arrays = [sample(name, getattr(xp, dtype)) for dtype in dtypes]
    indices = xp.zeros((3, 3) if name == "take_along_axis" else (3,), dtype=xp.int64)
    values = dict(ARGUMENTS, indices=indices, condition=xp.eye(3, dtype=xp.bool), arrays=arrays)
    values.update({"x": arrays[0], "obj": arrays[0], "x1": arrays[0], "x2": arrays[-1]})
    positional, named = [], {}
    for parameter in inspect.signature(function(name)).parameters.values():
        if parameter.name in values and (parameter.default is parameter.empty or parameter.name == "axes"):
            if parameter.kind is parameter.KEYWORD_ONLY:
                named[parameter.name] = 1 if name.endswith("tensordot") else values[parameter.name]
            else:
                positional.append(values[parameter.name])
    if name.startswith("cumulative"):
        named["axis"] = 0
    result = function(name)(*positional, **named)
    return result[0] if isinstance(result, tuple) else result


def result_dtype(rule, *dtypes):
    """Return the name of the dtype that a rule of the table gives; None if there is none."""
    if rule == "promoted":
        return table.promotions().get(dtypes)
    rules = {
        "same": dtypes[0],
        "real": PARTS.get(dtypes[0], dtypes[0]),
        "complex": {part: whole for whole, part in PARTS.items()}.get(dtypes[0]),
        "summed": SUMMED.get(dtypes[0], dtypes[0]),
    }
    return rules.get(rule, rule)


@pytest.mark.parametrize("name, parameters", [line[:2] for line in FUNCTIONS], ids=[line[0] for line in FUNCTIONS])
def test_parameters(name, parameters):
    scope = {}
    exec(f"def wanted({parameters}): ...", scope)
    wanted = inspect.signature(scope["wanted"]).parameters.values()
    found = inspect.signature(function(name)).parameters.values()
    assert [(p.name, p.kind, p.default) for p in found] == [(p.name, p.kind, p.default) for p in wanted]


def test_every_name_of_the_namespace_is_in_the_table():
    names = {line[0] for line in FUNCTIONS}
    extras = {"__array_api_version__", "__array_namespace_info__", "fft", "linalg"}
    assert set(xp.__all__) == {n for n in names if "." not in n} | {*table.KINDS["any"], *table.CONSTANTS, *extras}
    for extension in ("linalg", "fft"):
        wanted = {n.partition(".")[2] for n in names if n.startswith(extension)}
        assert set(getattr(xp, extension).__all__) == wanted
    assert (xp.e, xp.pi, xp.inf, xp.newaxis) == (math.e, math.pi, math.inf, None) and math.isnan(xp.nan)


@pytest.mark.parametrize("name, kind, result", TYPED, ids=[line[0] for line in TYPED])
def test_dtypes_of_results(name, kind, result):
    two = "x1" in inspect.signature(function(name)).parameters or name in ("concat", "stack")
    kinds = table.KINDS[kind]
    for dtypes in itertools.product(kinds, repeat=2) if two else ((dtype,) for dtype in kinds):
        wanted = result_dtype(result, *dtypes)
        if wanted is not None and (not two or table.promotions().get(dtypes)):
            assert call(name, *dtypes).dtype is getattr(xp, wanted), dtypes


@pytest.mark.parametrize("shapes", [((), ()), ((), (2,)), ((2,), ()), ((2,), (1, 2))])
def test_promotion_is_of_dtypes_not_of_dimensions(shapes):
    for (first, second), wanted in table.promotions().items():
        dtypes = [getattr(xp, first), getattr(xp, second)]
        arrays = [xp.ones(shape, dtype=dtype) for shape, dtype in zip(shapes, dtypes)]
        if wanted is None:
            with pytest.raises(TypeError, match="no integer dtype holds"):
                xp.result_type(*arrays)
            continue
        assert xp.result_type(*arrays) is xp.result_type(*dtypes) is getattr(xp, wanted)
        assert xp.can_cast(arrays[0], dtypes[1]) is xp.can_cast(*dtypes) is (wanted == second)
        result = xp.equal(*arrays) if first == "bool" else xp.multiply(*arrays)
        assert result.dtype is getattr(xp, wanted) and np.all(np.asarray(result))


def test_casts_between_kinds_are_no_promotions():
    for first, second in itertools.product(table.KINDS["any"], repeat=2):
        if (first, second) not in table.promotions():
            assert not xp.can_cast(getattr(xp, first), getattr(xp, second))


SCALARS = {"bool": (True,), "integer": (3,), "real_floating": (3, 2.5), "complex": (3, 2.5, 1 + 2j)}
BINARY = [
    (name, kind, result)
    for name, kind, result in TYPED
    if "." not in name
    and name != "searchsorted"
    and list(inspect.signature(function(name)).parameters) == ["x1", "x2"]
    and name != "matmul"
]


@pytest.mark.parametrize("name, kind, result", BINARY, ids=[line[0] for line in BINARY])
def test_scalars_take_the_dtype_of_the_array(name, kind, result):
    for group, scalars in SCALARS.items():
        for dtype in set(table.KINDS[group]) & set(table.KINDS[kind]):
            x = xp.full((2,), 1, dtype=getattr(xp, dtype))
            for scalar, swap in itertools.product(scalars, (False, True)):
                operands = (scalar, x) if swap else (x, scalar)
                arrays = [xp.asarray(operand, dtype=x.dtype) for operand in operands]
                found, wanted = function(name)(*operands), function(name)(*arrays)
                assert found.dtype is wanted.dtype is getattr(xp, "bool" if result == "bool" else dtype)
                np.testing.assert_array_equal(found, wanted)
                assert xp.result_type(*operands) is x.dtype


@pytest.mark.parametrize("name", [line[0] for line in BINARY])
def test_two_scalars_are_no_operands(name):
    with pytest.raises(TypeError, match="an array is expected"):
        function(name)(1, 1)


def agree(found, wanted, word):
    """Whether a number is the one that is wanted: the same sign, unless the word has one of "±"."""
    if isinstance(wanted, bool) or math.isnan(wanted):
        return found is wanted or found != found
    if "±" in word:
        found, wanted = abs(found), abs(wanted)
    return math.isclose(found, wanted, rel_tol=1e-6) and math.copysign(1, found) == math.copysign(1, wanted)


def differences(name, word, dtype, operands, wanted):
    """Return the operands for which the function gives something else."""
    arrays = [xp.asarray(list(column), dtype=dtype) for column in zip(*operands)]
    found = np.asarray(function(name)(*arrays)).tolist()
    return [
        (case, number) for case, number, result in zip(operands, found, wanted) if not matches(number, result, word)
    ]


def matches(found, wanted, word):
    if not isinstance(wanted, tuple):
        return agree(found, wanted, word)
    words = (*word.split(","), word)
    return agree(found.real, wanted[0], words[0]) and agree(found.imag, wanted[1], words[1])


@pytest.mark.parametrize("line", (cases.REAL + cases.PAIRS).strip().replace("\n\n", "\n").splitlines())
@pytest.mark.parametrize("dtype", table.REAL)
def test_special_cases(line, dtype):
    name, *words, result = line.split()
    operands = list(itertools.product(*map(cases.numbers, words)))
    wanted = [cases.value(result, *case) for case in operands]
    assert not differences(name, result, getattr(xp, dtype), operands, wanted)


OPERATORS = {
    "add": operator.add,
    "divide": operator.truediv,
    "floor_divide": operator.floordiv,
    "multiply": operator.mul,
    "pow": operator.pow,
    "remainder": operator.mod,
    "subtract": operator.sub,
}
OF_TORCH = [
    *(f"floor_divide {infinite} {finite}" for infinite in ("inf", "-inf") for finite in ("positive", "negative")),
    *("floor_divide positive -inf", "floor_divide negative inf"),
]
"""Where the operator of a tensor does what torch's does."""


@pytest.mark.parametrize("line", [line for line in cases.PAIRS.split("\n") if line.partition(" ")[0] in OPERATORS])
def test_operators_have_the_special_cases_but_those_of_torch(line):
    name, *words, result = line.split()
    operands = list(itertools.product(*map(cases.numbers, words)))
    arrays = [xp.asarray(list(column), dtype=xp.float64) for column in zip(*operands)]
    found = OPERATORS[name](*arrays).tolist()
    wanted = [cases.value(result, *case) for case in operands]
    agreed = all(agree(*pair, result) for pair in zip(found, wanted))
    assert agreed is (line.rpartition(" ")[0] not in OF_TORCH)


def test_operators_promote_arrays_of_one_rank():
    for (first, second), wanted in table.promotions().items():
        if first != "bool" and not {first, second} & set(table.UNSIGNED[1:]):
            x, y = (xp.ones(2, dtype=getattr(xp, dtype)) for dtype in (first, second))
            assert (x + y).dtype is (x * y).dtype is getattr(xp, wanted)


@pytest.mark.parametrize("name", ["add", "subtract", "floor_divide", "remainder", "pow"])
@pytest.mark.parametrize("dtype", table.UNSIGNED[1:])
def test_operators_of_wide_unsigned_integers_are_refused_by_name(name, dtype):
    x = xp.ones(2, dtype=getattr(xp, dtype))
    with pytest.raises(NotImplementedError, match=f"not implemented for 'UInt{8 * x.itemsize}'"):
        OPERATORS[name](x, x)
    assert function(name)(x, x).dtype is x.dtype


@pytest.mark.parametrize("line", cases.COMPLEX.strip().splitlines())
@pytest.mark.parametrize("dtype", table.COMPLEX)
def test_complex_special_cases(line, dtype):
    name, words, result = line.split()
    numbers = [complex(*parts) for parts in itertools.product(*map(cases.numbers, words.split(",")))]
    wanted = [cases.complex_value(result, z) for z in numbers]
    assert not differences(name, result, getattr(xp, dtype), [(z,) for z in numbers], wanted)
    conjugates = [(w[0], -w[1]) if isinstance(w, tuple) else w for w in wanted]
    assert not differences(name, result, getattr(xp, dtype), [(z.conjugate(),) for z in numbers], conjugates)


ROTATED = {"asin": "asinh", "atan": "atanh", "sin": "sinh", "tan": "tanh"}


@pytest.mark.parametrize("name", ROTATED)
@pytest.mark.parametrize("dtype", table.COMPLEX)
def test_complex_trigonometric_functions_are_hyperbolic_ones_of_rotated_numbers(name, dtype):
    parts = cases.numbers("all+nan")
    z = np.array([complex(x, y) for x, y in itertools.product(parts, parts)], dtype)
    rotated = np.empty_like(z)
    rotated.real, rotated.imag = -z.imag, z.real
    result = np.asarray(function(ROTATED[name])(xp.asarray(rotated)))
    wanted = np.stack([result.imag, -result.real])
    found = np.asarray(function(name)(xp.asarray(z)))
    found = np.stack([found.real, found.imag])
    signless = np.isnan(wanted[::-1])  # beside NaN the standard leaves the sign of the other part open
    found, wanted = (np.where(signless, np.abs(parts), parts) for parts in (found, wanted))
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", table.COMPLEX)
def test_expm1_of_complex_numbers_is_exact_near_zero_and_differentiable(dtype):
    z = [1e-8 + 1e-9j, 0.5 - 2j, 39 + 1j, 41 + 1j, -41 + 1j]
    wanted = [1e-8 + 1e-9j, *(cmath.exp(number) - 1 for number in z[1:])]
    np.testing.assert_allclose(xp.expm1(xp.asarray(z, dtype=getattr(xp, dtype))), wanted, rtol=1e-5)
    x = wg.tensor([0.5 - 2j, 2 + 1j], dtype=wg.complex128, requires_grad=True)
    assert wg.autograd.gradcheck(xp.expm1, [x])


@pytest.mark.parametrize("dtype", table.REAL)
def test_reductions_of_nan_and_of_nothing(dtype):
    x = xp.asarray([1.0, xp.nan, 3.0], dtype=getattr(xp, dtype))
    for name in ("sum", "prod", "mean", "std", "var", "max", "min"):
        assert math.isnan(function(name)(x))
    empty = x[:0]
    assert xp.sum(empty) == 0 and xp.prod(empty) == 1 and math.isnan(xp.mean(empty))
    assert xp.all(empty) and not xp.any(empty)


@pytest.mark.parametrize("dtype", table.KINDS["floating"])
def test_limits_of_floating_dtypes(dtype):
    for argument in (getattr(xp, dtype), xp.ones(2, dtype=getattr(xp, dtype))):
        limits, wanted = xp.finfo(argument), np.finfo(dtype)
        assert limits.dtype is getattr(xp, PARTS.get(dtype, dtype))
        for field in ("bits", "eps", "max", "min", "smallest_normal"):
            assert getattr(limits, field) == getattr(wanted, field)
            assert type(getattr(limits, field)) is (int if field == "bits" else float)


@pytest.mark.parametrize("dtype", table.KINDS["integer"])
def test_limits_of_integer_dtypes(dtype):
    for argument in (getattr(xp, dtype), xp.ones(2, dtype=getattr(xp, dtype))):
        limits, wanted = xp.iinfo(argument), np.iinfo(dtype)
        assert limits.dtype is getattr(xp, dtype)
        assert [limits.bits, limits.max, limits.min] == [wanted.bits, wanted.max, wanted.min]
        assert all(type(getattr(limits, field)) is int for field in ("bits", "max", "min"))


@pytest.mark.parametrize("function", [xp.finfo, xp.iinfo])
def test_limits_are_of_dtypes_and_arrays_only(function):
    with pytest.raises(TypeError, match="an array or a dtype is expected, not 1"):
        function(1)
