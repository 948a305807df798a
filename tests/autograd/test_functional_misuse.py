"""`autograd.functional` refuses what does not fit, by torch's texts, and leaves modes and memory as they were."""

from __future__ import annotations

import gc
import weakref

import pytest

import wengert as wg
from wengert.autograd import functional
from wengert.autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp

PRODUCTS = (vjp, jvp, vhp, hvp)
ALL = (jacobian, hessian, *PRODUCTS)


def named(derivative):
    return derivative.__name__


def cubes(*xs):
    return sum((x**3).sum() for x in xs)


@pytest.mark.parametrize("derivative", ALL, ids=named)
def test_what_is_no_tensor_is_refused(derivative):
    name = derivative.__name__
    with pytest.raises(TypeError) as caught:
        derivative(cubes, [wg.ones(2)])
    assert str(caught.value) == (
        f"The inputs given to {name} must be either a Tensor or a tuple of Tensors but the given inputs has type "
        "<class 'list'>."
    )
    with pytest.raises(
        TypeError, match=f"inputs given to {name} must be .* the value at index 1 has type <class 'int'>"
    ):
        derivative(cubes, (wg.ones(2), 3))
    options = (wg.tensor(1.0),) if derivative in (jvp, vhp, hvp) else ()
    with pytest.raises(TypeError, match=f"The outputs of the user-provided function given to {name} must be"):
        derivative(lambda x: 3.0, wg.tensor(1.0), *options)
    with pytest.raises(TypeError, match="the value at index 1 has type <class 'NoneType'>"):
        derivative(lambda x: (x, None), wg.tensor(1.0), *options)


@pytest.mark.parametrize("derivative", PRODUCTS, ids=named)
def test_a_vector_that_does_not_fit_is_refused(derivative):
    function = (lambda x: x * 2) if derivative in (vjp, jvp) else cubes
    x = wg.ones(2)
    with pytest.raises(TypeError, match=f"The v given to {derivative.__name__} must be either a Tensor or a tuple"):
        derivative(function, x, [x])
    with pytest.raises(RuntimeError, match="The given v should contain a single Tensor"):
        derivative(function, x, (x, x))
    with pytest.raises(
        RuntimeError, match=r"^v has invalid size: should be torch.Size\(\[2\]\) but got torch.Size\(\[3"
    ):
        derivative(function, x, wg.ones(3))
    with pytest.raises(RuntimeError, match="The vector v can only be None if"):
        derivative(function, x)


@pytest.mark.parametrize("derivative", [jvp, vhp, hvp], ids=named)
def test_a_vector_of_another_number_of_tensors_is_refused(derivative):
    x = wg.ones(2)
    with pytest.raises(RuntimeError, match="v is a tuple of invalid length: should be 2 but got 1"):
        derivative(cubes, (x, x), x)
    with pytest.raises(RuntimeError, match=r"^Entry 1 in v has invalid size"):
        derivative(cubes, (x, x), (x, wg.ones(3)))


@pytest.mark.parametrize("derivative", [hessian, vhp, hvp], ids=named)
def test_a_second_derivative_is_of_one_number(derivative):
    x = wg.ones(2)
    options = () if derivative is hessian else (x,)
    with pytest.raises(
        RuntimeError, match=f"The function given to {derivative.__name__} should return a single Tensor"
    ):
        derivative(lambda x: (x.sum(), x.sum()), x, *options)
    with pytest.raises(
        RuntimeError, match=f"returned by the function given to {derivative.__name__} should contain a si"
    ):
        derivative(lambda x: x * 2, x, *options)


@pytest.mark.parametrize("derivative", ALL, ids=named)
def test_integers_have_no_derivative(derivative):
    with pytest.raises(RuntimeError, match="only Tensors of floating point dtype can require gradients"):
        derivative(cubes, wg.tensor([1, 2]))


def test_complex_outputs_have_no_rows():
    with pytest.raises(
        RuntimeError, match=r"grad can be implicitly created only for real scalar outputs but got torch\.c"
    ):
        jacobian(lambda x: x * 2, wg.ones(2, dtype=wg.complex64))
    assert jacobian(lambda x: x.detach() * 2, wg.ones(2, dtype=wg.complex64)).shape == (2, 2)


def test_there_must_be_something_to_differentiate():
    with pytest.raises(IndexError, match="tuple index out of range"):
        jacobian(lambda: wg.ones(2), ())
    with pytest.raises(RuntimeError, match="`inputs` argument to `grad\\(\\)` cannot be empty"):
        jacobian(lambda: wg.ones(2, requires_grad=True), ())
    with pytest.raises(IndexError, match="tuple index out of range"):
        jacobian(lambda x: (), wg.ones(2))
    assert jacobian(lambda x: x[:0], wg.ones(2)).shape == (0, 2)  # torch raises an error of its own


def test_a_function_may_not_write_to_what_it_is_given():
    for derivative, what in ((jacobian, "a leaf Variable"), (hessian, "a view of a leaf Variable")):
        with pytest.raises(RuntimeError, match=f"^{what} that requires grad is being used in an in-place operation"):
            derivative(lambda x: x.mul_(2).sum(), wg.ones(2))


STRICT = {
    jacobian: "Output 0 of the user-provided function is independent of input 1.",
    hessian: "with respect to input 1 is independent of the input",
    vjp: "The output of the user-provided function is independent of input 1.",
    jvp: "The output of the user-provided function is independent of input 1.",
    vhp: "The output of the user-provided function is independent of input 1.",
    hvp: "The output of the user-provided function is independent of input 1.",
}


@pytest.mark.parametrize("derivative", ALL, ids=named)
def test_strict_refuses_what_does_not_depend_on_an_input(derivative):
    x = wg.tensor(2.0)
    options = ((x, x),) if derivative in (jvp, vhp, hvp) else ()
    derivative(lambda x, y: x**3, (x, x), *options)
    with pytest.raises(RuntimeError, match=STRICT[derivative]):
        derivative(lambda x, y: x**3, (x, x), *options, strict=True)
    with pytest.raises(RuntimeError, match="Output 0 of the user-provided function does not require gradients"):
        derivative(lambda x, y: x.detach(), (x, x), *options, strict=True)


@pytest.mark.parametrize("derivative", ALL, ids=named)
def test_strict_with_create_graph_refuses_what_is_constant(derivative):
    x = wg.tensor(2.0, requires_grad=True)
    degree = 2 if derivative in (hessian, vhp, hvp) else 1
    options = (wg.tensor(1.0),) if derivative in PRODUCTS else ()
    function = lambda x: 3 * x if degree == 1 else x * x  # noqa: E731
    derivative(function, x, *options, strict=True)
    with pytest.raises(RuntimeError, match=r"not allowed in\s+strict mode"):
        derivative(function, x, *options, strict=True, create_graph=True)


def test_a_strategy_that_there_is_not_is_refused():
    for action in (
        lambda: jacobian(cubes, wg.ones(2), strategy="sideways"),
        lambda: hessian(cubes, wg.ones(2), outer_jacobian_strategy="sideways"),
    ):
        with pytest.raises(AssertionError, match='Expected strategy to be either "forward-mode" or "reverse-mode"'):
            action()


@pytest.mark.parametrize("recording", [False, True])
@pytest.mark.parametrize("derivative", ALL, ids=named)
def test_the_mode_is_as_it_was_also_after_an_error(derivative, recording):
    x = wg.tensor(2.0)
    options = (x,) if derivative in PRODUCTS else ()

    def failing(x):
        assert wg.is_grad_enabled() and x.requires_grad
        wg.set_grad_enabled(False)
        raise ZeroDivisionError

    with wg.set_grad_enabled(recording):
        derivative(cubes, x, *options)
        assert wg.is_grad_enabled() == recording
        with pytest.raises(ZeroDivisionError):
            derivative(failing, x, *options)
        assert wg.is_grad_enabled() == recording
        with pytest.raises(RuntimeError):
            derivative(lambda x: x.detach(), x, *options, strict=True)
        assert wg.is_grad_enabled() == recording


@pytest.mark.lifetime
@pytest.mark.parametrize("derivative", ALL, ids=named)
@pytest.mark.parametrize("fails", [False, True])
def test_nothing_is_kept_once_the_derivative_is_there(derivative, fails):
    kept = []

    def function(x):
        y = (x * x) * x
        kept.extend([weakref.ref(x), weakref.ref(y)])
        if fails:
            raise ZeroDivisionError
        return y

    gc.collect()
    gc.disable()
    try:
        x = wg.tensor(2.0)
        options = (x,) if derivative in PRODUCTS else ()
        if fails:
            with pytest.raises(ZeroDivisionError):
                derivative(function, x, *options)
        else:
            found = derivative(function, x, *options)
        found = None
        assert len(kept) == 2 and found is None
        assert [each() for each in kept] == [None, None]
    finally:
        gc.enable()


def test_the_module_is_there_when_it_is_asked_for():
    assert wg.autograd.functional is functional
    assert functional.__all__ == ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]
