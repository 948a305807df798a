"""`gradcheck` on right functions, its options, and what it says of arguments that it cannot check."""

from __future__ import annotations

import importlib
import inspect
import pickle
import warnings

import numpy as np
import pytest

import wengert as wg
from wengert.autograd import gradcheck, gradgradcheck
from wengert.autograd.gradcheck import GradcheckError


def leaf(*values, dtype=wg.float64):
    return wg.tensor(values, dtype=dtype, requires_grad=True)


def three():
    return leaf(0.5, -1.2, 2.0)


def pair():
    return wg.tensor([0.5 + 1j, -0.3 + 0.2j], dtype=wg.complex128, requires_grad=True)


def matrix():
    return wg.tensor([[0.3, -0.2], [1.1, 0.9]], dtype=wg.float64, requires_grad=True)


RIGHT = {
    "one output": (lambda x: x.sin(), three),
    "a number": (lambda x: (x * x).sum(), three),
    "several outputs": (lambda x: (x * x, x.exp().sum()), three),
    "a list of outputs": (lambda x: [x * 2, x.exp()], three),
    "a product of matrices": (lambda m: m @ m.t(), matrix),
    "an input that is the output": (lambda x: x, three),
    "a part": (lambda x: x[1:], three),
    "nothing": (lambda x: x[:0], three),
    "a transposed input": (lambda m: m.sin(), lambda: matrix().t()),
    "an input with a history": (lambda x: x.sin(), lambda: three() * 2),
    "zero dimensions": (lambda x: x**3, lambda: wg.tensor(1.5, dtype=wg.float64, requires_grad=True)),
    "no elements": (lambda x: x * 2, lambda: wg.zeros(0, dtype=wg.float64, requires_grad=True)),
    "writes in place": (lambda x: x.clone().mul_(2).sin_(), three),
    "a gradient": (lambda x: wg.autograd.grad((x**3).sum(), x, create_graph=True), three),
    "whole numbers first": (lambda x: (x.long(), x * 2), three),
    "truth values too": (lambda x: (x * 2, x > 0), three),
    "an output without history first": (lambda x: (x.detach() * 1.0, x * 2), three),
    "a constant": (lambda x: wg.ones(2, dtype=wg.float64), three),
    "complex": (lambda z: z.exp() * z.conj(), pair),
    "complex to real": (lambda z: z.abs(), pair),
    "the real part": (lambda z: z.real, pair),
    "real to complex": (lambda x: x * 1j, three),
    "real and complex outputs": (lambda z: (z.abs(), z * z), pair),
}


@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize("name", RIGHT)
def test_a_right_derivative_passes(name, fast):
    function, make = RIGHT[name]
    assert gradcheck(function, make(), fast_mode=fast, check_grad_dtypes=True) is True


def test_arguments_that_are_no_tensors_are_passed_on():
    assert gradcheck(lambda x, factor, nothing: x * factor, (three(), 3.0, None))
    assert gradcheck(lambda x, y: x * y, [three(), three().detach()])


def test_the_function_and_the_module_have_one_name_as_in_torch():
    module = importlib.import_module("wengert.autograd.gradcheck")
    assert inspect.isfunction(wg.autograd.gradcheck) and wg.autograd.gradcheck is module.gradcheck
    assert module.GradcheckError is GradcheckError and issubclass(GradcheckError, RuntimeError)
    assert all(hasattr(module, name) for name in module.__all__)
    assert GradcheckError.__module__ == module.__name__ and pickle.loads(pickle.dumps(GradcheckError)) is GradcheckError


def test_inputs_are_as_they_were_whatever_happens():
    for raised in (ZeroDivisionError, KeyboardInterrupt):
        x = three()
        before, calls = x.tolist(), []

        def function(x, raised=raised, calls=calls):
            calls.append(x.tolist())
            if len(calls) == 4:
                raise raised
            return x.exp()

        with pytest.raises(raised):
            gradcheck(function, x)
        assert x.tolist() == before and x._version == 0 and x.grad is None
        assert calls[3] != before


def test_the_programs_generator_is_left_alone():
    wg.manual_seed(3)
    wanted = wg.rand(2).tolist()
    wg.manual_seed(3)
    assert gradcheck(lambda x: x.sin(), three(), fast_mode=True)
    assert wg.rand(2).tolist() == wanted


def test_elements_are_moved_by_eps_one_at_a_time():
    seen = []

    def function(x):
        seen.append(np.round((x.detach() - three().detach()).numpy(), 12).tolist())
        return x * 2

    assert gradcheck(function, three(), eps=0.25, check_undefined_grad=False)
    wanted = [[sign * 0.25 if at == place else 0.0 for at in range(3)] for place in range(3) for sign in (-1, 1)]
    assert seen == [[0.0] * 3, *wanted]


def wrong_by(amount):
    class Wrong(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * (2 + amount)

    return Wrong.apply


def test_tolerances_are_those_given():
    assert gradcheck(wrong_by(1e-3), three())  # rtol * 2
    assert not gradcheck(wrong_by(1e-3), three(), rtol=1e-4, raise_exception=False)
    assert not gradcheck(wrong_by(0.1), three(), raise_exception=False)
    assert gradcheck(wrong_by(0.1), three(), atol=0.2)


def test_the_error_names_the_worst_element():
    class Wrong(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * wg.tensor([[2.1, 2.0], [5.0, 2.0]], dtype=wg.float64)

    with pytest.raises(GradcheckError) as caught:
        gradcheck(lambda x, y: (x, Wrong.apply(y)), (three(), matrix()))
    lines = str(caught.value).split("\n")
    assert lines[0] == "Jacobian mismatch for output 1 with respect to input 1,"
    assert lines[1].startswith("numerical:tensor([[") and any(line.startswith("analytical:") for line in lines)
    found = next(line for line in lines if line.startswith("The worst"))
    assert (
        "element is (2, 2)" in found
        and "element (1, 0) of the output with respect to element (1, 0) of the input" in found
    )
    assert "numerical 2.0000" in found or "numerical 1.9999" in found
    assert "analytical 5.0, difference 3 where 0.00201 is allowed" in found


def test_nan_is_the_worst_element():
    class Wrong(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * wg.tensor([9.0, float("nan"), 2.0], dtype=wg.float64)

    with pytest.raises(GradcheckError, match=r"The worst element is \(1, 0\).*analytical nan"):
        gradcheck(lambda x: Wrong.apply(x)[:2], three())


@pytest.mark.parametrize(
    "options",
    [
        {"check_backward_ad": False},
        {"check_backward_ad": False, "raise_exception": False},
        {"check_batched_grad": True, "check_backward_ad": False, "check_forward_ad": True},
        {"check_batched_forward_grad": True},
    ],
)
def test_options_that_contradict_each_other_are_refused(options):
    with pytest.raises(AssertionError, match=r"Expected at least one of|requires check_(back|for)ward_ad to be True"):
        gradcheck(lambda x: x, three(), **options)


@pytest.mark.parametrize("inputs", [(), 3.0, None, wg.tensor([1, 2]), wg.ones(2), [wg.ones(2)]])
def test_inputs_of_which_none_requires_a_gradient_are_refused(inputs):
    with pytest.raises(ValueError, match="at least one input tensor to require gradient"):
        gradcheck(lambda *x: x, inputs)


def test_inputs_whose_elements_are_one_in_memory_are_refused():
    x = wg.ones(1, dtype=wg.float64, requires_grad=True)
    with pytest.raises(RuntimeError, match="The 1th input has a dimension with stride 0"):
        gradcheck(lambda y, x: x * y, (three(), x.expand(3)))
    assert gradcheck(lambda x, y: x * y, (three(), x.detach().expand(3)))
    assert gradcheck(lambda x: x * 2, x.expand(1, 1))


def test_elements_that_are_one_in_memory_otherwise_are_told_in_the_error():
    x = wg.ones(5, dtype=wg.float64).as_strided((3, 3), (1, 1)).requires_grad_()
    for fast in (False, True):
        with pytest.raises(GradcheckError, match=r"Elements of input 0 are one in memory") as caught:
            gradcheck(lambda x: x * x.sum(), x, fast_mode=fast)
        assert "The worst element is" in str(caught.value)
    assert gradcheck(lambda x: x * 2, x.contiguous())


@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable")
def test_inputs_in_read_only_memory_are_refused():
    array = np.ones(2)
    array.setflags(write=False)
    with pytest.raises(RuntimeError, match="The 0th input is in read-only memory"):
        gradcheck(lambda x: x * 2, wg.from_numpy(array).requires_grad_())


@pytest.mark.parametrize("dtype", [wg.float32, wg.float16, wg.complex64])
def test_inputs_of_less_than_double_precision_are_warned_about(dtype):
    said = "Input #1 requires gradient and is not a double precision"
    with pytest.warns(UserWarning, match=said) as caught:
        gradcheck(lambda _, x: x * 2, (None, leaf(1.0, dtype=dtype)), raise_exception=False)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gradcheck(lambda x, y: x * y, (three(), leaf(1.0, dtype=dtype).detach()))


@pytest.mark.parametrize("result", [3.0, None, "text", {}, (three(), 3)])
def test_results_that_are_no_tensors_are_refused(result):
    with pytest.raises(AttributeError, match=r"has no attribute 'requires_grad'\nfunc must return a tensor"):
        gradcheck(lambda x: result, three())


def changing(what):
    def function(x):
        moved = x[0].item() > 0.5
        changed = {"shape": lambda: x[:2], "dtype": lambda: x.float(), "number": lambda: (x, x)}
        return changed[what]() if moved else x * 2

    return function


@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize("what", ["shape", "dtype", "number"])
def test_results_that_change_in_kind_are_refused(what, fast):
    where = "by" if fast else r"on index \(0,\) by 1e-06"
    with pytest.raises(AssertionError, match=f"the same {what} when inputs are perturbed {where}"):
        gradcheck(changing(what), three(), fast_mode=fast)


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_the_functions_of_the_first_checks_are_there():
    module = importlib.import_module("wengert.autograd.gradcheck")
    x = three()
    (numerical,) = module.get_numerical_jacobian(lambda inputs: inputs[0] ** 2, (x,))
    found, *flags = module.get_analytical_jacobian((x,), x**2)
    (specific,) = module.get_numerical_jacobian_wrt_specific_input(lambda k, x: k * x**2, 1, (1.0, x), x**2, 1e-6)
    wanted = np.diag(2 * x.detach().numpy())
    for each in (numerical, found[0], specific):
        assert np.allclose(each.numpy(), wanted, atol=1e-6)
    assert flags == [True, True, True]
    for refused in (module.get_numerical_jacobian, module.get_analytical_jacobian):
        with pytest.raises(ValueError, match=r"no longer supports values of grad_out != 1.0"):
            refused(*((lambda z: z), x) if "numerical" in refused.__name__ else (x, x), grad_out=2.0)
    with pytest.raises(ValueError, match=r"Expected output to be non-complex. get_analytical_jacobian"):
        module.get_analytical_jacobian(x, x * 1j)
    with pytest.raises(ValueError, match=r"Expected output to be non-complex. get_numerical_jacobian"):
        module.get_numerical_jacobian(lambda x: x * 1j, x)
    with pytest.warns(FutureWarning, match="was part of PyTorch's private API"):
        module.get_analytical_jacobian(x, x * 2)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (2, 0, 3)])
def test_inputs_without_elements_pass_whatever_their_strides(shape):
    x = wg.zeros(shape, dtype=wg.float64, requires_grad=True)
    assert gradcheck(lambda x: x * 2, x) and gradcheck(lambda x: x.sum(), x) and gradgradcheck(lambda x: x * x, x)


def test_the_vectors_of_fast_mode_are_torchs():
    class Wrong(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 3

    x = wg.tensor([1.0, 2.0], dtype=wg.float64, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"numerical:1\.844718626362\d*\nanalytical:2\.7670779394\d*"):
        wg.autograd.gradcheck(Wrong.apply, (x,), fast_mode=True)
