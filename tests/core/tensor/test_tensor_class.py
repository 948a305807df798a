"""What a tensor is besides its operators: shape, device, printing, copies, pickles, other libraries."""

from __future__ import annotations

import copy
import io
import pickle

import numpy as np
import pytest

import wengert as wg


def test_a_size_is_a_tuple_that_prints_as_torchs():
    size = wg.ones(2, 3, 4).shape
    assert isinstance(size, tuple) and size == (2, 3, 4)
    assert repr(size) == "torch.Size([2, 3, 4])" and repr(wg.tensor(1).shape) == "torch.Size([])"
    assert size.numel() == 24 and wg.tensor(1).shape.numel() == 1
    assert repr(size[1:]) == "torch.Size([3, 4])" and size[0] == 2
    assert repr(size.__add__((5,))) == "torch.Size([2, 3, 4, 5])"
    assert hash(size) == hash((2, 3, 4))
    assert pickle.loads(pickle.dumps(size)) == size and type(pickle.loads(pickle.dumps(size))) is wg.Size
    assert repr(wg.Size([1, 2])) == "torch.Size([1, 2])"


def test_shape_size_and_their_parts():
    x = wg.ones(2, 3, 4)
    assert x.size() == x.shape and x.size(-1) == 4 and x.size(0) == 2
    assert x.ndim == x.dim() == 3 and x.numel() == x.nelement() == 24 and len(x) == 2
    assert x.stride() == (12, 4, 1) and x.stride(0) == 12
    assert x.element_size() == x.itemsize == 4 and x.nbytes == 96
    with pytest.raises(IndexError, match="Dimension out of range"):
        x.size(3)
    with pytest.raises(TypeError, match="len\\(\\) of a 0-d tensor"):
        len(wg.tensor(1))


@pytest.mark.parametrize("shape", [(1, 3), (3, 1), (1, 1), (0, 3), (3, 0), (2, 1, 3)])
def test_strides_of_new_tensors_are_row_major_whatever_the_lengths(shape):
    wanted, step = [], 1
    for length in reversed(shape):
        wanted.append(step)
        step *= max(length, 1)
    assert wg.zeros(shape).stride() == tuple(reversed(wanted))
    assert wg.zeros(shape).is_contiguous()


def test_views_say_where_they_start():
    x = wg.arange(12).view(3, 4)
    assert x[1:, 2:].storage_offset() == 6
    assert x[1:, 2:].stride() == (4, 1)
    assert not x[1:, 2:].is_contiguous() and not x.t().is_contiguous()
    assert x.t().t().is_contiguous()
    assert x[1].data_ptr() == x.data_ptr() + 4 * 8


def test_a_device_is_the_cpu():
    x = wg.ones(1)
    assert x.device == wg.device("cpu") and x.device.type == "cpu" and x.device.index is None
    assert repr(x.device) == "device(type='cpu')" and str(x.device) == "cpu"
    assert repr(wg.device("cpu:0")) == "device(type='cpu', index=0)" and wg.device("cpu", 0) == wg.device("cpu:0")
    assert not x.is_cuda and x.cpu() is x and x.to("cpu") is x
    assert wg.zeros(1, device="cpu").device == x.device
    assert {wg.device("cpu"): 1}[wg.device("cpu")] == 1


@pytest.mark.parametrize("name", ["cuda", "cuda:0", "nonsense"])
def test_other_devices_are_refused_by_name(name):
    with pytest.raises((AssertionError, RuntimeError), match=name.partition(":")[0]):
        wg.zeros(1).to(name)
    with pytest.raises((AssertionError, RuntimeError), match=name.partition(":")[0]):
        wg.zeros(1, device=name)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: wg.tensor([1.0, 2.5]), "tensor([1.0000, 2.5000])"),
        (lambda: wg.tensor(3), "tensor(3)"),
        (lambda: wg.tensor([1.0], requires_grad=True), "tensor([1.], requires_grad=True)"),
        (lambda: wg.tensor([1.0], requires_grad=True) * 2, "tensor([2.], grad_fn=<MulBackward0>)"),
        (lambda: wg.tensor([1.0], dtype=wg.float64), "tensor([1.], dtype=torch.float64)"),
        (lambda: wg.tensor([True, False]), "tensor([ True, False])"),
        (lambda: wg.zeros(0, 3), "tensor([], size=(0, 3))"),
    ],
)
def test_a_tensor_prints_as_torchs(make, text):
    assert repr(make()) == text == str(make())


def test_a_dtype_prints_as_torchs_and_is_pickled_by_name():
    assert repr(wg.float32) == "torch.float32" and str(wg.bool) == "torch.bool"
    assert pickle.loads(pickle.dumps(wg.int16)) is wg.int16 and copy.deepcopy(wg.float64) is wg.float64
    assert wg.float is wg.float32 and wg.long is wg.int64 and wg.half is wg.float16 and wg.double is wg.float64
    assert wg.float32.is_floating_point and not wg.float32.is_complex and wg.complex64.is_complex
    assert wg.int8.is_signed and not wg.uint8.is_signed and wg.float64.itemsize == 8


def test_items_and_lists_are_python_numbers():
    assert type(wg.tensor(1.5).item()) is float and type(wg.tensor([3]).item()) is int
    assert wg.tensor([[1, 2], [3, 4]]).tolist() == [[1, 2], [3, 4]] and wg.tensor(2.0).tolist() == 2.0
    with pytest.raises(RuntimeError, match="a Tensor with 2 elements cannot be converted to Scalar"):
        wg.ones(2).item()
    assert int(wg.tensor(2.7)) == 2 and float(wg.tensor([2])) == 2.0 and complex(wg.tensor(1j)) == 1j
    assert [10, 20, 30][wg.tensor(1)] == 20
    with pytest.raises(TypeError, match="only integer tensors of a single element can be converted to an index"):
        [10, 20][wg.tensor(1.0)]


def test_truth_is_that_of_a_single_value():
    assert wg.tensor([1]) and not wg.tensor(0.0)
    with pytest.raises(RuntimeError, match="Boolean value of Tensor with more than one value is ambiguous"):
        bool(wg.ones(2))
    with pytest.raises(RuntimeError, match="Boolean value of Tensor with no values is ambiguous"):
        bool(wg.ones(0))


def test_iteration_gives_views_of_the_rows_with_their_history():
    x = wg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    first, second = x
    (first * second).sum().backward()
    assert x.grad.tolist() == [[3.0, 4.0], [1.0, 2.0]]
    with pytest.raises(TypeError, match="iteration over a 0-d tensor"):
        iter(wg.tensor(1))
    assert 3.0 in x.detach() and 9.0 not in x.detach()


def test_numpy_shares_memory_both_ways():
    array = np.arange(3.0)
    x = wg.from_numpy(array)
    x[0] = 7.0
    assert array[0] == 7.0 and x.numpy() is not None and np.shares_memory(x.numpy(), array)
    y = wg.tensor(array)
    y[1] = 9.0
    assert array[1] == 1.0
    assert wg.as_tensor(array).data_ptr() == x.data_ptr()
    with pytest.raises(RuntimeError, match="Can't call numpy\\(\\) on Tensor that requires grad"):
        wg.ones(1, requires_grad=True).numpy()
    assert wg.ones(1, requires_grad=True).numpy(force=True).tolist() == [1.0]
    assert np.asarray(wg.ones(2)).dtype == np.float32 and np.asarray(wg.ones(2), dtype=np.float64).dtype == np.float64


def test_dlpack_shares_memory_both_ways():
    array = np.arange(6.0).reshape(2, 3)
    x = wg.from_dlpack(array)
    assert x.shape == (2, 3) and x.dtype is wg.float64
    x[0, 0] = 7.0
    assert array[0, 0] == 7.0
    back = np.from_dlpack(x)
    assert np.shares_memory(back, array) and x.__dlpack_device__()[0] == 1
    assert np.from_dlpack(x.t()).shape == (3, 2)
    with pytest.raises(BufferError, match=r"Can't export tensors that require gradient, use tensor.detach\(\)"):
        np.from_dlpack(wg.ones(1, requires_grad=True))


class Marked(wg.Tensor):
    """A subclass of a program's own."""


@pytest.mark.parametrize(
    "round_trip", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))], ids=["deepcopy", "pickle"]
)
def test_copies_and_pickles_keep_values_flags_and_attributes(round_trip):
    x = wg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    x.note = ["something"]
    made = round_trip(x)
    assert type(made) is wg.Tensor and made.tolist() == x.tolist() and made.dtype is x.dtype
    assert made.requires_grad and made.is_leaf and made.note == ["something"] and made.note is not x.note
    assert made.data_ptr() != x.data_ptr()
    made.detach()[0, 0] = 9.0
    assert x[0, 0].item() == 1.0
    assert not round_trip(wg.ones(2)).requires_grad


def test_a_deep_copy_has_its_own_gradient():
    x = wg.ones(2, requires_grad=True)
    (x * 3).sum().backward()
    made = copy.deepcopy(x)
    assert made.grad.tolist() == [3.0, 3.0]
    made.grad.zero_()
    assert x.grad.tolist() == [3.0, 3.0]


def test_a_deep_copy_of_several_references_stays_one_tensor():
    x = wg.ones(2)
    first, second = copy.deepcopy([x, x])
    assert first is second


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_every_protocol_and_layout_can_be_pickled(protocol):
    for x in (wg.arange(6).view(2, 3).t(), wg.arange(6)[::2], wg.tensor(1.5), wg.zeros(0, 2), wg.tensor([1j])):
        stream = io.BytesIO()
        pickle.dump(x, stream, protocol)
        stream.seek(0)
        made = pickle.load(stream)
        assert made.tolist() == x.tolist() and made.shape == x.shape and made.dtype is x.dtype


def test_attributes_belong_to_their_tensor():
    x, y = wg.ones(1), wg.ones(1)
    x.note = 1
    assert x.note == 1 and not hasattr(y, "note")
    del x.note
    with pytest.raises(AttributeError, match="Tensor' object has no attribute 'note'"):
        x.note  # noqa: B018
    with pytest.raises(AttributeError):
        x.shape = (1,)


def test_tensors_are_hashed_by_identity():
    x, y = wg.ones(2), wg.ones(2)
    assert len({x, y, x}) == 2 and {x: 1}[x] == 1


def test_data_is_the_memory_without_the_graph():
    x = wg.ones(2, requires_grad=True)
    x.data.mul_(3)
    assert x.tolist() == [3.0, 3.0] and x._version == 0 and not x.data.requires_grad
    x.data = wg.zeros(3)
    assert x.tolist() == [0.0] * 3 and x.requires_grad and x.is_leaf


def test_an_array_with_an_equal_dtype_object_is_taken_as_numpys_own():
    array = np.arange(3, dtype=np.float32)
    other = array.view(array.dtype.newbyteorder("<").newbyteorder("="))
    shared = wg.from_numpy(other)
    assert shared.numpy().dtype is np.dtype(np.float32)
    shared[0] = 7
    assert array[0] == 7


@pytest.mark.parametrize("name", ["array", "edge", "flags", "meta"])
def test_a_program_may_use_the_short_names_itself(name):
    x = wg.ones(2, requires_grad=True)
    with pytest.raises(AttributeError):
        getattr(x, name)
    setattr(x, name, "mine")
    (x * x).sum().backward()
    assert getattr(x, name) == "mine" and x.grad.tolist() == [2.0, 2.0]


@pytest.mark.parametrize(("operator", "name"), [("+", "Add"), ("-", "Sub"), ("*", "Mul"), ("/", "Div")])
def test_an_operator_keeps_the_order_of_its_operands_where_the_right_one_is_a_parameter(operator, name):
    x, parameter = wg.tensor([7.0, 5.0], requires_grad=True), wg.nn.Parameter(wg.tensor([3.0, 9.0]))
    for left, right in ((x, parameter), (parameter, x)):
        made = eval(f"left {operator} right", {"left": left, "right": right})
        assert made.grad_fn.name() == f"{name}Backward0"
        assert [node.variable is each for (node, _), each in zip(made.grad_fn.next_functions, (left, right))] == [1, 1]


def test_sizes_repeat_as_sizes_and_elements_are_not_deleted():
    assert repr(wg.Size([2, 3]) * 2) == repr(2 * wg.Size([2, 3])) == "torch.Size([2, 3, 2, 3])"
    x = wg.ones(3)
    with pytest.raises(TypeError, match="Tensor does not support deleting items"):
        del x[0]
    with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for \*\* or pow"):
        pow(x, 2, 3)
