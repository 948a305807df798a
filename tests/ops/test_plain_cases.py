"""The plain cases of composites and factories: whatever a program calls gives what the Python function gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as arrays

import wengert as wg
from wengert import _kernels as kernels, fft, linalg
from wengert._core.cards.card import REGISTRY
from wengert._core.cards.composed import COMPILED, Factory, PlainCase
from wengert._core.operators.declaration import bind
from wengert._core.tensor.base import Tensor
from wengert.nn import functional
from wengert.testing.calls import Call, inside, named, replaced
from wengert.testing.values import drawn
from wengert.testing.variants import results_and_gradients, strided, transposed

PUBLIC = (functional, linalg, fft)
"""Modules that have functions of their own in the place of composites."""


def plain_functions() -> dict[str, list[Any]]:
    """What programs call in the place of Python functions, by the name of the composite."""
    found: dict[str, list[Any]] = {}
    for name in {*REGISTRY, *functional.__all__}:
        called = [
            getattr(REGISTRY.get(name), "public", None),
            Tensor.__dict__.get(name),
            *[getattr(module, name, None) for module in PUBLIC],
        ]
        kept = [each for each in called if isinstance(each, (PlainCase, Factory))]
        if kept:
            found[name] = kept
    return found


PLAIN = plain_functions()


def is_plain(operator: Any, dtype: Any) -> bool:
    return operator.name in PLAIN


GOOD = pytest.mark.cases(together=True, wanted=is_plain)
UNRECORDED = {
    name for name, called in PLAIN.items() if any(isinstance(each, PlainCase) and each.op is None for each in called)
}
"""Composites with a function of arrays, which is taken where nothing is recorded."""


def reversed_memory(tensor: Tensor) -> Tensor:
    whole = np.empty(tensor._array_.shape, tensor._array_.dtype)
    return inside(tensor, whole, whole[(*[slice(None, None, -1)] * whole.ndim, ...)])


FORMS = {"as it is": lambda tensor: tensor, "transposed": transposed, "strided": strided, "reversed": reversed_memory}


def answer(function: Any, call: Call) -> Any:
    """Results, gradients, and the names of the nodes; or the error."""
    made = Call(function, call.args, call.kwargs)
    try:
        outputs = made.outputs()
        nodes = [str(each.grad_fn) and each.grad_fn.name() for each in outputs if each.grad_fn is not None]
        own = [any(each is one for one in call.tensors()) for each in outputs]
        return *results_and_gradients(made), nodes, own
    except Exception as error:
        return type(error), str(error)


def check(case: Any, call: Call) -> None:
    for function in PLAIN[case.name]:
        found, wanted = answer(function, call), answer(function.function, call)
        if isinstance(wanted[0], type) or isinstance(found[0], type):
            assert found == wanted, f"{call}: {found}, {wanted} by the function"
            continue
        assert found[2:] == wanted[2:], f"{call}: {found[2:]}, {wanted[2:]} by the function"
        if "empty" in case.name:
            found, wanted = (
                ([np.zeros_like(each) for each in found[0]], []),
                ([np.zeros_like(each) for each in wanted[0]], []),
            )
        for one, other in zip([*found[0], *found[1]], [*wanted[0], *wanted[1]], strict=True):
            assert (one is None) == (other is None)
            if one is not None:
                assert one.dtype == other.dtype and one.shape == other.shape
                assert one.strides == other.strides or not one.size, f"{call}: {one.strides}, {other.strides}"
                np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


X = wg.arange(6.0).view(2, 3)
IMAGE = X.view(1, 1, 2, 3)
ANSWERED = {
    "flatten": (X,),
    "chunk": (X, 2, 1),
    "narrow": (X, 1, -2, 1),
    "swapaxes": (X, 0, 1),
    "hstack": ([X, X],),
    "vstack": ((X, X),),
    "dstack": ([IMAGE[0], IMAGE[0]],),
    "softmax": (X, 0),
    "log_softmax": (X, -1),
    "where": (X > 1, X, 0.0),
    "relu": (X,),
    "mse_loss": (X, X),
    "huber_loss": (X, X),
    "avg_pool1d": (X, 2, 1, 1),
    "max_pool2d": (IMAGE, (2, 1), None, (1, 0)),
    "adaptive_avg_pool2d": (IMAGE, 2),
    "adaptive_max_pool2d": (IMAGE, (2, 1)),
    "unfold": (IMAGE, 2),
    "fold": (wg.ones(1, 4, 2), (2, 3), 2),
    "interpolate": (IMAGE, None, 1.5, "bilinear"),
    "pad": (IMAGE, (1, 1)),
    "one_hot": (wg.tensor([0, 2]),),
    "glu": (X, 0),
    "prelu": (X[0], wg.tensor([0.5])),
    "conv1d": (X.view(1, 2, 3), X.view(1, 2, 3), None, 2, 1),
    "conv2d": (IMAGE, IMAGE, None, 1, (0, 1)),
    "conv_transpose1d": (X.view(1, 2, 3), X.view(2, 1, 3)),
    "conv_transpose2d": (IMAGE, IMAGE, wg.ones(1), 2, 1, 1),
    "layer_norm": (X, (3,)),
    "group_norm": (IMAGE, 1),
    "batch_norm": (IMAGE, None, None, None, None, True),
    "multi_margin_loss": (X, wg.tensor([0, 2])),
    "tensor_split": (X, 2, 1),
    "hsplit": (X, 3),
    "vsplit": (X, 2),
    "column_stack": ([X[0], X[1]],),
    "tensordot": (X, X.t(), 1),
    "kron": (X, X),
    "cov": (X,),
    "corrcoef": (X,),
    "diff": (X,),
    "repeat_interleave": (X, 2, 0),
    "float_power": (X, 2),
    "cosine_similarity": (X, X),
    "instance_norm": (wg.cat([IMAGE, IMAGE]),),
    "matrix_power": (X[:, :2], 3),
    "hann_window": (5,),
    "linalg_matrix_norm": (X,),
    "linalg_matrix_power": (X[:, :2], 2),
    "linalg_multi_dot": ([X, X.t(), X],),
    "linalg_vecdot": (X, X),
    "fft_fft2": (X,),
    "fft_ifft2": (X,),
    "quantile": (X, 0.3, 1),
    "grid_sample": (IMAGE, wg.zeros(1, 2, 2, 2), "bilinear", "zeros", False),
}


@pytest.mark.skipif(not kernels.direct, reason="there is no extension: functions only")
@pytest.mark.parametrize("name", ANSWERED)
def test_a_plain_case_is_answered(name: str):
    functions = PLAIN.get(name, [])
    assert functions or not COMPILED
    for function in functions:
        assert function.call(bind(function, ANSWERED[name], {})) is not NotImplemented


@GOOD
@pytest.mark.filterwarnings("ignore:Using a target size", "ignore:Using padding='same'")
def test_a_plain_case_gives_what_the_function_gives(case: Any):
    for form in FORMS if not drawn(case.call(), []) else ():
        with named(form):
            check(case, case.call().exchanged(FORMS[form]))


@pytest.mark.cases(together=True, wanted=lambda operator, dtype: operator.name in UNRECORDED)
def test_a_function_of_arrays_gives_what_the_function_gives(case: Any):
    for form in FORMS if not drawn(case.call(), []) else ():
        if form != "reversed":
            with named(form):
                check_views(case, case.call(requires_grad=False).exchanged(FORMS[form]))


def check_views(case: Any, call: Call) -> None:
    """What programs call gives the same as the function, and views where that gives views."""
    check(case, call)
    for function in PLAIN[case.name] if isinstance(call.args[0], (Tensor, list)) else ():
        views = [Call(each, call.args, call.kwargs).outputs() for each in (function, function.function)]
        assert len({tuple([each._is_view() for each in outputs]) for outputs in views}) == 1


@pytest.mark.skipif(not COMPILED or not kernels.direct, reason="there are functions only")
def test_a_function_of_arrays_is_not_asked_where_something_is_recorded_or_noted():
    x = wg.arange(4.0).view(2, 2)
    power = PLAIN["matrix_power"][0]
    assert power.call((x, 2)) is not NotImplemented
    assert power.call((x.clone().requires_grad_(), 2)) is NotImplemented
    with wg.no_grad():
        assert power.call((x.clone().requires_grad_(), 2)) is not NotImplemented
    with wg.autograd.profiler.profile() as profile:
        wg.matrix_power(x, 2)
    assert "aten::matrix_power" in {event.name for event in profile.function_events}
    base = wg.zeros(2, 2)
    part = base[:]
    base.mul_(x.clone().requires_grad_())  # by which the view has a history, which it does not know yet
    assert power.call((part, 2)) is NotImplemented
    assert wg.matrix_power(part, 2).requires_grad


FLOATS = st.floats(-100, 100, width=32)


@given(arrays.arrays(np.float32, arrays.array_shapes(max_dims=2, max_side=5), elements=FLOATS), st.floats(0, 1))
def test_quantiles_and_dropout_of_arrays_are_those_of_the_functions(values: Any, q: float):
    x = wg.tensor(values)
    for function, rest in ((wg.quantile, (q,)), (wg.quantile, (q, -1)), (wg.dropout, (q,)), (functional.dropout, (q,))):
        wg.manual_seed(0)
        found, then = function(x, *rest), wg.rand(1)
        wg.manual_seed(0)
        wanted = function(x.clone().requires_grad_(), *rest).detach()
        assert found.tolist() == wanted.tolist() and found.stride() == wanted.stride()
        assert then.tolist() == wg.rand(1).tolist()


def test_polygamma_of_floats_is_rounded_as_the_kernel_does():
    x = np.exp(np.random.default_rng(0).uniform(-40, 13, 4000)).astype(np.float32)
    wg.polygamma(1, wg.ones(1))  # with which SciPy is loaded
    found = wg.polygamma(1, wg.from_numpy(x)).numpy()
    np.testing.assert_array_equal(found, kernels.special.polygamma(1, x))


@pytest.mark.cases(together=True, wanted=is_plain, bad=True)
@pytest.mark.filterwarnings("ignore:Using a target size", "ignore:Using padding='same'")
def test_what_is_refused_is_refused_in_the_same_words(case: Any):
    check(case, case.call(requires_grad=False))


@GOOD
@pytest.mark.filterwarnings(
    "ignore:Using a target size", "ignore:Using padding='same'", "ignore:Implicit dimension choice"
)
def test_wrong_arguments_end_in_the_same_words(case: Any):
    call = case.call(requires_grad=False)
    for wrong in (None, "text", 1.5, 2**70, (1, 2), True, np.ones(2)):
        for at in range(len(call.args)):
            with named(f"{wrong!r} as argument {at}"):
                check(case, Call(call.operator, (*call.args[:at], wrong, *call.args[at + 1 :]), call.kwargs))
    check(case, Call(call.operator, replaced(call.args, lambda tensor: tensor._array_), call.kwargs))


SHAPES = arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


@given(SHAPES, st.integers(-5, 5), st.integers(-5, 5), st.booleans(), st.booleans())
def test_any_shape_is_flattened_as_the_function_does(shape: Any, start: int, end: int, turned: bool, wanted: bool):
    x = wg.tensor(np.arange(float(np.prod(shape))).reshape(shape), requires_grad=wanted)
    x = x.permute(tuple(reversed(range(x.ndim)))) if turned else x
    same(wg.flatten, x, start, end)
    same(wg.chunk, x, start, end)
    same(wg.narrow, x, start, end, 2)


def same(function: Any, *args: Any) -> None:
    """`function` and what stands behind it give the same, or refuse the same."""

    def outcome(called: Any) -> Any:
        try:
            made = called(*args)
        except Exception as error:
            return type(error), str(error)
        made = made if isinstance(made, tuple) else (made,)
        return [
            (
                each is args[0],
                each.tolist(),
                each.stride() if each.numel() else None,
                each.data_ptr(),
                str(each.grad_fn)[:9],
            )
            for each in made
        ]

    assert outcome(function) == outcome(getattr(function, "function", function))


def test_names_and_defaults_are_those_of_the_function():
    image, places = wg.rand(1, 1, 2, 3), wg.zeros(1, 2, 2, 2)
    with pytest.warns(UserWarning, match="Default grid_sample and affine_grid behavior has changed"):
        functional.grid_sample(image, places, padding_mode="border")
    with pytest.raises(TypeError):
        functional.grid_sample(image, places, padding="border", align_corners=True)
    assert functional.one_hot(wg.tensor([0, 2])).tolist() == [[1, 0, 0], [0, 0, 1]]


def test_a_contiguous_tensor_is_itself_and_others_are_copied():
    x = wg.arange(6.0).view(2, 3)
    assert x.contiguous() is x and x.contiguous(memory_format=wg.contiguous_format) is x
    assert wg.contiguous(x) is x
    turned = x.t().contiguous()
    assert turned.stride() == (2, 1) and turned.tolist() == x.t().tolist()
    with pytest.raises(TypeError, match=r"must be torch\.memory_format, not NoneType"):
        x.contiguous(None)
    with pytest.raises(TypeError, match=r"must be torch\.memory_format, not int"):
        x.contiguous(memory_format=3)


@pytest.mark.parametrize(
    "function",
    [wg.flatten, lambda x: x.contiguous(), lambda x: x.to(wg.float32), wg.atleast_1d],
)
def test_a_view_that_is_its_own_result_is_given_back_even_where_nothing_else_may_be_done_with_it(function: Any):
    x = wg.arange(12.0).requires_grad_() * 1
    with wg.no_grad():
        made = x.squeeze(0)
    part = made.narrow(0, 1, 1)
    x.neg_()
    assert function(part) is part
    with pytest.raises(RuntimeError, match="created in no_grad mode"):
        part.view(1, 1)
