"""Arguments that are no tensors, no integers or no dtypes are refused in torch's words, wherever they stand."""

from __future__ import annotations

import re

import numpy as np
import pytest

import wengert as wg
from wengert.nn import functional as F

X = wg.arange(6.0).reshape(2, 3)
NO_TENSOR = {
    "equal(): argument 'other' (position 1) must be Tensor, not int": lambda: X.equal(5),
    "equal(): argument 'other' (position 2) must be Tensor, not int": lambda: wg.equal(X, 5),
    "view_as(): argument 'other' (position 1) must be Tensor, not int": lambda: X.view_as(5),
    "expand_as(): argument 'other' (position 1) must be Tensor, not list": lambda: X.expand_as([1]),
    "prelu(): argument 'weight' (position 1) must be Tensor, not int": lambda: X.prelu(5),
    "take_along_dim(): argument 'indices' (position 2) must be Tensor, not int": lambda: wg.take_along_dim(X, 5, 0),
    "mse_loss(): argument 'target' must be Tensor, not int": lambda: F.mse_loss(X, target=5),
    "group_norm(): argument 'bias' (position 4) must be Tensor, not int": lambda: F.group_norm(X, 1, None, 5),
    "rms_norm(): argument 'weight' (position 3) must be Tensor, not int": lambda: F.rms_norm(X, (3,), 5),
    "masked_fill(): argument 'mask' (position 2) must be Tensor, not int": lambda: X.masked_fill(5, 1.0),
    "resize_as_(): argument 'the_template' (position 1) must be Tensor, not int": lambda: X.resize_as_(2),
    "set_(): argument 'source' (position 1) must be Tensor, not str": lambda: X.set_("x"),
    "lerp(): argument 'input' (position 1) must be Tensor, not int": lambda: wg.lerp(3, X, 0.5),
    "scatter(): argument 'index' (position 3) must be Tensor, not int": lambda: X.scatter(0, 5, 1.0),
    "to(): argument 'other' (position 1) must be Tensor, not int": lambda: X.to(other=3),
    "hstack(): argument 'tensors' (position 1) must be tuple of Tensors, not int": lambda: wg.hstack(5),
    "expected Tensor as element 1 in argument 0, but got int": lambda: wg.atleast_2d(X, 5),
    "expected Tensor as element 0 in argument 1, but got int": lambda: X.index_put([1, 2], X),
    "can_cast(): argument 'to' (position 2) must be torch.dtype, not Tensor": lambda: wg.can_cast(wg.float32, X),
    "finfo(): argument 'type' (position 1) must be torch.dtype, not Tensor": lambda: wg.finfo(X),
    "repeat(): argument 'repeats' must be tuple of ints, not NoneType": lambda: X.repeat(None),
    "failed to unpack the object at pos 2 with error": lambda: X.expand((2, None)),
    "select(): argument 'dim' (position 2) must be int, not NoneType": lambda: wg.select(X, None, 1),
    "size(): argument 'dim' (position 1) must be int, not str": lambda: X.size("a"),
    "stride(): argument 'dim' (position 1) must be int, not float": lambda: X.stride(1.5),
    "new(): argument 'size' failed to unpack the object at pos 2": lambda: wg.Tensor(2, None),
    "new(): data must be a sequence (got NoneType)": lambda: wg.Tensor(None),
    "new(): invalid data type 'str'": lambda: wg.Tensor("a"),
}
OF_A_MODULE = {
    "linalg_lu(): argument 'A' (position 1) must be Tensor, not int": lambda: wg.linalg.lu(3),
    "linalg_lu(): argument 'pivot' must be bool, not str": lambda: wg.linalg.lu(X, pivot="x"),
    'linalg_lu_factor() missing 1 required positional arguments: "A"': lambda: wg.linalg.lu_factor(),
    'linalg_lu_solve() missing 2 required positional arguments: "pivots", "B"': lambda: wg.linalg.lu_solve(X),
    'linalg_lu_solve() missing 1 required positional arguments: "pivots"': lambda: wg.linalg.lu_solve(X, B=X),
    "fft_fft(): argument 'input' (position 1) must be Tensor, not str": lambda: wg.fft.fft("x"),
    'fft_irfft() missing 1 required positional arguments: "input"': lambda: wg.fft.irfft(),
}
NO_BOOL = {
    "sum(): argument 'keepdim' (position 3) must be bool, not NoneType": lambda: X.sum(0, None),
    "nansum(): argument 'keepdim' (position 3) must be bool, not int": lambda: X.nansum(0, keepdim=1),
    "amax(): argument 'keepdim' (position 3) must be bool, not numpy.bool": lambda: X.amax(0, np.bool_(True)),
    "logsumexp(): argument 'keepdim' (position 3) must be bool, not str": lambda: wg.logsumexp(X, 0, "a"),
    "var(): argument 'keepdim' (position 4) must be bool, not float": lambda: X.var(0, keepdim=1.0),
    "put_(): argument 'accumulate' (position 4) must be bool, not int": lambda: X.put_(wg.tensor([0]), wg.ones(1), 1),
    "max(): argument 'keepdim' (position 2) must be bool, not int": lambda: X.max(0, 1),
    "max(): argument 'keepdim' must be bool, not Tensor": lambda: wg.max(X, 0, keepdim=wg.tensor(True)),
    "allclose(): argument 'equal_nan' must be bool, not NoneType": lambda: wg.allclose(X, X, equal_nan=None),
    "nonzero(): argument 'as_tuple' must be bool, not int": lambda: X.nonzero(as_tuple=1),
    "max_pool2d(): argument 'ceil_mode' must be bool, not int": lambda: F.max_pool2d(X[None], 1, ceil_mode=1),
    "stft(): argument 'return_complex' must be bool, not int": lambda: wg.stft(wg.ones(9), 4, return_complex=1),
    "istft(): argument 'onesided' must be bool, not int": lambda: wg.istft(wg.ones(3, 9) + 0j, 4, onesided=1),
    "triplet_margin_loss(): argument 'swap' must be bool, not int": lambda: F.triplet_margin_loss(X, X, X, swap=1),
    "poisson_nll_loss(): argument 'full' must be bool, not NoneType": lambda: F.poisson_nll_loss(X, X, full=None),
    "argument 'align_corners' (position 5) must be bool, not int": lambda: F.interpolate(
        X[None], 2, mode="linear", align_corners=1
    ),
    "grid_sample(): argument 'align_corners' must be bool, not int": lambda: F.grid_sample(
        wg.ones(1, 1, 2, 2), wg.ones(1, 2, 2, 2), align_corners=1
    ),
    "tensor(): argument 'requires_grad' must be bool, not NoneType": lambda: wg.tensor([1.0], requires_grad=None),
}
SQUARE = wg.arange(16.0).reshape(4, 4).sin()
HEADS = (4, 2, wg.ones(12, 4), None, None, None)
BY_TRUTH = {
    "stft": lambda truth: wg.stft(wg.arange(9.0), 4, window=wg.ones(4), center=truth, return_complex=True).abs(),
    "pca_lowrank": lambda truth: wg.pca_lowrank(SQUARE[:, :2], 2, center=truth)[1],
    "window": lambda truth: wg.signal.windows.hann(5, sym=truth),
    "triplet": lambda truth: F.triplet_margin_with_distance_loss(X, X + 1, X, swap=truth),
    "gaussian_nll_loss": lambda truth: F.gaussian_nll_loss(X, X, X + 1, full=truth),
    "max_pool2d": lambda truth: F.max_pool2d(SQUARE[None], 2, return_indices=truth)[-1],
    "attention": lambda truth: F.multi_head_attention_forward(
        SQUARE, SQUARE, SQUARE, *HEADS, truth, 0.0, wg.ones(4, 4), None, average_attn_weights=truth
    )[1],
}
"""Switches that torch, too, reads in Python."""
REFUSED = {
    "Expected num groups to be greater than 0, got 0": lambda: F.group_norm(X, 0),
    "Indexing dim 1 is out of bounds of the source tensor with dim 1": lambda: X.index_add(
        -1, wg.tensor([0]), wg.ones(3)
    ),
    "weight should have at least three dimensions": lambda: wg.conv1d(wg.ones(1, 2, 3), wg.ones(2, 2)),
    "weight should contain 2 elements not 1": lambda: F.instance_norm(X[None], weight=wg.tensor(3.0)),
    "increment_version expects each element": lambda: wg.autograd.graph.increment_version([5]),
    "Tensor.__contains__ only supports Tensor or scalar": lambda: "a" in X,
    "set_num_threads expects an int, but got NoneType": lambda: wg.set_num_threads(None),
}


@pytest.mark.parametrize("text", OF_A_MODULE)
def test_errors_name_the_module_of_a_function_where_torch_does(text):
    with pytest.raises(TypeError, match=re.escape(text)):
        OF_A_MODULE[text]()


@pytest.mark.parametrize("text", NO_TENSOR)
def test_arguments_of_a_wrong_type_are_refused_by_name(text):
    with pytest.raises(TypeError, match=re.escape(text)):
        NO_TENSOR[text]()


@pytest.mark.parametrize("given", [1, 0, None, 0.5])
@pytest.mark.parametrize("name", BY_TRUTH)
def test_of_switches_that_are_read_in_python_the_truth_counts(name, given):
    assert wg.allclose(BY_TRUTH[name](given), BY_TRUTH[name](bool(given)))


def test_windows_of_one_point_or_none_take_any_number():
    windows = wg.signal.windows
    assert windows.hann(True).tolist() == windows.bartlett(1.0).tolist() == [1.0]
    assert windows.general_cosine(0.0, a=[1]).shape == (0,)
    for wrong in (lambda: windows.hann(5.0), lambda: windows.cosine(True)):
        with pytest.raises(TypeError, match="must be int, not"):
            wrong()


@pytest.mark.parametrize("text", NO_BOOL)
def test_switches_take_nothing_but_a_bool(text):
    before = X.tolist(), X._version
    with pytest.raises(TypeError, match=re.escape(text)):
        NO_BOOL[text]()
    assert (X.tolist(), X._version) == before


@pytest.mark.parametrize("text", REFUSED)
def test_arguments_that_do_not_fit_are_refused_in_torch_s_words(text):
    with pytest.raises(RuntimeError, match=re.escape(text)):
        REFUSED[text]()


def test_none_stands_where_a_tensor_may_be_left_out():
    assert F.group_norm(X, 1, None, None).shape == X.shape


def test_a_table_is_not_shortened_by_a_call_that_is_refused():
    table = wg.ones(3, 2)
    with pytest.raises(IndexError, match="index out of range in self"):
        F.embedding(wg.tensor([0, 3]), table, None, 0.5, 2.0, False, True)
    assert table._version == 0
    assert table.tolist() == [[1.0, 1.0]] * 3


@pytest.mark.parametrize("question", ["size", "stride"])
def test_a_tensor_without_dimensions_has_none_to_ask_for(question):
    with pytest.raises(IndexError, match="Dimension specified as -1 but tensor has no dimensions"):
        getattr(wg.tensor(1.0), question)(-1)


@pytest.mark.parametrize(
    "factory", [wg.empty, wg.rand, wg.zeros, wg.zeros(()).new_ones], ids=lambda each: each.__name__
)
def test_lengths_given_one_by_one_are_not_taken_for_switches(factory):
    assert factory(*[1] * 9, requires_grad=True).shape == (1,) * 9
    with pytest.raises(TypeError, match="'pin_memory' must be bool, not int"):
        factory(2, pin_memory=1)
