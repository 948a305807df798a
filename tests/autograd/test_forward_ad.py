"""Forward mode as programs use it: levels, dual tensors, views, writes, what is saved, what it refuses."""

from __future__ import annotations

import gc
import threading
import weakref

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg
from wengert import func
from wengert.autograd import forward_ad
from wengert.autograd.forward_ad import dual_level, make_dual, unpack_dual


def dual(values=(0.0, 1.0, 2.0), way=(1.0, 1.0, 1.0)):
    return make_dual(wg.tensor(list(values)), wg.tensor(list(way)))


def tangent(tensor):
    found = unpack_dual(tensor).tangent
    return None if found is None else found.tolist()


def test_a_level_is_entered_once_and_ends_for_all_its_tensors():
    with pytest.raises(RuntimeError, match="no level exists"):
        dual()
    with dual_level() as level:
        assert level == 0 and forward_ad._current_level == 0
        x = dual()
        y = x * 2
        with pytest.raises(RuntimeError, match="Nested forward mode AD is not supported"), dual_level():
            raise AssertionError
        assert tangent(y) == [2.0, 2.0, 2.0]
        with pytest.raises(RuntimeError, match="not the last one"):
            forward_ad.exit_dual_level(level=3)
    assert forward_ad._current_level == -1
    assert unpack_dual(y) == (y, None) and "tangent" not in repr(y)
    with pytest.raises(RuntimeError, match="must be a positive number"):
        forward_ad.exit_dual_level()
    with dual_level():
        assert tangent(y) is None and tangent(y * 3) is None


def test_a_level_ends_when_an_error_leaves_it():
    with pytest.raises(ZeroDivisionError), dual_level():
        1 / 0  # noqa: B018
    with dual_level():
        assert tangent(dual()) == [1.0, 1.0, 1.0]


@dual_level()
def doubled(x):
    return unpack_dual(make_dual(x, wg.ones(2)) * 2).tangent


def test_a_level_is_a_decorator_too():
    assert doubled(wg.ones(2)).tolist() == doubled(wg.zeros(2)).tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    ("primal", "way", "error", "says"),
    [
        (wg.ones(3), wg.ones(2), RuntimeError, r"different size.*size \[3\].*size \[2\]"),
        (
            wg.ones(3).long(),
            wg.ones(3),
            ValueError,
            "Expected primal to be floating point or complex, but got: .*int64",
        ),
        (wg.ones(3), wg.ones(3).long(), ValueError, "Expected tangent to be floating point or complex"),
        (1.0, wg.ones(3), TypeError, "argument 'tensor'.*must be Tensor, not float"),
        (wg.ones(3), None, TypeError, "argument 'tangent'.*must be Tensor, not NoneType"),
    ],
)
def test_what_is_no_dual_tensor_is_refused(primal, way, error, says):
    with dual_level(), pytest.raises(error, match=says):
        make_dual(primal, way)


def test_a_dual_tensor_is_made_dual_once_and_is_no_tangent():
    with dual_level():
        x = dual()
        with pytest.raises(RuntimeError, match="already has a forward gradient at the same level 0"):
            make_dual(x, wg.ones(3))
        with pytest.raises(RuntimeError, match="itself has a forward gradient"):
            make_dual(wg.ones(3), x)


def test_a_dual_tensor_is_a_view_that_keeps_the_tangent_uncopied():
    x, way = wg.arange(3.0), wg.ones(3)
    with dual_level():
        made = make_dual(x, way)
        assert made is not x and made._is_view() and made.data_ptr() == x.data_ptr()
        assert unpack_dual(made).tangent is way
        assert tangent(x) is None and tangent(unpack_dual(made).primal) is None
        made.mul_(3)
        assert x.tolist() == [0.0, 3.0, 6.0] and way.tolist() == [3.0, 3.0, 3.0]
        turned = make_dual(wg.zeros(2, 3).t(), wg.ones(3, 2))
        assert unpack_dual(turned).tangent.stride() == (1, 3)
        assert repr(made) == "tensor([0., 3., 6.], tangent=tensor([3., 3., 3.]))"


def test_views_of_a_dual_tensor_are_dual_and_writes_reach_all():
    with dual_level():
        x = dual()
        part = x[1:]
        part.mul_(3)
        assert tangent(x) == [1.0, 3.0, 3.0] and tangent(part) == [3.0, 3.0]
        x.zero_()
        assert tangent(part) == [0.0, 0.0]


def test_a_dual_tensor_written_into_a_plain_one_makes_it_and_its_views_dual():
    with dual_level():
        base = wg.arange(3.0)
        one, other = base[1:], base[:2]
        one.mul_(make_dual(wg.ones(2), wg.ones(2)))
        assert tangent(base) == [0.0, 1.0, 2.0] and tangent(one) == [1.0, 2.0]
        assert tangent(other) == [0.0, 1.0] and tangent(other * 1) == [0.0, 1.0]
        assert "tangent" in repr(base[:2])
        whole = wg.zeros(3)
        whole[1] = make_dual(wg.tensor(2.0), wg.tensor(5.0))
        assert tangent(whole) == [0.0, 5.0, 0.0]
        with wg.no_grad():
            late = wg.arange(3.0)
            seen = late[1:]
            late.mul_(dual())
            assert tangent(seen * 1) == [1.0, 2.0]
    assert tangent(base) is None


def test_a_refused_write_leaves_target_and_tangents_as_they_were():
    with dual_level():
        leaf = wg.ones(3, requires_grad=True)
        with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
            leaf.mul_(dual())
        assert tangent(leaf) is None and leaf.tolist() == [1.0, 1.0, 1.0]
        x = dual()
        with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
            x.add_(wg.ones(2, 3))
        assert tangent(x) == [1.0, 1.0, 1.0]
        with pytest.raises(RuntimeError, match="cannot resize variables that has a forward grad"):
            x.resize_(2)
        with pytest.raises(NotImplementedError, match="forward AD with set_"):
            x.set_(wg.zeros(2))
        with pytest.raises(NotImplementedError, match=r"mul_out.*out= function"):
            wg.mul(x, x, out=wg.empty(3))


def test_detached_tensors_and_integers_are_not_dual():
    with dual_level():
        x = dual()
        for each in (x.detach(), x.data, x.int(), x > 1, x.argmax(), wg.zeros_like(x), x.new_zeros(2)):
            assert unpack_dual(each).tangent is None
        assert tangent(x.double()) == [1.0, 1.0, 1.0] and tangent(x.to(wg.complex64)) == [1, 1, 1]
        assert tangent(x.round()) == tangent(x.uniform_()) == [0.0, 0.0, 0.0]


def test_recording_and_inference_do_not_matter_to_tangents():
    with dual_level():
        x = dual()
        with wg.no_grad():
            assert tangent(x * 2) == [2.0, 2.0, 2.0]
        with wg.inference_mode():
            assert tangent(x * 2) == [2.0, 2.0, 2.0]


def test_forward_mode_can_be_switched_off():
    with dual_level():
        x = dual()
        with forward_ad._set_fwd_grad_enabled(False):
            assert not forward_ad._is_fwd_grad_enabled()
            made = x * 2
            assert unpack_dual(x).tangent is None and "tangent" not in repr(x)
        assert tangent(made) is None and tangent(x) == [1.0, 1.0, 1.0]


def test_gradients_have_tangents_and_tangents_have_gradients():
    leaf = wg.tensor([1.0, 2.0], requires_grad=True)
    with dual_level():
        x = make_dual(leaf, wg.tensor([1.0, 0.0]))
        y = (x**3).sum()
        (grad,) = wg.autograd.grad(y, leaf, create_graph=True)
        assert tangent(grad) == [6.0, 0.0]
        (second,) = wg.autograd.grad(unpack_dual(y).tangent, leaf)
        assert second.tolist() == [6.0, 0.0]
        (x**2).sum().backward()
        assert leaf.grad.tolist() == [2.0, 4.0] and tangent(leaf.grad) is None


def test_what_is_saved_keeps_its_tangent_also_through_hooks():
    leaf = wg.tensor([1.0, 2.0], requires_grad=True)
    seen = []

    def pack(tensor):
        seen.append(tangent(tensor))
        return tensor.numpy()

    with dual_level():
        x = make_dual(leaf, wg.ones(2))
        with wg.autograd.graph.saved_tensors_hooks(pack, wg.from_numpy):
            y = (x * x).exp()
        (grad,) = wg.autograd.grad(y.sum(), leaf)
        e = np.exp([1.0, 4.0])
        np.testing.assert_allclose(tangent(grad), (2 + 4 * np.array([1.0, 4.0])) * e, rtol=1e-6)
    assert [1.0, 1.0] in seen


def test_tangents_are_freed_with_their_tensors_and_at_the_end_of_the_level():
    gc.disable()
    try:
        leaf = wg.ones(3, requires_grad=True)
        with dual_level():
            x = make_dual(leaf, wg.ones(3))
            y = x.exp()
            dead, alive = (weakref.ref(unpack_dual(each).tangent) for each in (x * 2, y))
            assert dead() is None and alive() is not None
        assert alive() is None
        node = weakref.ref(y.grad_fn)
        del x, y
        assert node() is None
    finally:
        gc.enable()


def test_a_long_level_does_not_gather_what_is_gone():
    from wengert._core.state.modes import current

    with dual_level():
        x = dual()
        for _ in range(2000):
            x = x * 1
        assert len(current().levels[0].members) < 300


def test_another_thread_sees_tangents_and_has_levels_of_its_own():
    with dual_level():
        x, found = dual(), []

        def work():
            found.append(tangent(x * 2))
            with dual_level():
                found.append(tangent(make_dual(wg.ones(1), wg.ones(1)) * 5))

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert found == [[2.0, 2.0, 2.0], [5.0]] and tangent(x) == [1.0, 1.0, 1.0]


def test_a_thread_without_a_level_makes_dual_tensors_at_that_of_another():
    found = []

    def work():
        found.append(forward_ad._current_level)
        made = make_dual(wg.ones(1), wg.ones(1))
        found.append(tangent(made * 5))
        found.append(made)

    def in_a_thread():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

    with dual_level():
        in_a_thread()
        assert found[:2] == [0, [5.0]] and tangent(found[2]) == [1.0]
    assert unpack_dual(found[2]).tangent is None and forward_ad._current_level == -1


def test_complex_tangents():
    with dual_level():
        x = make_dual(wg.tensor([3 + 4j]), wg.tensor([1j]))
        assert tangent(x.real) == [0.0] and tangent(x.imag) == [1.0] and tangent(x.conj()) == [-1j]
        assert tangent(x.abs()) == [pytest.approx(0.8)] and tangent(wg.view_as_real(x)) == [[0.0, 1.0]]


@given(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=12), st.integers(0, 2**32 - 1))
def test_programs_of_views_and_writes_have_the_tangent_that_differences_tell(steps, seed):
    random = np.random.default_rng(seed)
    start, way, other = (random.uniform(0.5, 1.5, (3, 4)) for _ in range(3))

    def program(x, y):
        z = x.clone()
        for step in steps:
            if step == "a":
                z[1:].mul_(y[1:])
            elif step == "b":
                z.t()[2] = y[:, 0].exp()
            elif step == "c":
                z = z + y.sum(0)
            elif step == "d":
                z.diagonal().add_(y.diagonal() * 0.5)
            elif step == "e":
                z = z.t().contiguous().t() * 0.5
            elif step == "f":
                z.transpose_(0, 1).sin_().t_()
            elif step == "g":
                z[0].copy_(z[1] * z[2])
            else:
                z.select(1, 1).fill_(y.mean())
        return z

    x, y = wg.tensor(start), wg.tensor(other)
    with dual_level():
        made = unpack_dual(program(make_dual(x, wg.tensor(way)), make_dual(y, wg.tensor(way))))
    h = 1e-6
    ahead, behind = (program(wg.tensor(start + s * h * way), wg.tensor(other + s * h * way)).numpy() for s in (1, -1))
    np.testing.assert_array_equal(made.primal.numpy(), program(x, y).numpy())
    np.testing.assert_allclose(made.tangent.numpy(), (ahead - behind) / (2 * h), rtol=1e-4, atol=1e-6)


def test_an_old_value_that_a_write_saves_keeps_its_tangent():
    def f(x):
        return (x.clone().mul_(x.roll(1)) ** 2).sum()

    x = wg.tensor([0.3, -1.2, 0.7], dtype=wg.float64)
    expected = func.jacrev(func.jacrev(f))(x)
    for derivative in (func.hessian(f), func.jacrev(func.jacfwd(f)), func.jacfwd(func.jacfwd(f))):
        assert wg.allclose(derivative(x), expected)


def test_the_primal_is_a_view_behind_a_node_of_its_own():
    x = wg.tensor([1.0, 2.0], requires_grad=True)
    with dual_level():
        dual = make_dual(x * 3, wg.ones(2))
        primal = unpack_dual(dual).primal
        assert primal._is_view() and primal.grad_fn.name() == "torch::autograd::Identity"
        assert primal.grad_fn.next_functions == ((dual.grad_fn, 0),)
        primal.sum().backward()
        assert x.grad.tolist() == [3.0, 3.0]
        assert unpack_dual(x).primal is not x and unpack_dual(x).primal.requires_grad
        with pytest.raises(RuntimeError, match="Invalid level given to _fw_primal"):
            unpack_dual(dual, level=3)
    assert unpack_dual(x).primal is x
