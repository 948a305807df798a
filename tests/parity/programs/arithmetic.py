"""Arithmetic and comparison: values, special values, ties, errors."""

# ruff: noqa: RUF005 - programs are written as torch's users write them

from __future__ import annotations

import math

from tests.parity.programs.common import caught

INF, NAN = math.inf, math.nan
SPECIAL = [0.0, -0.0, 1.0, -1.0, INF, -INF, NAN]


def leaf(torch, values, **options):
    return torch.tensor(values, requires_grad=True, dtype=torch.float64, **options)


def gradients(torch, function, *values):
    leaves = [leaf(torch, each) for each in values]
    result = function(*leaves)
    return result, torch.autograd.grad(result.sum(), leaves)


def add_with_alpha(torch):
    return gradients(torch, lambda x, y: torch.add(x, y, alpha=3), [1.0, 2.0], [3.0, 4.0])


def add_alpha_of_integers_must_be_integer(torch):
    return torch.add(torch.tensor([1]), torch.tensor([2]), alpha=1.5)


def sub_with_alpha(torch):
    return gradients(torch, lambda x, y: torch.sub(x, y, alpha=3), [1.0, 2.0], [3.0, 4.0])


def rsub_by_operator(torch):
    return gradients(torch, lambda x: 3 - x, [1.0, 2.0])


def rsub_function(torch):
    return torch.rsub(torch.tensor([1.0, 2.0]), 5, alpha=2)


def rdiv_by_operator(torch):
    return gradients(torch, lambda x: 3 / x, [1.0, 2.0])


def mul_special(torch):
    x = torch.tensor(SPECIAL)
    return x[:, None] * x


def div_special(torch):
    x = torch.tensor(SPECIAL)
    return x[:, None] / x


def div_gradients(torch):
    return gradients(torch, lambda x, y: x / y, [1.0, 2.0, 0.0], [3.0, -4.0, 2.0])


def div_rounding_modes(torch):
    x, y = torch.tensor([7.0, -7.0, 7.0, -7.0, 0.0]), torch.tensor([2.0, 2.0, -2.0, -2.0, 3.0])
    return [torch.div(x, y, rounding_mode=mode) for mode in (None, "trunc", "floor")]


def div_rounding_modes_of_integers(torch):
    x, y = torch.tensor([7, -7, 7, -7]), torch.tensor([2, 2, -2, -2])
    return [torch.div(x, y, rounding_mode=mode) for mode in (None, "trunc", "floor")]


def div_rounding_mode_unknown(torch):
    return torch.div(torch.tensor([1.0]), 2, rounding_mode="up")


def integer_division_by_zero(torch):
    return torch.div(torch.tensor([1]), 0, rounding_mode="floor")


def floor_divide_special(torch):
    x = torch.tensor(SPECIAL)
    return x[:, None] // x


def floor_divide_of_integers(torch):
    return torch.tensor([7, -7, 7, -7]) // torch.tensor([2, 2, -2, -2]), 7 // torch.tensor([2, -2])


def floor_divide_gradient(torch):
    x = torch.tensor([5.0], requires_grad=True)
    return caught(lambda: (x // 2).sum().backward()), x.grad


def remainder_signs(torch):
    x, y = torch.tensor([7.0, -7.0, 7.0, -7.0, 0.0, INF, 1.0]), torch.tensor([3.0, 3.0, -3.0, -3.0, 2.0, 2.0, INF])
    return x % y, torch.fmod(x, y), 7 % torch.tensor([3.0, -3.0])


def remainder_gradients(torch):
    return gradients(torch, lambda x, y: x % y, [7.0, -7.0], [3.0, 3.0])


def pow_special(torch):
    x = torch.tensor(SPECIAL)
    return x[:, None] ** x


def pow_gradients(torch):
    return gradients(torch, lambda x, y: x**y, [2.0, 3.0, 0.0, 0.0], [3.0, 0.5, 2.0, 0.0])


def pow_by_numbers(torch):
    return [gradients(torch, lambda x, p=p: x**p, [2.0, 0.5, 0.0]) for p in (0, 1, 2, 3, 0.5, -1)]


def pow_of_number(torch):
    return gradients(torch, lambda x: 2**x, [1.0, -1.0]), gradients(torch, lambda x: 0.0**x, [1.0, 0.0])


def pow_names(torch):
    x = leaf(torch, [1.0])
    return [each.grad_fn.name() for each in (x**2, 2**x, x**x)]


def square_and_sqrt_at_zero(torch):
    return gradients(torch, lambda x: x.square(), [0.0, 3.0]), gradients(torch, lambda x: x.sqrt(), [0.0, 4.0])


def maximum_ties_share(torch):
    return gradients(torch, torch.maximum, [1.0, 2.0, 3.0], [1.0, 5.0, -1.0])


def minimum_ties_share(torch):
    return gradients(torch, torch.minimum, [1.0, 2.0, 3.0], [1.0, 5.0, -1.0])


def maximum_with_nan(torch):
    return torch.maximum(torch.tensor([NAN, 1.0]), torch.tensor([1.0, NAN]))


def maximum_with_a_number_is_refused(torch):
    return torch.maximum(torch.tensor([1.0]), 2.0)


def clamp_gradients(torch):
    return gradients(torch, lambda x: x.clamp(-1, 1), [-2.0, -1.0, 0.0, 1.0, 2.0])


def clamp_one_side(torch):
    return gradients(torch, lambda x: x.clamp(min=0), [-2.0, 0.0, 2.0]), torch.tensor([1, 5]).clamp(max=3)


def clamp_without_bounds_is_refused(torch):
    return torch.tensor([1.0]).clamp()


def clamp_with_tensors(torch):
    return gradients(torch, lambda x, a, b: x.clamp(a, b), [-2.0, 0.5, 2.0], [-1.0, 0.0, 3.0], [1.0, 1.0, 4.0])


def clamp_minimum_above_maximum(torch):
    return gradients(torch, lambda x: x.clamp(2, 1), [0.0, 1.5, 3.0])


def clamp_keeps_nan(torch):
    return torch.tensor([NAN, 3.0]).clamp(0, 1)


def clamp_promotes(torch):
    return torch.tensor([1, 5]).clamp(0, 2.5), torch.tensor([1, 5]).clamp(min=torch.tensor(1.5))


def where_gradients(torch):
    return gradients(torch, lambda x, y: torch.where(x > y, x, y), [1.0, 2.0], [3.0, 1.0])


def where_hides_nan_forward_only(torch):
    return gradients(torch, lambda x: torch.where(x > 0, x.sqrt(), torch.zeros_like(x)), [4.0, -1.0])


def where_alone_is_nonzero(torch):
    return torch.where(torch.tensor([[0, 1], [2, 0]]))


def where_condition_must_be_bool(torch):
    return torch.where(torch.tensor([1.0, 0.0]), torch.tensor([1.0]), torch.tensor([2.0]))


def where_broadcasts(torch):
    return torch.where(torch.tensor([[True], [False]]), torch.tensor([1.0, 2.0]), torch.tensor(0.0))


def comparisons_with_nan(torch):
    x, y = torch.tensor([NAN, 1.0, INF]), torch.tensor([NAN, 1.0, -INF])
    return x == y, x != y, x < y, x <= y, x > y, x >= y


def comparisons_are_not_recorded(torch):
    x = torch.tensor([1.0], requires_grad=True)
    return x > 0, x == x


def comparison_with_none(torch):
    return torch.tensor([1.0]) == None, torch.tensor([1.0]) != None  # noqa: E711


def comparison_with_text(torch):
    return torch.tensor([1.0]) == "a"


def order_with_text_is_refused(torch):
    return torch.tensor([1.0]) < "a"


def order_of_complex_is_refused(torch):
    return torch.tensor([1j]) < torch.tensor([2j])


def logical_operators(torch):
    a, b = torch.tensor([True, True, False]), torch.tensor([True, False, False])
    return a & b, a | b, a ^ b, ~a, a.logical_and(b), a.logical_or(b), a.logical_not()


def bitwise_of_integers(torch):
    a, b = torch.tensor([5, 12]), torch.tensor([3, 10])
    return a & b, a | b, a ^ b, ~a


def bitwise_of_floats_is_refused(torch):
    return torch.tensor([1.0]) & torch.tensor([1.0])


def invert_of_float_is_refused(torch):
    return ~torch.tensor([1.0])


def isnan_isinf_isfinite(torch):
    x = torch.tensor(SPECIAL)
    return torch.isnan(x), torch.isinf(x), torch.isfinite(x), torch.isnan(torch.tensor([1]))


def allclose_and_equal(torch):
    a, b = torch.tensor([1.0, NAN]), torch.tensor([1.0 + 1e-7, NAN])
    return torch.allclose(a, b), torch.allclose(a, b, equal_nan=True), torch.equal(a, a), torch.equal(a, torch.ones(3))


def broadcasting(torch):
    return gradients(torch, lambda x, y: x * y, [[1.0], [2.0]], [[3.0, 4.0, 5.0]])


def broadcasting_with_0_dim(torch):
    return gradients(torch, lambda x, y: x + y, 2.0, [[3.0, 4.0]])


def broadcasting_of_empty(torch):
    return torch.zeros(0, 3) + torch.ones(3), torch.zeros(0, 1) * torch.ones(1, 4)


def broadcasting_is_refused(torch):
    return torch.ones(2, 3) + torch.ones(2, 4)


def broadcasting_is_refused_in_the_middle(torch):
    return torch.ones(2, 3, 4) * torch.ones(2, 4)


def add_of_text_is_refused(torch):
    return torch.ones(2) + "a"


def add_function_of_text_is_refused(torch):
    return torch.add(torch.ones(2), "a")


def add_of_none_is_refused(torch):
    return torch.ones(2) + None


def add_of_list_is_refused(torch):
    return torch.ones(2) + [1, 2]


def add_of_a_numpy_array(torch):
    import numpy as np

    return torch.ones(2) + np.float32(2.0), caught(lambda: torch.ones(2) * np.float64(3))


def add_without_arguments(torch):
    return torch.add()


def mul_with_unknown_keyword(torch):
    return torch.mul(torch.ones(1), torch.ones(1), alpha=2)


def mul_with_one_argument(torch):
    return torch.mul(torch.ones(1))


def too_many_arguments(torch):
    return torch.mul(torch.ones(1), torch.ones(1), torch.ones(1))


def keywords_input_and_other(torch):
    return torch.mul(input=torch.tensor([2.0]), other=torch.tensor([3.0]))


def out_argument(torch):
    out = torch.empty(2)
    result = torch.add(torch.ones(2), 1, out=out)
    return result is out, out


def out_of_wrong_dtype(torch):
    return torch.add(torch.ones(2), 1, out=torch.empty(2, dtype=torch.int64))


def out_is_resized_if_empty(torch):
    out = torch.empty(0)
    torch.mul(torch.ones(2, 3), 2, out=out)
    return out


def out_with_gradient_is_refused(torch):
    return torch.add(torch.ones(2, requires_grad=True), 1, out=torch.empty(2))


def out_that_requires_grad_is_refused(torch):
    return torch.add(torch.ones(2), 1, out=torch.empty(2, requires_grad=True))


def addcmul_and_addcdiv(torch):
    x, y, z = torch.ones(2), torch.tensor([2.0, 3.0]), torch.tensor([4.0, 5.0])
    return torch.addcmul(x, y, z, value=0.5), torch.addcdiv(x, y, z, value=2)


def lerp_between(torch):
    return gradients(torch, lambda x, y: torch.lerp(x, y, 0.25), [0.0, 1.0], [4.0, 5.0])


def second_derivative_of_a_product(torch):
    x, y = leaf(torch, [2.0]), leaf(torch, [3.0])
    (first,) = torch.autograd.grad((x * x * y).sum(), x, create_graph=True)
    return first, torch.autograd.grad(first.sum(), (x, y))


def second_derivative_of_a_quotient(torch):
    x, y = leaf(torch, [2.0]), leaf(torch, [3.0])
    first = torch.autograd.grad((x / y).sum(), (x, y), create_graph=True)
    return first, torch.autograd.grad(first[1].sum(), (x, y))


def third_derivative_of_a_power(torch):
    x = leaf(torch, [2.0])
    result = [x**4]
    for _ in range(4):
        result.append(torch.autograd.grad(result[-1].sum(), x, create_graph=True)[0])
    return [each.detach() for each in result]


def complex_product_gradients(torch):
    x = torch.tensor([1 + 2j], requires_grad=True)
    y = torch.tensor([3 - 1j], requires_grad=True)
    (x * y).real.sum().backward() if hasattr(x, "real") else None
    return x.grad, y.grad


def abs_of_complex(torch):
    x = torch.tensor([3 + 4j, 0j], dtype=torch.complex128, requires_grad=True)
    x.abs().sum().backward()
    return x.abs(), x.grad


def abs_and_sign_at_zero(torch):
    return gradients(torch, torch.abs, [-2.0, 0.0, 3.0]), gradients(torch, torch.sign, [-2.0, 0.0, 3.0])


def bool_tensors_and_numbers_are_not_subtracted(torch):
    b, x = torch.tensor([True, False]), torch.tensor([1, 2])
    actions = (
        lambda: 1 - b,
        lambda: b - 1,
        lambda: 1.5 - b,
        lambda: b - b,
        lambda: x - b,
        lambda: b - x,
        lambda: x - True,
        lambda: True - x,
        lambda: torch.rsub(b, 1),
        lambda: x.clone().sub_(b),
        lambda: x.float() - True,
        lambda: -b,
    )
    return [caught(action) for action in actions]
