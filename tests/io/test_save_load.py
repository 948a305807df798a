"""`save`, `io.save_safetensors` and `load`: what is put in comes out; what cannot be saved is said."""

from __future__ import annotations

import io
import json
import os
import pickle
import sys
import tracemalloc
import uuid
from collections import Counter, OrderedDict, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg
from wengert import nn, optim
from wengert._tensor.attributes import dtypes
from wengert.io import load_file, load_metadata, save_file, save_safetensors

DTYPES = (
    *("float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16"),
    *("uint8", "bool", "complex64", "complex128"),
)
WRITERS = [wg.save, save_safetensors]


def again(value, write=wg.save, **options):
    """What comes out of a file into which a value was put."""
    file = io.BytesIO()
    write(value, file)
    file.seek(0)
    return wg.load(file, **options)


@pytest.fixture(params=WRITERS, ids=["save", "safetensors"])
def write(request):
    """What writes files."""
    return request.param


def alike(one, other):
    """Whether two values are the same, in type and content, NaN and signs of zeros included."""
    if type(one) is not type(other):
        return False
    if isinstance(one, wg.Tensor):
        return (
            (one.dtype, one.shape, one.stride(), one.requires_grad)
            == (other.dtype, other.shape, other.stride(), other.requires_grad)
            and one.detach().numpy().tobytes() == other.detach().numpy().tobytes()
            and alike(vars(one), vars(other))
        )
    if isinstance(one, dict):
        return len(one) == len(other) and all(
            alike(*keys) and alike(one[keys[0]], other[keys[1]]) for keys in zip(one, other)
        )
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(alike, one, other))
    return repr(one) == repr(other) if isinstance(one, (float, complex)) else one == other


plain = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.complex_numbers(),
    st.text(),
    st.binary(),
    st.text(st.characters(), max_size=3),
    st.sampled_from([wg.float32, wg.bool, wg.Size([2, 0]), wg.device("cuda:1")]),
    st.sampled_from([wg.strided, wg.channels_last, 2**300, -(2**64), bytearray(b"ab"), wg.Size([])]),
)
keys = st.one_of(st.integers(), st.text(max_size=4), st.booleans(), st.none(), st.tuples(st.integers(), st.text()))


@st.composite
def tensors(draw):
    shape = draw(st.lists(st.integers(0, 3), max_size=3))
    made = wg.arange(max(int(np.prod(shape)), 1)).to(wg.float32)[: int(np.prod(shape))].reshape(shape)
    made = made.to(draw(st.sampled_from([wg.float32, wg.int64, wg.complex128, wg.bool, wg.float16])))
    if draw(st.booleans()) and made.ndim > 1:
        made = made.transpose(0, 1)
    kind = draw(st.sampled_from(["tensor", "parameter", "requires_grad"]))
    if made.dtype in (wg.float32, wg.complex128) and kind != "tensor":
        return nn.Parameter(made) if kind == "parameter" else made.requires_grad_()
    return made


values = st.recursive(
    st.one_of(plain, tensors()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(keys, inner, max_size=4),
        st.dictionaries(keys, inner, max_size=4).map(OrderedDict),
        st.dictionaries(keys, inner, max_size=4).map(lambda given: defaultdict(list, given)),
        st.dictionaries(keys, st.integers(), max_size=4).map(Counter),
        st.sets(keys, max_size=4),
        st.frozensets(keys, max_size=4),
    ),
    max_leaves=12,
)


@settings(deadline=None, max_examples=150)
@given(values, st.sampled_from(WRITERS))
def test_what_is_saved_comes_back(value, write):
    assert alike(again(value, write), value)


@pytest.mark.parametrize("name", DTYPES)
def test_every_dtype_comes_back(name, write):
    value = wg.tensor([[0, 1, 1], [1, 0, 1]]).to(dtypes.by_name(name))
    for each in (value, value[1, 1:], value.t(), value[:0], value[0, 1]):
        found = again(each, write)
        assert found.dtype is value.dtype and found.tolist() == each.tolist() and found.stride() == each.stride()


def test_tensors_that_share_memory_share_it_again(write):
    x = wg.arange(6.0).reshape(2, 3)
    whole, view, detached, same = again([x, x.t()[1:], x.detach(), x], write)
    assert same is whole
    assert view.storage_offset() == 1 and view.stride() == (1, 3)
    whole.fill_(7.0)
    assert view.tolist() == [[7, 7], [7, 7]] and detached[0, 0] == 7
    (row,) = again([x[1]], write)
    assert row.untyped_storage().nbytes() == 24 and row.storage_offset() == 3


def test_two_dtypes_on_one_memory():
    x = wg.tensor([1.0, 2.0])
    with pytest.raises(RuntimeError, match="view the same data as different types"):
        wg.save((x, x.view(wg.int32)), io.BytesIO())
    one, bits = again((x, x.view(wg.int32)), save_safetensors)
    assert one.tolist() == [1, 2] and bits.tolist() == x.view(wg.int32).tolist()
    bits.zero_()
    assert one.tolist() == [0, 0]


def test_containers_that_are_one_object_are_one_again(write):
    inner = [1]
    made = {"a": inner, "b": inner, "set": {3}}
    made["self"] = made
    made["tuple"] = (made, inner)
    found = again(made, write)
    assert found["a"] is found["b"] is found["tuple"][1] and found["self"] is found is found["tuple"][0]


def test_temporary_objects_are_not_taken_for_one(write):
    parameters = [nn.Parameter(wg.ones(1)) for _ in range(20)]
    for number, each in enumerate(parameters):
        each.tag = [number]
    assert [each.tag for each in again(parameters, write)] == [[number] for number in range(20)]


def test_storages_are_values():
    x = wg.tensor([1.0, 2.0])
    tensor, typed = again([x, x._typed_storage()])
    assert typed.tolist() == [1, 2] and typed.data_ptr() == tensor.data_ptr()
    assert again(x.untyped_storage()).tolist() == x.untyped_storage().tolist()
    tensor, untyped, typed = again([x, x.untyped_storage(), x._typed_storage()], save_safetensors)
    assert typed.tolist() == [1, 2] and untyped.nbytes() == 8 and untyped.data_ptr() == tensor.data_ptr()


def test_a_model_and_its_optimiser_go_on(write):
    def new():
        wg.manual_seed(0)
        network = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Tanh(), nn.Linear(4, 1))
        return network, optim.Adam(network.parameters(), lr=0.1)

    def train(network, optimiser, steps):
        for _ in range(steps):
            optimiser.zero_grad()
            (network(wg.linspace(0, 1, 12).reshape(4, 3)) ** 2).mean().backward()
            optimiser.step()

    network, optimiser = new()
    train(network, optimiser, 2)
    state = again({"model": network.state_dict(), "optimiser": optimiser.state_dict()}, write)
    assert state["model"]._metadata == network.state_dict()._metadata
    train(network, optimiser, 2)
    other, its = new()
    other.load_state_dict(state["model"])
    its.load_state_dict(state["optimiser"])
    train(other, its, 2)
    assert all(one.tolist() == two.tolist() for one, two in zip(network.parameters(), other.parameters()))


def test_a_state_dict_is_a_file_that_others_read(tmp_path):
    network = nn.Linear(3, 2)
    save_safetensors(network.state_dict(), tmp_path / "w.safetensors")
    assert load_file(tmp_path / "w.safetensors")["weight"].tolist() == network.weight.tolist()
    from safetensors.numpy import load_file as theirs

    assert theirs(tmp_path / "w.safetensors")["bias"].tolist() == network.bias.tolist()


def test_files_of_others_give_their_tensors_by_name(tmp_path):
    save_file({"a": wg.ones(2, 3), "b": wg.zeros(0, 2, dtype=wg.int16)}, tmp_path / "w.safetensors")
    found = wg.load(tmp_path / "w.safetensors")
    assert found["a"].tolist() == [[1] * 3] * 2 and found["b"].shape == (0, 2) and found["b"].dtype is wg.int16


def test_saved_tensors_wait_on_disk(tmp_path):
    class SelfDeletingTempFile:
        def __init__(self):
            self.name = os.path.join(tmp_path, str(uuid.uuid4()))

        def __del__(self):
            os.remove(self.name)

    def pack_hook(tensor):
        temp_file = SelfDeletingTempFile()
        wg.save(tensor, temp_file.name)
        return temp_file

    x = wg.ones(5, requires_grad=True)
    with wg.autograd.graph.saved_tensors_hooks(pack_hook, lambda temp_file: wg.load(temp_file.name)):
        y = x.pow(2) * x.exp()
    assert len(list(tmp_path.iterdir())) >= 3
    y.sum().backward()
    assert x.grad.tolist() == ((2 * x + x**2) * x.exp()).tolist()
    del y
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (lambda: 0, "save\\(\\): .*<lambda>"),
        (np.array([None]), r"array of object is none of numbers or texts. Save value.tolist\(\) instead"),
        ([nn.Tanh(), np.array([None])], r"array of object is none of numbers or texts. Save value.tolist\(\) instead"),
        (type("Text", (str,), {})("a"), "Text"),
        (defaultdict(lambda: 0), "<lambda>"),
        (wg.ones(1).as_subclass(type("Mine", (wg.Tensor,), {})), "Mine"),
        (io, "cannot pickle 'module' object"),
    ],
)
def test_what_cannot_be_saved_is_said_and_nothing_is_written(tmp_path, value, says):
    (tmp_path / "w").write_bytes(b"before")
    with pytest.raises(TypeError, match=says):
        wg.save({"a": [value]}, tmp_path / "w")
    assert [each.read_bytes() for each in tmp_path.iterdir()] == [b"before"]
    for write in WRITERS:
        file = io.BytesIO()
        with pytest.raises(TypeError):
            write({"a": [value]}, file)
        assert file.getvalue() == b""


@pytest.mark.parametrize(
    ("wrap", "inner"),
    [
        (lambda value: [value], lambda value: value[0]),
        (lambda value: (value,), lambda value: value[0]),
        (lambda value: {"a": value}, lambda value: value["a"]),
        (lambda value: OrderedDict(a=value), lambda value: value["a"]),
        (lambda value: defaultdict(list, {"a": (1, value)}), lambda value: value["a"][1]),
        (lambda value: [0, [], {"b": value}], lambda value: value[2]["b"]),
    ],
    ids=["list", "tuple", "dict", "OrderedDict", "defaultdict", "mixed"],
)
@pytest.mark.parametrize("levels", [31, 32, 33, 480, 10 * sys.getrecursionlimit()])
def test_containers_in_safetensors_nest_as_deeply_as_they_like(wrap, inner, levels):
    value = {"x": wg.ones(1), "list": []}
    value["list"].append(value)
    for _ in range(levels):
        value = wrap(value)
    if levels > sys.getrecursionlimit():
        with pytest.raises(RecursionError):
            wg.save(value, io.BytesIO())
    found = again(value, save_safetensors)
    for _ in range(levels):
        assert type(found) is type(value)
        value, found = inner(value), inner(found)
    assert found["x"].tolist() == [1] and found["list"][0] is found


def test_attributes_in_safetensors_nest_as_deeply_as_they_like():
    value = None
    for _ in range(2000):
        value, below = wg.ones(1), value
        value.below = below
    found = again(value, save_safetensors)
    for _ in range(2000):
        found = found.below
    assert found is None


def key_of(levels):
    """A key that is a tuple nested so deeply."""
    key = (1,)
    for _ in range(levels - 1):
        key = (key,)
    return key


@pytest.mark.parametrize("wrap", [lambda key: {key: 1}, lambda key: {key}, lambda key: frozenset({key})])
def test_keys_that_load_refuses_are_not_saved(wrap, write):
    assert again(wrap(key_of(64)), write) == wrap(key_of(64))
    with pytest.raises(ValueError, match=r"save\(\): a key is nested in more than 64 levels"):
        write(wrap(key_of(65)), io.BytesIO())


def test_keys_of_dictionaries_of_classes_of_their_own_are_looked_at(write):
    for kind in (OrderedDict, Counter, lambda pairs: defaultdict(int, pairs)):
        assert again(kind({key_of(64): 1}), write) == {key_of(64): 1}
        with pytest.raises(ValueError, match="64 levels"):
            write(kind({key_of(65): 1}), io.BytesIO())


def test_attributes_that_load_refuses_are_not_saved(write):
    for value in (wg.ones(1), OrderedDict()):
        for name in ("shape" if isinstance(value, wg.Tensor) else "copy", "__name"):
            vars(value)[name] = 3
            with pytest.raises(TypeError, match=rf"save\(\): (at a.0: )?the attribute '{name}' of a"):
                write({"a": [value]}, io.BytesIO())
            del vars(value)[name]


def test_booleans_that_load_refuses_are_not_saved(write):
    for value in (wg.tensor([0, 2], dtype=wg.uint8).view(wg.bool), wg.tensor([1, 3], dtype=wg.uint8).view(wg.bool)[1:]):
        with pytest.raises(ValueError, match=r"save\(\): (at a: )?a tensor of torch.bool holds a byte"):
            write({"a": value}, io.BytesIO())


def test_all_layouts_dtypes_and_memory_formats_come_back(write):
    kinds = (wg.layout, wg.dtype, wg.memory_format)
    values = [value for value in vars(wg).values() if isinstance(value, kinds)]
    assert len(values) > 20
    for value in values:
        assert again([value], write)[0] is value


def test_options_are_torch_s(tmp_path, write):
    write(wg.ones(2), tmp_path / "w", *([pickle, 2] if write is wg.save else []))
    assert wg.load(tmp_path / "w", wg.device("cpu"), pickle, weights_only=False).tolist() == [1, 1]
    assert wg.load(str(tmp_path / "w"), "cpu", weights_only=True, mmap=True).tolist() == [1, 1]
    assert wg.load(tmp_path / "w", map_location={"cuda:0": "cpu"}).tolist() == [1, 1]
    told = []
    found = wg.load(tmp_path / "w", map_location=lambda storage, location: told.append(location) or storage)
    assert found.tolist() == [1, 1] and told == ["cpu"]
    with pytest.raises((RuntimeError, AssertionError), match="cuda"):
        wg.load(tmp_path / "w", map_location="cuda")
    with pytest.raises(RuntimeError, match="explicit pickle_module"):
        wg.load(tmp_path / "w", pickle_module=pickle, weights_only=True)
    with pytest.raises(ValueError, match="no pickle is ever run"):
        wg.load(tmp_path / "w", pickle_module=io)
    with pytest.raises(ValueError, match="must be a file path"):
        wg.load(io.BytesIO(), mmap=True)
    with pytest.raises(AttributeError, match="file that is seekable"):
        wg.load(3)
    with pytest.raises(AttributeError, match="expected 'f' to be string, path, or a file-like object with a 'write'"):
        write(wg.ones(1), 3)
    with pytest.raises(RuntimeError, match=f"Parent directory {tmp_path / 'none'} does not exist."):
        write(wg.ones(1), tmp_path / "none" / "w")
    with pytest.raises(RuntimeError, match="open file failed with strerror: Is a directory"):
        write(wg.ones(1), tmp_path)
    assert wg.serialization.save is wg.save and wg.serialization.load is wg.load
    assert wg.serialization.get_safe_globals() == []


def test_a_file_object_may_stand_anywhere(write):
    file = io.BytesIO(b"before")
    file.seek(0, os.SEEK_END)
    write([wg.ones(2), wg.ones(10**5)], file)
    file.seek(6)
    assert wg.load(file)[0].tolist() == [1, 1]


# ---- damage ----------------------------------------------------------------------------------------------------------

HOSTILE = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-3, 70),
        st.sampled_from([2**31, 2**62, 2**63, -1, 10**30, 1.5, 1e308]),
        st.sampled_from(["", "x", "float32", "bool", "tensor", "same", "0x1", "AAAA", "__class__", "_array_", "grad"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                [
                    "same",
                    "tensor",
                    "parameter",
                    "buffer",
                    "dict",
                    "OrderedDict",
                    "tuple",
                    "set",
                    "frozenset",
                    "int",
                    "float",
                    "complex",
                    "bytes",
                    "letters",
                    "Size",
                    "dtype",
                    "device",
                    "storage",
                    "attributes",
                    "shape",
                    "defaultdict",
                    "Counter",
                    "layout",
                    "memory_format",
                    "offset",
                    "strides",
                    "requires_grad",
                ]
            ),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=10,
)


def file_of(tree):
    """A file with a container that says anything, and one tensor `x` of 24 bytes."""
    file = io.BytesIO()
    text = json.dumps({"version": 1, "object": tree})
    for piece in wg.io.weights.content_of({"x": np.arange(6, dtype=np.float32)}, {"wengert": text}):
        file.write(bytes(piece))
    file.seek(0)
    return file


def outcome(file):
    """What comes out, or None if it is refused."""
    try:
        return wg.load(file)
    except (ValueError, pickle.UnpicklingError, EOFError) as error:
        assert str(error)
        return None


@settings(deadline=None, max_examples=300)
@given(HOSTILE)
def test_a_container_that_says_anything_is_read_or_refused(tree):
    outcome(file_of(tree))


@settings(deadline=None, max_examples=300)
@given(st.sampled_from(["storage", "dtype", "offset", "shape", "strides", "requires_grad"]), HOSTILE)
def test_a_tensor_that_says_anything_lies_in_its_memory(name, value):
    entry = {"storage": "x", "dtype": "float32", "offset": 0, "shape": [2, 3], "strides": [3, 1], name: value}
    found = outcome(file_of({"tensor": entry}))
    if found is not None:
        whole = found.untyped_storage()
        assert whole.nbytes() == 24
        if found.numel():
            last = sum((length - 1) * step for length, step in zip(found.shape, found.stride()))
            assert (found.storage_offset() + last + 1) * found.element_size() <= 24
            assert found.reshape(-1)[-1].item() is not None


@pytest.mark.parametrize(
    "change",
    [
        {"offset": 1},
        {"shape": [2, 4]},
        {"strides": [4, 1]},
        {"strides": [3, -1]},
        {"shape": [2**62, 3], "strides": [0, 1]},
        {"shape": [6, 1, 1, 2], "strides": [1, 0, 0, 1]},
        {"dtype": "float64"},
        {"dtype": "float8"},
        {"storage": "y"},
        {"dtype": "int32", "requires_grad": True},
        {"shape": [1] * 65, "strides": [1] * 65},
        {"offset": 2**70},
        {"dtype": "bool", "offset": 5},
        {"storage": []},
        {"shape": True},
        {"requires_grad": 2},
    ],
)
def test_a_tensor_outside_of_its_memory_is_refused(change):
    entry = {"storage": "x", "dtype": "float32", "offset": 0, "shape": [2, 3], "strides": [3, 1]}
    assert wg.load(file_of({"tensor": entry})).tolist() == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(ValueError, match="is damaged"):
        wg.load(file_of({"tensor": entry | change}))


@settings(deadline=None, max_examples=300)
@given(st.data(), st.sampled_from(WRITERS))
def test_any_byte_of_a_file_may_be_wrong(data, write):
    file = io.BytesIO()
    x = wg.arange(6.0)
    write({"x": x, "v": x[2:], "p": nn.Parameter(wg.ones(2)), "b": wg.ones(2, dtype=wg.bool), "n": (1, "a")}, file)
    content = bytearray(file.getvalue())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=2))
    outcome(io.BytesIO(bytes(content)))


def test_no_memory_is_taken_before_sizes_are_held_against_the_file():
    entry = {"storage": "x", "dtype": "float32", "offset": 0, "shape": [10**9, 1], "strides": [1, 1]}
    outcome(file_of({"tensor": entry}))
    tracemalloc.start()
    try:
        for change in ({}, {"strides": [0, 1]}, {"dtype": "bool", "strides": [0, 0]}):
            outcome(file_of({"tensor": entry | change}))
        assert tracemalloc.get_traced_memory()[1] < 10**6
    finally:
        tracemalloc.stop()


def test_what_is_saved_stands_in_the_metadata_as_json(tmp_path):
    save_safetensors({"a": wg.ones(2), "b": [1, (2.5, None)]}, tmp_path / "w")
    found = json.loads(load_metadata(tmp_path / "w")["wengert"])
    assert found["object"]["dict"][1] == ["b", [1, {"tuple": [2.5, None]}]]
