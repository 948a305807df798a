"""Ways to fill a tensor: the right spread, in place, outside of the graph; modules that are not filled."""

import math
import warnings

import numpy as np
import pytest

import wengert as wg
from wengert import nn
from wengert.nn import Parameter, init


@pytest.mark.parametrize(
    ("name", "param", "gain"),
    [
        ("linear", None, 1),
        ("conv2d", None, 1),
        ("sigmoid", None, 1),
        ("tanh", None, 5 / 3),
        ("selu", None, 0.75),
        ("relu", None, 1.4142135623730951),
        ("leaky_relu", None, 1.4141428569978354),
        ("leaky_relu", 0.2, 1.3867504905630728),
    ],
)
def test_gains_are_torchs(name, param, gain):
    assert init.calculate_gain(name, param) == pytest.approx(gain, rel=1e-12)


def test_unknown_gains_are_refused():
    with pytest.raises(ValueError, match="Unsupported nonlinearity x"):
        init.calculate_gain("x")
    with pytest.raises(ValueError, match="negative_slope True not a valid number"):
        init.calculate_gain("leaky_relu", True)


@pytest.mark.parametrize(
    ("fill", "std"),
    [
        (lambda w: init.uniform_(w, -1, 3), 4 / math.sqrt(12)),
        (lambda w: init.normal_(w, 5, 0.5), 0.5),
        (lambda w: init.xavier_uniform_(w, gain=2), 2 * math.sqrt(2 / 900)),
        (lambda w: init.xavier_normal_(w), math.sqrt(2 / 900)),
        (lambda w: init.kaiming_uniform_(w, nonlinearity="relu"), math.sqrt(2 / 600)),
        (lambda w: init.kaiming_normal_(w, mode="fan_out", nonlinearity="relu"), math.sqrt(2 / 300)),
    ],
)
def test_random_fillings_have_the_stated_spread(fill, std):
    weight = Parameter(wg.empty(300, 600))
    assert fill(weight) is weight
    assert weight.std().item() == pytest.approx(std, rel=0.02)
    assert weight.is_leaf
    assert weight.requires_grad


def test_fans_count_the_receptive_field():
    assert init._calculate_fan_in_and_fan_out(wg.empty(8, 4, 3, 5)) == (60, 120)
    with pytest.raises(ValueError, match="fewer than 2 dimensions"):
        init.xavier_normal_(wg.empty(3))
    with pytest.raises(ValueError, match=r"Mode x not supported, please use one of \['fan_in', 'fan_out'\]"):
        init.kaiming_normal_(wg.empty(2, 2), mode="x")
    with pytest.warns(UserWarning, match="Initializing zero-element tensors is a no-op"):
        init.kaiming_normal_(wg.empty(0, 2))


def test_constant_fillings():
    assert init.ones_(wg.empty(2)).tolist() == [1, 1]
    assert init.zeros_(wg.empty(2)).tolist() == [0, 0]
    assert init.constant_(wg.empty(2), 0.5).tolist() == [0.5, 0.5]
    assert init.eye_(wg.empty(2, 3)).tolist() == [[1, 0, 0], [0, 1, 0]]
    with pytest.raises(ValueError, match="Only tensors with 2 dimensions are supported"):
        init.eye_(wg.empty(3))


def test_a_dirac_weight_passes_its_input_on():
    weight = init.dirac_(wg.empty(4, 2, 3), groups=2)
    x = wg.randn(1, 4, 6)
    assert wg.nn.functional.conv1d(x, weight, padding=1, groups=2).tolist() == x.tolist()
    with pytest.raises(ValueError, match="dim 0 must be divisible by groups"):
        init.dirac_(wg.empty(3, 2, 3), groups=2)


@pytest.mark.parametrize("shape", [(5, 5), (3, 8), (8, 3), (4, 2, 3)])
def test_orthogonal_rows_or_columns(shape):
    weight = init.orthogonal_(wg.empty(shape, dtype=wg.float64), gain=2).numpy().reshape(shape[0], -1)
    product = weight @ weight.T if weight.shape[0] <= weight.shape[1] else weight.T @ weight
    assert np.allclose(product, 4 * np.eye(len(product)))


@pytest.mark.parametrize(("low", "high"), [(-2, 2), (0.5, 3), (1.9, 2.0)])
def test_a_truncated_normal_stays_within_its_bounds_and_has_the_right_mean(low, high):
    weight = init.trunc_normal_(wg.empty(20000, dtype=wg.float64), 0, 1, low, high).numpy()
    assert low <= weight.min()
    assert weight.max() <= high
    density = lambda x: math.exp(-x * x / 2) / math.sqrt(2 * math.pi)  # noqa: E731
    below = lambda x: (1 + math.erf(x / math.sqrt(2))) / 2  # noqa: E731
    mean = (density(low) - density(high)) / (below(high) - below(low))
    assert weight.mean() == pytest.approx(mean, abs=0.02)


def test_a_sparse_filling_has_the_share_of_zeros_in_each_column():
    weight = init.sparse_(wg.empty(10, 4), 0.3)
    assert (weight == 0).sum(0).tolist() == [3, 3, 3, 3]


def test_a_generator_makes_a_filling_repeatable():
    drawn = [init.normal_(wg.empty(3), generator=wg.Generator().manual_seed(3)).tolist() for _ in range(2)]
    assert drawn[0] == drawn[1]


def test_bounds_of_trunc_normal_may_be_tensors_and_must_be_in_order():
    weight = wg.ones(5)
    with pytest.raises(RuntimeError, match=r"uniform_ expects to return a \[from, to\) range, but found from"):
        init.trunc_normal_(weight, 0.0, 1.0, wg.tensor(1.5), 1.0)
    assert weight.tolist() == [1.0] * 5 and weight._version == 0
    assert init.trunc_normal_(weight, 0.0, 1.0, wg.tensor(1.5), 2.0).min() >= 1.5


def test_a_layer_without_inputs_says_that_there_is_nothing_to_draw():
    with pytest.warns(UserWarning, match="Initializing zero-element tensors is a no-op") as caught:
        wg.nn.Linear(0, 3)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("name", sorted(name for name in dir(wg.nn.init) if name.endswith("_") and name[0] != "_"))
@pytest.mark.parametrize("shape", [(), (0,), (3,), (3, 4), (0, 4), (4, 2, 3), (5, 4, 3), (2,) * 6])
@pytest.mark.parametrize("dtype", [wg.float32, wg.float16, wg.bfloat16, wg.int64, wg.complex64, wg.bool], ids=str)
@pytest.mark.filterwarnings("ignore")
def test_a_tensor_is_filled_or_refused_before_it_is_written_to(name, shape, dtype):
    tensor = wg.ones(shape, dtype=dtype)
    arguments = {"constant_": (0.5,), "sparse_": (0.5,)}.get(name, ())
    before = tensor.clone()
    try:
        result = getattr(wg.nn.init, name)(tensor, *arguments)
    except (RuntimeError, ValueError, NotImplementedError, TypeError):
        assert wg.equal(tensor, before) and tensor._version == 0
    else:
        assert result is tensor and tensor.shape == shape


def test_a_number_is_drawn_from_a_truncated_normal_distribution():
    for bounds in ((-2.0, 2.0), (3.0, 3.1), (5.0, 9.0)):
        tensor = wg.zeros(())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wg.nn.init.trunc_normal_(tensor, 0.0, 1.0, *bounds)
        assert bounds[0] <= tensor <= bounds[1] and tensor != 0


def test_parameters_that_are_not_filled_are_there():
    layer = nn.utils.skip_init(nn.Linear, 3, 2)
    assert layer.weight.shape == (2, 3)
    assert layer.weight.device == wg.device("cpu")
    with pytest.raises(RuntimeError, match="Module must support a 'device' arg"):
        nn.utils.skip_init(nn.ReLU)


def test_older_names_say_what_they_are_now():
    with pytest.warns(FutureWarning, match="`nn.init.constant` is now deprecated in favor of `nn.init.constant_`"):
        assert nn.init.constant(wg.empty(2), 3.0).tolist() == [3, 3]
    with pytest.warns(FutureWarning, match="`nn.Container` is deprecated"):
        assert list(dict(nn.Container(a=nn.ReLU()).named_children())) == ["a"]
