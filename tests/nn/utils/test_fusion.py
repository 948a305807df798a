"""Fused layers."""

import copy

import numpy as np
import pytest

import wengert as wg
from wengert import nn


def test_a_fused_layer_gives_what_both_gave_and_leaves_them_alone():
    conv, norm = nn.Conv2d(2, 3, 2), nn.BatchNorm2d(3)
    for _ in range(3):
        norm(conv(wg.randn(4, 2, 5, 5)))
    conv.eval(), norm.eval()
    before = copy.deepcopy(conv.state_dict())
    fused = nn.utils.fuse_conv_bn_eval(conv, norm)
    x = wg.randn(2, 2, 5, 5)
    np.testing.assert_allclose(fused(x).detach().numpy(), norm(conv(x)).detach().numpy(), atol=1e-5)
    assert all(bool((before[name] == each).all()) for name, each in conv.state_dict().items())


def test_layers_that_keep_no_statistics_are_not_fused():
    with pytest.raises(AssertionError, match="running_mean and running_var"):
        nn.utils.fuse_conv_bn_eval(nn.Conv2d(1, 1, 1).eval(), nn.BatchNorm2d(1, track_running_stats=False).eval())
