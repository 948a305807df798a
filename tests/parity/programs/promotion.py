"""Which dtype arithmetic has."""

from __future__ import annotations

from tests.parity.programs.common import caught

NAMES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128")


def pair_table_of_tensors(torch):
    return {
        f"{a}+{b}": str((torch.ones(1, dtype=getattr(torch, a)) + torch.ones(1, dtype=getattr(torch, b))).dtype)
        for a in NAMES
        for b in NAMES
    }


def pair_table_with_0_dim(torch):
    return {
        f"{a}+{b}": str((torch.ones(1, dtype=getattr(torch, a)) + torch.ones((), dtype=getattr(torch, b))).dtype)
        for a in NAMES
        for b in NAMES
    }


def pair_table_with_numbers(torch):
    return {
        f"{a}*{b!r}": str((torch.ones(1, dtype=getattr(torch, a)) * b).dtype) for a in NAMES for b in (True, 2, 2.5, 2j)
    }


def numbers_with_0_dim(torch):
    return {f"{a}*{b!r}": str((torch.ones((), dtype=getattr(torch, a)) * b).dtype) for a in NAMES for b in (2, 2.5, 2j)}


def division_of_integers(torch):
    return torch.tensor([7, -7, 0]) / torch.tensor([2, 2, 3])


def division_of_bools(torch):
    return torch.tensor([True, False]) / torch.tensor([True, True])


def division_by_number_of_integers(torch):
    return torch.tensor([7, -7]) / 2


def promote_types_table(torch):
    return {f"{a},{b}": str(torch.promote_types(getattr(torch, a), getattr(torch, b))) for a in NAMES for b in NAMES}


def result_type_of_mixed(torch):
    return torch.result_type(torch.tensor([1, 2]), 1.5), torch.result_type(torch.tensor(1.0), torch.tensor([1]))


def can_cast_table(torch):
    return {f"{a},{b}": torch.can_cast(getattr(torch, a), getattr(torch, b)) for a in NAMES for b in NAMES}


def default_dtype_is_float32(torch):
    return torch.get_default_dtype(), torch.tensor(1.5).dtype, torch.tensor([1]).dtype, torch.tensor(1j).dtype


def default_dtype_can_change(torch):
    torch.set_default_dtype(torch.float64)
    try:
        return torch.tensor(1.5).dtype, torch.zeros(1).dtype, (torch.tensor([1]) / 2).dtype, torch.tensor(1j).dtype
    finally:
        torch.set_default_dtype(torch.float32)


def default_dtype_refuses_integers(torch):
    torch.set_default_dtype(torch.int64)


def int_pow_int(torch):
    return torch.tensor([2, 3]) ** 2, torch.tensor([2, 3]) ** 0.5, 2 ** torch.tensor([1, 2])


def int_pow_negative(torch):
    return torch.tensor([2, 3]) ** -1


def comparison_gives_bool(torch):
    return torch.tensor([1, 2]) == torch.tensor([1.0, 3.0]), torch.tensor([1]) < 2.5


def in_place_keeps_dtype(torch):
    x = torch.ones(2, dtype=torch.float32)
    x += torch.ones(2, dtype=torch.float64)
    return x


def in_place_refuses_lower_kind(torch):
    x = torch.ones(2, dtype=torch.int64)
    x += 1.5
    return x


def in_place_division_of_integers_is_refused(torch):
    x = torch.ones(2, dtype=torch.int64)
    x /= 2
    return x


def in_place_bool_and_int(torch):
    x = torch.tensor([True, False])
    x += 1
    return x


def sub_of_bools_is_refused(torch):
    return torch.tensor([True]) - torch.tensor([False])


def negation_of_bool_is_refused(torch):
    return -torch.tensor([True])


def add_and_mul_of_bools(torch):
    a, b = torch.tensor([True, True, False]), torch.tensor([True, False, False])
    return a + b, a * b


def overflow_wraps(torch):
    return torch.tensor([250], dtype=torch.uint8) + 10, torch.tensor([127], dtype=torch.int8) + 1


def half_precision_arithmetic(torch):
    x = torch.tensor([1.0, 1000.0, 60000.0], dtype=torch.float16)
    return x + x, x * 0.1, x / 3


def where_promotes(torch):
    c = torch.tensor([True, False])
    return torch.where(c, torch.tensor([1, 2]), torch.tensor([0.5, 0.5])), torch.where(c, 1.0, torch.tensor([3, 4]))


def cat_promotes(torch):
    return torch.cat([torch.tensor([1]), torch.tensor([1.5])]), torch.cat([torch.tensor([True]), torch.tensor([3])])


def stack_promotes(torch):
    return torch.stack([torch.tensor([1, 2]), torch.tensor([1.5, 2.5])])


def float_functions_of_integers(torch):
    x = torch.tensor([1, 4])
    return [getattr(x, name)().dtype for name in ("exp", "sqrt", "sin", "tanh", "sigmoid", "log", "reciprocal")]


def functions_that_keep_integers(torch):
    x = torch.tensor([-1, 4])
    return [caught(getattr(x, name)) for name in ("abs", "neg", "sign", "square", "relu")]


def sums_of_small_integers(torch):
    return [torch.ones(3, dtype=getattr(torch, name)).sum() for name in NAMES]


def means_of_integers_are_refused(torch):
    return torch.tensor([1, 2]).mean()


def mean_with_dtype(torch):
    return torch.tensor([1, 2]).mean(dtype=torch.float64)


def mixed_matmul_is_refused(torch):
    return torch.ones(2, 2) @ torch.ones(2, 2, dtype=torch.float64)


def gradient_has_the_dtype_of_its_leaf(torch):
    x = torch.ones(2, dtype=torch.float32, requires_grad=True)
    y = torch.ones(2, dtype=torch.float64, requires_grad=True)
    (x * y).sum().backward()
    return x.grad, y.grad


def gradient_of_real_leaf_in_complex_product_is_real(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * torch.tensor([1 + 1j, 2 - 1j])
    y.sum().backward(torch.tensor(1.0 + 0j))
    return y, x.grad


def requires_grad_of_integers_is_refused(torch):
    return torch.ones(2, dtype=torch.int64, requires_grad=True)


def cast_is_recorded(torch):
    x = torch.ones(2, requires_grad=True)
    y = x.double()
    y.sum().backward()
    return y, x.grad


def cast_to_integers_is_not_recorded(torch):
    x = torch.tensor([1.7, -1.7], requires_grad=True)
    return x.long(), x.int(), x.bool()


def casts(torch):
    x = torch.tensor([0.0, 1.7, -2.3])
    return [getattr(x, name)() for name in ("half", "float", "double", "int", "long", "short", "char", "bool")]


def to_of_same_dtype_is_itself(torch):
    x = torch.ones(2)
    return x.to(torch.float32) is x, x.float() is x, x.to(x) is x, x.to(torch.float32, copy=True) is x


def type_as(torch):
    return torch.tensor([1, 2]).type_as(torch.tensor(1.5))


def type_names(torch):
    return [torch.ones(1, dtype=getattr(torch, name)).type() for name in NAMES]


def dtype_attributes(torch):
    return {
        name: [
            getattr(torch, name).is_floating_point,
            getattr(torch, name).is_complex,
            getattr(torch, name).is_signed,
            getattr(torch, name).itemsize,
        ]
        for name in NAMES
    }


def dtype_aliases(torch):
    return [torch.float, torch.double, torch.half, torch.long, torch.int, torch.short, torch.cfloat, torch.cdouble]
