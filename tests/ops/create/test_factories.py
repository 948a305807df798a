"""What factories take as `layout=`, `size=` and dtype, and which of their arguments are refused."""

from __future__ import annotations

import math

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


def test_none_is_no_wish_to_record():
    assert not wg.zeros(2, requires_grad=None).requires_grad
    assert not wg.eye(2, requires_grad=None).requires_grad
    with pytest.raises(TypeError, match="must be bool, not str"):
        wg.zeros(2, requires_grad="yes")


x = wg.arange(24.0).reshape(2, 3, 4)


@pytest.mark.parametrize("named", [{"layout": wg.strided}, {"pin_memory": False}])
def test_new_tensors_of_data_have_no_layout(named):
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        x.new_tensor([1.0], **named)


@pytest.mark.parametrize("call", [wg.ones, wg.zeros, wg.empty, wg.rand, wg.ones(1).new_zeros])
def test_a_tensor_of_several_elements_is_no_size(call):
    assert call(wg.tensor([2])).shape == (2,)
    for size in (wg.tensor([2, 3]), wg.empty(5, 0), wg.empty(2**40, 0)):
        with pytest.raises(TypeError, match="must be tuple of ints, not Tensor"):
            call(size)


MAKERS = {
    "zeros": (2,),
    "ones": (2,),
    "empty": (2,),
    "full": ((2,), 1.0),
    "arange": (2,),
    "eye": (2,),
    "linspace": (0, 1, 2),
    "logspace": (0, 1, 2),
    "rand": (2,),
    "randn": (2,),
    "normal": (0.0, 1.0, (2,)),
    "randint": (3, (2,)),
    "randperm": (2,),
}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize(("layout", "title"), [("sparse_coo", "Sparse"), ("sparse_csr", "SparseCsr")])
def test_factories_refuse_another_layout_than_that_of_the_output(name, layout, title):
    dtype = wg.int64 if name.startswith("rand") and len(name) > 5 else wg.float32
    words = rf"layout {title} does not match layout of out parameter \(Strided\)"
    out = wg.ones(2, dtype=dtype)
    with pytest.raises(RuntimeError, match=words):
        getattr(wg, name)(*MAKERS[name], out=out, layout=getattr(wg, layout))
    assert out.tolist() == [1, 1]
    assert getattr(wg, name)(*MAKERS[name], out=out, layout=wg.strided) is out


def test_a_factory_that_is_asked_for_a_gradient_makes_a_leaf_of_its_output() -> None:
    for make in (
        lambda out: wg.zeros(3, out=out, requires_grad=True),
        lambda out: wg.rand(3, out=out, requires_grad=True),
    ):
        out = wg.ones(3)
        assert make(out) is out and out.requires_grad and out.is_leaf
    out = wg.ones(3, requires_grad=True)
    with wg.no_grad():
        assert wg.zeros(3, out=out).requires_grad


def test_memory_in_a_given_order_of_dimensions():
    assert wg.empty_permuted((2, 3, 4), (1, 0, 2)).stride() == (4, 8, 1)


@pytest.mark.parametrize("dtype", [wg.float16, wg.bfloat16])
def test_one_element_in_half_precision_becomes_infinite_and_several_refuse(dtype):
    one, two = wg.ones((), dtype=dtype), wg.ones(2, dtype=dtype)
    fills = [
        lambda x: wg.full(x.shape, 1e39, dtype=dtype),
        lambda x: wg.full_like(x, 1e39),
        lambda x: x.new_full(x.shape, 1e39),
        lambda x: x.clone().fill_(1e39),
    ]
    for fill in fills:
        assert fill(one).item() == fill(one[None]).item() == math.inf
        with pytest.raises(RuntimeError, match="without overflow"):
            fill(two)


def test_fractions_beyond_the_range_of_integers_do_not_fit():
    for dtype, value in ((wg.uint8, 255.5), (wg.int8, 127.5), (wg.int8, -128.5), (wg.uint8, -0.5), (wg.uint8, -1.0)):
        for make, given in ((wg.tensor, ([value],)), (wg.full, ((2,), value))):
            with pytest.raises(RuntimeError, match="without overflow"):
                make(*given, dtype=dtype)
    assert wg.tensor([-1, 126.9], dtype=wg.int8).tolist() == [-1, 126]


def test_empty_lies_in_the_memory_format_wanted():
    assert wg.empty(2, 3, 4, 5, memory_format=wg.channels_last).stride() == (60, 1, 15, 3)
    with pytest.raises(RuntimeError, match="required rank 4 tensor to use channels_last format"):
        wg.empty(2, 3, memory_format=wg.channels_last)
    with pytest.raises(RuntimeError, match="unsupported memory format Preserve"):
        wg.empty(2, memory_format=wg.preserve_format)
    with pytest.raises(TypeError, match=r"must be torch\.memory_format, not str"):
        wg.empty(2, memory_format="channels_last")


def test_a_new_tensor_of_a_tensor_has_the_dtype_of_the_model():
    with pytest.warns(UserWarning, match="To copy construct from a tensor"):
        assert wg.ones(1).new_tensor(wg.tensor([1, 2])).dtype is wg.float32
