"""What Python says of layers that are made with too few arguments, or too many: torch's layers name themselves."""

from __future__ import annotations

import inspect
import pickle

import pytest

from wengert import nn

FAMILIES = {"_AdaptiveAvgPoolNd", "_AdaptiveMaxPoolNd", "_BatchNorm", "_InstanceNorm", "_LazyNormBase"}
FAMILIES |= {"_LPPoolNd", "_MaxPoolNd", "_WeightedLoss", "_Loss", "_DropoutNd"}
"""Constructors that torch's layers share."""


def layers():
    for name in dir(nn):
        found = getattr(nn, name)
        if isinstance(found, type) and issubclass(found, nn.Module):
            yield found


@pytest.mark.parametrize("layer", list(layers()), ids=lambda each: each.__name__)
def test_a_layer_s_constructor_bears_a_name_that_torch_has(layer):
    owner = layer.__init__.__qualname__.partition(".")[0]
    assert owner[:1] != "_" or owner in FAMILIES


@pytest.mark.parametrize(
    ("layer", "given", "says"),
    [
        (
            nn.Conv2d,
            (),
            r"Conv2d.__init__\(\) missing 3 required positional arguments: 'in_channels', 'out_channels', ",
        ),
        (nn.LazyConv1d, (), r"LazyConv1d.__init__\(\) missing 2 required positional arguments: 'out_channels'"),
        (nn.SELU, (1, 2), r"SELU.__init__\(\) takes from 1 to 2 positional arguments but 3 were given"),
        (nn.ZeroPad2d, (), r"ZeroPad2d.__init__\(\) missing 1 required positional argument: 'padding'"),
        (nn.BatchNorm1d, (), r"^_BatchNorm.__init__\(\) missing 1 required positional argument: 'num_features'"),
        (nn.AdaptiveMaxPool1d, (), r"^_AdaptiveMaxPoolNd.__init__\(\) missing 1 required"),
        (nn.MaxUnpool2d, (), r"MaxUnpool2d.__init__\(\) missing 1 required positional argument: 'kernel_size'"),
    ],
)
def test_wrong_calls_name_the_layer(layer, given, says):
    with pytest.raises(TypeError, match=says):
        layer(*given)


def test_what_a_program_derives_from_a_layer_has_the_layer_s_constructor():
    class Own(nn.Conv2d):
        pass

    assert Own.__init__ is nn.Conv2d.__init__
    assert inspect.signature(nn.Conv1d) == inspect.signature(nn.Conv2d)
    assert "padding=(1, 1)" in repr(pickle.loads(pickle.dumps(nn.Conv2d(1, 2, 3, padding=1))))
