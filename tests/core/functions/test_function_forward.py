"""Custom Functions in forward mode: what `jvp` is given, what it may return, and what becomes of that."""

from __future__ import annotations

import pytest

import wengert as wg
from wengert import func
from wengert.autograd import Function
from wengert.autograd.forward_ad import dual_level, make_dual, unpack_dual


def dual(*values):
    return make_dual(wg.tensor(list(values)), wg.ones(len(values)))


def tangent(tensor):
    found = unpack_dual(tensor).tangent
    return None if found is None else found.tolist()


def function(forward, jvp=None, **more):
    """A Function of these static methods."""
    methods = {"forward": staticmethod(forward), **{name: staticmethod(each) for name, each in more.items()}}
    return type("Made", (Function,), {**methods, **({} if jvp is None else {"jvp": staticmethod(jvp)})})


def returning(made):
    return function(lambda ctx, x: x * 2, lambda ctx, way: made(way))


def test_jvp_is_given_a_tangent_or_zeros_for_each_tensor_and_what_was_saved_for_it():
    seen = []

    def forward(ctx, x, y, factor):
        ctx.save_for_forward(x, y)
        ctx.factor = factor
        return x * y * factor, x + y

    def jvp(ctx, x_way, y_way, nothing):
        x, y = ctx.saved_tensors
        seen.append((x_way.tolist(), y_way.tolist(), nothing, unpack_dual(x).tangent))
        return (x_way * y + x * y_way) * ctx.factor, x_way + y_way

    product = function(forward, jvp)
    with dual_level():
        x = dual(1.0, 2.0)
        first, second = product.apply(x, wg.tensor([3.0, 4.0]), 5)
        assert seen == [([1.0, 1.0], [0.0, 0.0], None, None)]
        assert tangent(first) == [15.0, 20.0] and tangent(second) == [1.0, 1.0]
    assert product.apply(wg.ones(2), wg.ones(2), 1)[0].tolist() == [1.0, 1.0] and len(seen) == 1


def test_jvp_is_given_none_where_the_function_does_not_want_zeros():
    seen = []

    def forward(ctx, x, y):
        ctx.set_materialize_grads(False)
        return x + y

    made = function(forward, lambda ctx, x_way, y_way: seen.append(y_way) or x_way)
    with dual_level():
        assert tangent(made.apply(dual(1.0), wg.ones(1))) == [1.0]
    assert seen == [None]


def test_setup_context_serves_forward_mode_as_well():
    def setup_context(ctx, inputs, output):
        ctx.save_for_forward(output)

    exp = function(lambda x: x.exp(), lambda ctx, way: way * ctx.saved_tensors[0], setup_context=setup_context)
    with dual_level():
        assert tangent(exp.apply(dual(0.0))) == [1.0]


@pytest.mark.parametrize(
    ("made", "error", "says"),
    [
        (returning(lambda way: wg.ones(3)), RuntimeError, r"different size.*size \[2\].*size \[3\]"),
        (
            returning(lambda way: (way, way)),
            RuntimeError,
            r"invalid number of forward gradients \(expected 1 but got 2\)",
        ),
        (returning(lambda way: 3.0), RuntimeError, r"expected Variable or None \(got float\) for grad output 0"),
        (function(lambda ctx, x: x * 2), NotImplementedError, "You must implement the jvp function"),
        (function(lambda ctx, x: x.view_as(x), lambda ctx, way: way * 1), RuntimeError, "jvp is not returning a view"),
    ],
)
def test_what_is_no_tangent_is_refused(made, error, says):
    with dual_level(), pytest.raises(error, match=says):
        made.apply(dual(1.0, 2.0))


def test_an_output_without_derivative_takes_none():
    def forward(ctx, x):
        whole = x.long()
        ctx.mark_non_differentiable(whole)
        return whole, x * 2

    with dual_level():
        whole, twice = function(forward, lambda ctx, way: (None, way * 2)).apply(dual(1.0))
        assert tangent(whole) is None and tangent(twice) == [2.0]
        with pytest.raises(RuntimeError, match="position 0, but the corresponding forward output is not a differ"):
            function(forward, lambda ctx, way: (way, way)).apply(dual(1.0))


def test_an_input_that_is_written_to_has_its_tangent_written_to():
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    with dual_level():
        x = dual(1.0, 2.0)
        assert function(forward, lambda ctx, way: way.mul_(2)).apply(x) is x
        assert x.tolist() == [2.0, 4.0] and tangent(x) == [2.0, 2.0]
        with pytest.raises(RuntimeError, match="not modifying the forward mode gradients inplace"):
            function(forward, lambda ctx, way: way * 2).apply(x)


def test_an_input_that_is_written_to_does_not_keep_the_tangent_of_its_old_value():
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    with dual_level(), pytest.raises(RuntimeError, match="not modifying the forward mode gradients inplace"):
        function(forward, lambda ctx, way: None).apply(dual(1.0, 2.0))


def test_an_input_without_tangent_that_is_written_to_gets_what_is_returned():
    def forward(ctx, x, y):
        ctx.mark_dirty(x)
        return x.add_(y)

    with dual_level():
        x = wg.tensor([1.0, 2.0])
        made = function(forward, lambda ctx, way, other: way + other).apply(x, dual(1.0, 2.0))
        assert made is x and tangent(x) == [1.0, 1.0]


def test_a_view_has_the_view_of_the_tangent():
    with dual_level():
        x = dual(1.0, 2.0)
        view = function(lambda ctx, x: x.view(2, 1), lambda ctx, way: way.view(2, 1)).apply(x)
        assert tangent(view) == [[1.0], [1.0]]
        assert unpack_dual(view).tangent.data_ptr() == unpack_dual(x).tangent.data_ptr()


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.save_for_forward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        return grad * 3 * ctx.saved_tensors[0] ** 2

    @staticmethod
    def jvp(ctx, way):
        return way * 3 * ctx.saved_tensors[0] ** 2


def test_gradients_of_tangents_and_tangents_of_gradients_pass_through_a_function():
    leaf = wg.tensor([2.0], requires_grad=True)
    with dual_level():
        x = make_dual(leaf, wg.ones(1))
        y = Cube.apply(x)
        (grad,) = wg.autograd.grad(y.sum(), leaf, create_graph=True)
        assert grad.tolist() == [12.0] and tangent(grad) == [12.0]
        (second,) = wg.autograd.grad(unpack_dual(y).tangent.sum(), leaf)
        assert second.tolist() == [12.0]


def test_modes_are_as_they_were_after_an_error_in_forward_or_jvp():
    from wengert._core.state.modes import current

    def fail(*args):
        raise ZeroDivisionError

    for made in (function(fail), function(lambda ctx, x: x * 2, fail)):
        with dual_level():
            before = current().forward
            with pytest.raises(ZeroDivisionError):
                made.apply(dual(1.0))
            assert current().forward == before and wg.is_grad_enabled()


def test_forward_mode_begins_anew_within_the_methods_of_a_function():
    inner = lambda x: func.jvp(lambda y: y**3, (x,), (wg.ones_like(x),))[1]  # noqa: E731

    class Slope(wg.autograd.Function):
        @staticmethod
        def forward(x):
            return inner(x)

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_forward(*inputs)

        @staticmethod
        def jvp(ctx, tangent):
            (x,) = ctx.saved_tensors
            return tangent * func.jvp(inner, (x,), (wg.ones_like(x),))[1]

    x = wg.tensor(2.0, dtype=wg.float64)
    assert Slope.apply(x).item() == 12
    value, tangent = func.jvp(Slope.apply, (x,), (wg.tensor(5.0, dtype=wg.float64),))
    assert (value.item(), tangent.item()) == (12, 60)
    assert func.jacfwd(func.jacfwd(Slope.apply))(x).item() == 6
    with wg.autograd.forward_ad.dual_level():
        y = wg.autograd.forward_ad.make_dual(x, wg.ones_like(x))
        assert wg.autograd.forward_ad.unpack_dual(Slope.apply(y)).tangent.item() == 12
