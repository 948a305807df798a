"""What factories take as `layout=` and as `size=`."""

from __future__ import annotations

import pytest

import wengert as wg

DENSE = {
    "rand": lambda layout: wg.rand(2, layout=layout),
    "randint": lambda layout: wg.randint(3, (2,), layout=layout),
    "randperm": lambda layout: wg.randperm(3, layout=layout),
    "normal": lambda layout: wg.normal(0.0, 1.0, (2,), layout=layout),
    "rand_like": lambda layout: wg.rand_like(wg.ones(2), layout=layout),
    "arange": lambda layout: wg.arange(3, layout=layout),
    "linspace": lambda layout: wg.linspace(0, 1, 3, layout=layout),
    "logspace": lambda layout: wg.logspace(0, 1, 3, layout=layout),
    "eye": lambda layout: wg.eye(2, layout=layout),
    "full": lambda layout: wg.full((2,), 1.0, layout=layout),
    "ones": lambda layout: wg.ones(2, layout=layout),
    "new_full": lambda layout: wg.ones(2).new_full((2,), 1, layout=layout),
    "empty_strided": lambda layout: wg.empty_strided((2,), (1,), layout=layout),
    "tril_indices": lambda layout: wg.tril_indices(2, 2, layout=layout),
    "fftfreq": lambda layout: wg.fft.fftfreq(3, layout=layout),
}
SPARSE = {
    "zeros": lambda layout: wg.zeros(2, layout=layout),
    "empty": lambda layout: wg.empty(2, layout=layout),
    "zeros_like": lambda layout: wg.zeros_like(wg.ones(2), layout=layout),
    "new_zeros": lambda layout: wg.ones(2).new_zeros(2, layout=layout),
}


@pytest.mark.parametrize("name", [*DENSE, *SPARSE])
@pytest.mark.parametrize("layout", [3, "strided", wg.float32])
def test_a_factory_refuses_what_is_no_layout(name, layout):
    with pytest.raises(TypeError, match=r"argument 'layout' must be torch.layout, not "):
        {**DENSE, **SPARSE}[name](layout)


@pytest.mark.parametrize("name", DENSE)
def test_a_factory_of_dense_tensors_alone_refuses_the_sparse_layout(name):
    assert DENSE[name](wg.strided).layout is wg.strided
    with pytest.raises(NotImplementedError, match="from the 'SparseCPU' backend"):
        DENSE[name](wg.sparse_coo)


@pytest.mark.parametrize("name", SPARSE)
def test_a_factory_of_zeros_takes_both_layouts(name):
    for layout in (wg.strided, wg.sparse_coo):
        assert SPARSE[name](layout).layout is layout


def test_windows_are_dense():
    assert wg.hann_window(3, layout=wg.strided).shape == (3,)
    for make in (wg.hann_window, wg.hamming_window, wg.kaiser_window):
        with pytest.raises(RuntimeError, match="is not implemented for sparse types"):
            make(3, layout=wg.sparse_coo)
        with pytest.raises(TypeError, match="argument 'layout' must be"):
            make(3, layout=3)


@pytest.mark.parametrize("make", [wg.zeros, wg.ones, wg.empty, wg.rand, wg.randn])
@pytest.mark.parametrize("size", [2, wg.tensor(2)])
def test_a_size_by_name_is_a_sequence(make, size):
    assert make(2).shape == make(size=(2,)).shape == make(size=wg.Size([2])).shape == (2,)
    with pytest.raises(TypeError, match="argument 'size' must be tuple of ints, not "):
        make(size=size)
