"""Parameters as one vector."""

import pytest

import wengert as wg
from wengert.nn import Parameter
from wengert.nn.utils import (
    parameters_to_vector,
    vector_to_parameters,
)


def test_parameters_become_a_vector_and_back():
    parameters = [Parameter(wg.ones(2, 2)), Parameter(wg.zeros(1))]
    vector = parameters_to_vector(parameters)
    assert vector.tolist() == [1, 1, 1, 1, 0]
    assert vector.requires_grad
    vector_to_parameters(wg.arange(5.0), parameters)
    assert parameters[0].tolist() == [[0, 1], [2, 3]]
    assert parameters[1].tolist() == [4]
    with pytest.raises(TypeError, match=r"expected torch.Tensor, but got: list"):
        vector_to_parameters([1], parameters)
    with pytest.raises(RuntimeError, match=r"shape '\[2, 2\]' is invalid for input of size 1"):
        vector_to_parameters(wg.ones(1), parameters)
