"""What is said of outputs that do not fit, and what is returned of those that do: as in torch."""

from __future__ import annotations

import warnings

import pytest

import wengert as wg

LONG = wg.int64


def outputs(*dtypes, shape=(0,)):
    """As many tensors as dtypes."""
    return tuple([wg.empty(shape, dtype=dtype) for dtype in dtypes])


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("max_out", lambda x: wg.max(x, 0, out=outputs(wg.float32, LONG))),
        ("min_out", lambda x: wg.min(x, 0, out=outputs(wg.float32, LONG))),
        ("aminmax_out", lambda x: wg.aminmax(x, out=outputs(wg.float32, wg.float32))),
        ("sort_out", lambda x: wg.sort(x, out=outputs(wg.float32, LONG))),
        ("topk_out", lambda x: wg.topk(x, 1, out=outputs(wg.float32, LONG))),
        ("kthvalue_out", lambda x: wg.kthvalue(x, 1, out=outputs(wg.float32, LONG))),
        ("mode_out", lambda x: wg.mode(x, out=outputs(wg.float32, LONG))),
        ("median_out", lambda x: wg.median(x, 0, out=outputs(wg.float32, LONG))),
        ("cummax_out", lambda x: wg.cummax(x, 0, out=outputs(wg.float32, LONG))),
        ("frexp_out", lambda x: wg.frexp(x, out=outputs(wg.float32, wg.int32))),
        ("linalg_qr_out", lambda x: wg.linalg.qr(x, out=outputs(wg.float32, wg.float32))),
    ],
)
def test_what_was_written_into_outputs_has_a_class_of_its_own(name, call):
    made = call(wg.tensor([[1.0, 2.0], [3.0, 5.0]]))
    assert type(made) is getattr(wg.return_types, name) and type(made).__name__ == name
    assert repr(made).startswith(f"torch.return_types.{name}(\n") and isinstance(made, tuple)
    assert getattr(made, type(made).__match_args__[0]) is made[0]


def test_a_class_of_results_that_no_operator_has_is_no_name():
    with pytest.raises(AttributeError, match="no attribute 'nothing_out'"):
        _ = wg.return_types.nothing_out


def test_several_results_without_a_class_are_returned_as_a_new_tuple():
    given = outputs(wg.float32, wg.float32, wg.float32)
    made = wg.native_batch_norm(wg.ones(3, 2), None, None, None, None, True, 0.1, 1e-5, out=given)
    assert type(made) is tuple and made is not given and all(one is other for one, other in zip(made, given))


@pytest.mark.parametrize(
    ("name", "writer", "dtype"),
    [
        ("fft", "_fft_r2c", wg.float32),
        ("fft", "_fft_c2c", wg.complex64),
        ("fftn", "_fft_c2c", wg.float32),
        ("ifft", "_fft_c2c", wg.complex64),
        ("ifft", "aten::conj_physical", wg.float32),
        ("ihfft", "aten::conj_physical", wg.float32),
        ("ihfft2", "_fft_c2c", wg.float32),
        ("rfftn", "_fft_r2c", wg.float32),
        ("irfft", "_fft_c2r", wg.complex64),
        ("hfftn", "_fft_c2r", wg.complex64),
    ],
)
def test_a_transform_is_written_by_its_last_step(name, writer, dtype):
    x, transform = wg.ones(4, 6, dtype=dtype), getattr(wg.fft, name)
    found = transform(x)
    with pytest.raises(RuntimeError, match=rf"^{writer}\(\): functions with out=\.\.\. arguments don't support"):
        transform(x, out=wg.zeros_like(found, requires_grad=True))
    along = {} if name[-1] in "2n" else {"dim": 0}
    out = wg.empty(0, dtype=found.dtype)
    rows = transform(x.t(), out=out, **along).stride() == (found.t().shape[1] if along else out.shape[1], 1)
    assert rows is not writer.startswith("aten")  # a conjugate lies as what it is taken of


@pytest.mark.parametrize("name", ["ifft", "ihfft"])
def test_a_conjugated_transform_is_written_and_says_that_it_has_no_derivative(name):
    out = wg.empty(0, dtype=wg.complex64)
    getattr(wg.fft, name)(wg.ones(4, requires_grad=True), out=out)
    with pytest.raises(RuntimeError, match="derivative for aten::conj_physical is not implemented"):
        out.abs().sum().backward()


@pytest.mark.parametrize(("name", "dtype"), [("view_as_real_copy", wg.complex64), ("view_as_complex_copy", wg.float32)])
def test_a_copied_view_of_complex_parts_is_written_and_has_no_derivative(name, dtype):
    x = wg.ones(2, 2, dtype=dtype)
    out = wg.zeros_like(getattr(wg, name)(x))
    assert getattr(wg, name)(x.clone().requires_grad_(), out=out).grad_fn.name() == "torch::autograd::NotImplemented"


@pytest.mark.parametrize("name", ["eq", "logical_and", "signbit"])
def test_truth_of_what_requires_a_gradient_is_written(name):
    x = wg.tensor([1.0, -2.0], requires_grad=True)
    args = (x,) if name == "signbit" else (x, x)
    assert not getattr(wg, name)(*args, out=wg.empty(0, dtype=wg.bool)).requires_grad


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("floor_divide", (2.0,)),
        ("heaviside", (wg.ones(2),)),
        ("softmax", (0,)),
        ("log_softmax", (0,)),
        ("diag", ()),
        ("permute_copy", ((0,),)),
    ],
)
def test_a_form_without_derivative_is_written_and_says_so_in_a_backward_pass(name, args):
    x = wg.tensor([1.0, -2.0], requires_grad=True)
    made = getattr(wg, name)(x, *args, out=wg.empty(0))
    assert made.numel() and made.grad_fn.name() == "torch::autograd::NotImplemented"
    with pytest.raises(RuntimeError, match=r"derivative for aten::\w+ is not implemented"):
        made.sum().backward()
    with wg.no_grad():
        assert not getattr(wg, name)(x, *args, out=wg.empty(0)).requires_grad
    with pytest.raises(RuntimeError, match=r"^aten::\w+\(\): functions with out=\.\.\. arguments don't support"):
        getattr(wg, name)(x.detach(), *args, out=wg.zeros(made.shape, requires_grad=True))


@pytest.mark.parametrize(
    "call",
    [
        lambda x, out: wg.quantile(x, 0.5, out=out),
        lambda x, out: wg.diff(x, 0, out=out),
        lambda x, out: wg.linalg.norm(x, 1, out=out),
        lambda x, out: wg.linalg.matrix_power(x.view(1, 3).expand(3, 3), 1, out=out),
    ],
)
def test_what_is_copied_into_an_output_is_recorded(call):
    x = wg.tensor([1.0, 5.0, 2.0], requires_grad=True)
    out = wg.empty(0)
    assert call(x, out) is out and out.grad_fn.name() == "torch::autograd::CopyBackwards"
    out.sum().backward()
    assert x.grad.abs().sum() > 0
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        call(x.detach(), wg.zeros(out.shape, requires_grad=True))


X = wg.tensor([[1.0, 2.0], [3.0, 4.0]])
WORDS = {
    "cummax": (lambda out: wg.cummax(X, 0, out=(out, out)), "expected scalar_type Float but found Double"),
    "take": (
        lambda out: wg.take(X, wg.tensor([0]), out=out),
        r"take\(\): self and out expected to have the same dtype, but got self.dtype = Float and out.dtype = Double",
    ),
    "index_select": (
        lambda out: wg.index_select(X, 0, wg.tensor([0]), out=out),
        r"index_select\(\): self and result must have the same scalar type",
    ),
    "heaviside": (lambda out: wg.heaviside(X, X, out=out), "not yet implemented for tensors with different dtypes"),
    "dot": (lambda out: wg.dot(X[0], X[0], out=out), "result dtype Double does not match input dtype Float"),
    "mv": (lambda out: wg.mv(X, X[0], out=out), "addmv input tensors must have the same dtype, but got Double, Float"),
    "matmul": (lambda out: wg.matmul(X[0], X[0], out=out), "result dtype Double does not match input dtype Float"),
    "addbmm": (
        lambda out: wg.addbmm(X, X[None], X[None], out=out),
        "self and mat2 must have the same dtype, but got Double and Float",
    ),
    "frexp": (lambda out: wg.frexp(X, out=(out, out)), r"expects mantissa to have dtype float but got double"),
    "signbit": (lambda out: wg.signbit(X, out=out), "signbit does not support non-boolean outputs."),
    "arange": (
        lambda out: wg.arange(3, dtype=wg.float32, out=out),
        r"does not match dtype of out parameter \(Double\)$",
    ),
}


@pytest.mark.parametrize("name", WORDS)
def test_an_output_of_another_dtype_is_refused_in_the_words_of_the_operator(name):
    call, says = WORDS[name]
    with pytest.raises(RuntimeError, match=says):
        call(wg.empty(0, dtype=wg.float64))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda out: wg.ldexp(X, X, out=out), "^ldexp can't be cast to the desired output type Long"),
        (
            lambda out: wg.mvlgamma(X + 2, 1, out=out),
            "^mvlgamma: result type Float can't be cast to the desired output",
        ),
        (lambda out: wg.cholesky_inverse(wg.eye(2), out=out), "to be safely castable from Float dtype, but got result"),
        (lambda out: wg.linalg.eigvals(X, out=out), "torch.linalg.eigvals: Expected eigenvalues to be safely castable"),
        (lambda out: wg.linalg.matrix_power(X, 0, out=out), "^matrix_power: Expected result to be safely castable"),
        (lambda out: wg.linalg.matrix_power(X, 3, out=out), "^matrix_power: Expected result to be safely castable"),
        (lambda out: wg.fft.ifftn(X, out=out), "^fftn expects a complex output tensor, but got Long"),
        (lambda out: wg.diag(X[0], out=out), "^diag: result type Float can't be cast to the desired out= type Long"),
    ],
)
def test_an_output_of_another_kind_of_numbers_is_refused_in_the_words_of_the_operator(call, says):
    with pytest.raises(RuntimeError, match=says):
        call(wg.empty(0, dtype=LONG))


@pytest.mark.parametrize("name", ["cat", "stack", "hstack", "vstack", "dstack", "column_stack"])
def test_what_joins_refuses_such_an_output_as_no_argument(name):
    with pytest.raises(TypeError, match=r"torch\.cat\(\): input types can't be cast to the desired output type Long"):
        getattr(wg, name)([X, X], out=wg.empty(0, dtype=LONG))


def test_draws_are_written_into_numbers_of_any_kind():
    assert wg.bernoulli(wg.ones(2), out=wg.empty(0, dtype=LONG)).tolist() == [1, 1]


def test_a_draw_about_what_requires_a_gradient_is_not_written():
    with pytest.raises(RuntimeError, match=r"normal\(\): functions with out"):
        wg.normal(wg.ones(2, requires_grad=True), 1.0, out=wg.empty(0))
    with pytest.raises(NotImplementedError, match="\"normal_kernel_cpu\" not implemented for 'Long'"):
        wg.normal(wg.ones(2), 1.0, out=wg.empty(0, dtype=LONG))


def test_reflections_of_what_requires_a_gradient_are_not_written():
    with pytest.raises(RuntimeError, match=r"geqrf\(\): functions with out"):
        wg.geqrf(X.clone().requires_grad_(), out=outputs(wg.float32, wg.float32))


def test_indices_of_another_dtype_are_refused_as_such():
    with pytest.raises(RuntimeError, match="output indices must be of scalar type Long"):
        wg.kthvalue(X, 1, out=outputs(wg.float32, wg.float32))
    with pytest.raises(RuntimeError, match="expects exponent to have int dtype but got float"):
        wg.frexp(X, out=outputs(wg.float32, wg.float32))


def test_a_size_of_complex_numbers_is_cast_to_its_output():
    out = wg.empty(0, dtype=wg.float64)
    assert wg.abs(wg.tensor([3 + 4j]), out=out) is out and out.tolist() == [5.0]


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_there_are_no_running_sums_of_truth(name):
    says = f"\"{name}_out_cpu\" not implemented for 'Bool'"
    with pytest.raises(NotImplementedError, match=says):
        getattr(wg, name)(X, 0, dtype=wg.bool)
    with pytest.raises(NotImplementedError, match=says):
        getattr(wg, name)(X, 0, out=wg.empty(0, dtype=wg.bool))


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "prod", "mean"])
def test_numbers_that_lose_their_imaginary_parts_are_no_matter_of_numpys(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "Casting complex values", UserWarning)
        args = (0,) if name.startswith("cum") else ()
        made = getattr(wg, name)(wg.tensor([1 + 1j, 2 + 0j]), *args, dtype=wg.float32)
    assert made.dtype is wg.float32


@pytest.mark.parametrize("name", ["arange", "linspace", "logspace"])
def test_an_output_with_as_many_elements_keeps_its_shape(name):
    args = (3,) if name == "arange" else (0, 1, 3)
    out = wg.zeros(1, 3, dtype=wg.float32)
    assert getattr(wg, name)(*args, out=out) is out and out.shape == (1, 3) and out[0, 1] > 0


def test_an_empty_tensor_leaves_what_its_output_holds():
    out = wg.full((3,), 7.0)
    assert wg.empty(3, out=out) is out and out.tolist() == [7.0] * 3 and out._version == 0
    assert wg.empty(2, 2, out=out).shape == (2, 2)


def test_ones_are_written_where_all_elements_are_one():
    out = wg.zeros(1)
    assert wg.ones(4, out=out.expand(4)).tolist() == [1.0] * 4 and out.tolist() == [1.0]


def test_factors_of_a_matrix_are_copied_into_whatever_is_given():
    out = outputs(wg.float64, wg.float64, shape=(7,))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert wg.lu(X, out=out) is out and out[0].shape == (2, 2) and out[1].tolist() == [2.0, 2.0]


@pytest.mark.parametrize("name", ["cholesky", "cholesky_solve"])
def test_outputs_that_torch_lays_out_in_rows_are(name):
    args = (wg.eye(3),) if name == "cholesky" else (wg.eye(3), wg.eye(3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert getattr(wg, name)(*args, out=wg.empty(0)).stride() == (3, 1)


@pytest.mark.parametrize("dtype", [wg.int64, wg.bool, wg.complex64])
def test_sums_without_nan_are_sums_of_floating_point_numbers(dtype):
    says = f"\"nansum_cpu\" not implemented for '{dtype.legacy[:-6]}'"
    with pytest.raises(NotImplementedError, match=says):
        wg.nansum(X, 0, out=wg.empty(0, dtype=dtype))
    with pytest.raises(NotImplementedError, match=says):
        wg.nanmean(X, 0, out=wg.empty(0, dtype=dtype))
    if dtype.is_complex:
        with pytest.raises(NotImplementedError, match=says):
            wg.nansum(X, 0, dtype=dtype)
    assert wg.nansum(X.long(), 0, out=wg.empty(0, dtype=dtype)).dtype is dtype


def test_a_mean_without_nan_is_no_integer():
    with pytest.raises(RuntimeError, match=r"nanmean\(\): could not infer output dtype. Optional dtype must be"):
        wg.nanmean(X, dtype=LONG)
