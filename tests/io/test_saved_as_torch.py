"""Files of `save` as torch reads them: the names in them, the memory, what stands for conjugates and negatives."""

from __future__ import annotations

import io
import pickletools
import tracemalloc
import zipfile
from collections import OrderedDict

import pytest
from hypothesis import given, settings

import wengert as wg
from tests.io.test_save_load import again, alike, values
from wengert import nn, optim

ALLOWED = {
    *("__builtin__ set", "__builtin__ complex", "__builtin__ bytearray", "_codecs encode", "collections OrderedDict"),
    *("collections Counter", "torch Size", "torch device", "torch.serialization _get_layout"),
    *("torch.nn.parameter Parameter", "torch.storage UntypedStorage", "torch Tensor"),
    *(f"torch._utils _rebuild_{name}" for name in ("tensor_v2", "tensor_v3", "parameter", "parameter_with_state")),
    *("torch._utils _rebuild_sparse_tensor", "torch._utils _rebuild_meta_tensor_no_storage"),
    "torch._tensor _rebuild_from_type_v2",
    *(f"torch {name}Storage" for name in ("Double", "Float", "Half", "Long", "Int", "Short", "Char", "Byte", "Bool")),
    *(f"torch {name}Storage" for name in ("BFloat16", "ComplexFloat", "ComplexDouble")),
    *(str(value).replace(".", " ") for value in vars(wg).values() if isinstance(value, (wg.dtype, wg.layout))),
}
"""Names that torch 2.13 knows and allows with `weights_only=True`."""
REFUSED_BY_TORCH = {
    "__builtin__ frozenset",
    "__builtin__ bytes",
    "collections defaultdict",
    "__builtin__ list",
    "torch channels_last",
}
"""Names of plain values that are read here, and by torch with `weights_only=False` only."""


def opcodes(value):
    """The opcodes in the file of a value."""
    file = io.BytesIO()
    wg.save(value, file)
    return zipfile.ZipFile(file).read("archive/data.pkl")


def names(value):
    """The global names in the file of a value."""
    return {argument for code, argument, _ in pickletools.genops(opcodes(value)) if code.name == "GLOBAL"}


@settings(deadline=None, max_examples=150)
@given(values)
def test_torch_knows_all_names_of_containers(value):
    assert names(value) <= ALLOWED | REFUSED_BY_TORCH


@pytest.mark.parametrize("dtype", sorted({str(value) for value in vars(wg).values() if isinstance(value, wg.dtype)}))
def test_torch_knows_the_storages_of_all_dtypes(dtype):
    dtype = getattr(wg, dtype.removeprefix("torch."))
    assert names([dtype]) <= ALLOWED
    try:
        x = wg.ones(3).to(dtype)
    except TypeError:  # there are no tensors of it
        return
    for value in (x, x[1:], x[:0], x[0], nn.Buffer(x)):
        assert names(value) <= ALLOWED
        found = again(value)
        assert alike(vars(found), vars(value)) and type(found) is type(value) and found.stride() == value.stride()
        assert found.dtype is dtype and found.tolist() == value.tolist()


def test_torch_knows_all_names_of_a_checkpoint():
    network = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
    optimiser = optim.Adam(network.parameters())
    network(wg.ones(2, 3)).sum().backward()
    optimiser.step()
    scheduler = optim.lr_scheduler.StepLR(optimiser, 2)
    state = {"model": network.state_dict(), "optimiser": optimiser.state_dict(), "scheduler": scheduler.state_dict()}
    assert names(state) <= ALLOWED
    assert again(state)["model"]._metadata == network.state_dict()._metadata


@pytest.mark.parametrize("form", ["to_sparse", "to_sparse_csr", "to_sparse_csc", "to_sparse_bsr"])
def test_sparse_tensors_come_back(form):
    x = wg.tensor([[0.0, 1.0], [2.0, 0.0]])
    value = getattr(x, form)(*([(1, 1)] if form == "to_sparse_bsr" else []))
    assert names(value) <= ALLOWED
    found = again(value)
    assert found.layout is value.layout and found.to_dense().tolist() == x.tolist()
    assert form != "to_sparse" or found.is_coalesced()


@pytest.mark.parametrize("grad", [False, True])
def test_conjugates_and_negatives_share_memory_with_what_they_stand_for(grad):
    x = wg.tensor([1 + 2j, 3 - 1j], requires_grad=grad)
    with wg.no_grad():
        views = [x, x.conj(), x._neg_view(), x.conj()[1:]]
        negative = again(x.conj().imag)
    assert negative.is_neg() and negative.tolist() == [-2, 1]
    written = opcodes(views)
    assert written.count(b"conj") >= 1 and written.count(b"data") == 0
    found = again(views)
    for one, other in zip(found, views):
        assert (one.is_conj(), one.is_neg(), one.tolist()) == (other.is_conj(), other.is_neg(), other.tolist())
        assert one.requires_grad == other.requires_grad
        assert one.untyped_storage().data_ptr() == found[0].untyped_storage().data_ptr()
    with wg.no_grad():
        found[0].zero_()
    assert found[1].tolist() == [0, 0]


def test_tensors_on_meta_keep_shape_strides_and_dtype():
    x = wg.ones(2, 3, device="meta", dtype=wg.float16, requires_grad=True).t()
    found, parameter = again([x, nn.Parameter(x.detach())])
    for each in (found, parameter):
        assert each.is_meta and each.requires_grad and each.dtype is x.dtype
        assert (each.shape, each.stride()) == (x.shape, x.stride())
    with pytest.raises(NotImplementedError, match="no values to be saved"):
        wg.save(x.untyped_storage(), io.BytesIO())


@pytest.mark.parametrize("shape", [[-1], [2**70], [1] * 65, ["a"], None])
def test_tensors_on_meta_of_wrong_shapes_are_refused(shape):
    from tests.io.torch_archives import Call, Global, archive

    for strides in (shape, [1]):
        made = Call("torch._utils _rebuild_meta_tensor_no_storage", Global("torch float32"), shape, strides, False)
        with pytest.raises(ValueError, match="is damaged"):
            wg.load(archive(made, {}))


def test_a_tensor_of_a_dtype_without_numbers_is_refused_by_name():
    from pickle import UnpicklingError

    from tests.io.torch_archives import Call, Global, Stored, archive

    dtype = Global("torch float8_e4m3fn")
    stored = Stored("torch.storage UntypedStorage", "0", 2)
    made = Call("torch._utils _rebuild_tensor_v3", stored, 0, (2,), (1,), False, None, dtype)
    with pytest.raises(UnpicklingError, match=r"tensors of torch\.float8_e4m3fn are not supported"):
        wg.load(archive(made, {"0": b"ab"}))


class Writer:
    """A file object that only counts."""

    def __init__(self):
        self.size = 0

    def write(self, piece):
        self.size += len(piece)
        return len(piece)


def test_storages_are_written_without_a_copy():
    state = OrderedDict(weight=wg.ones(1000, 1000), bias=wg.ones(1000, 500).t())
    writer = Writer()
    wg.save(state, writer)
    tracemalloc.start()
    try:
        wg.save(state, writer)
        assert tracemalloc.get_traced_memory()[1] < 10**6
    finally:
        tracemalloc.stop()
    assert 12_000_000 < writer.size < 12_010_000


def test_a_large_member_whose_bytes_are_damaged_is_refused():
    file = io.BytesIO()
    wg.save(wg.ones(50_000), file)
    content = bytearray(file.getvalue())
    content[100_000] ^= 1
    with pytest.raises(wg.io.DamagedFileError, match="Bad CRC-32"):
        wg.load(io.BytesIO(bytes(content)))


def test_a_name_of_python_2_for_a_factory_is_read():
    from collections import defaultdict

    value = defaultdict(int, {1: 2})
    found = again(value)
    assert found == value and found.default_factory is int
