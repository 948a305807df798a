"""Storages that programs make, that processes share, and that are files."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys

import pytest
from hypothesis import given, strategies as st

import wengert as wg
from wengert.ops.create import legacy_storages

TYPES = [name for name in legacy_storages._IN_PACKAGE if name.endswith("Storage") and name != "Storage"]


@pytest.mark.parametrize("name", TYPES)
def test_types_of_storages_make_and_know_storages(name: str):
    kind = getattr(wg, name)
    made = kind([1, 0])
    assert isinstance(made, kind) and isinstance(made, wg.TypedStorage) and not isinstance(made, wg.UntypedStorage)
    assert made.dtype is kind.dtype and made.tolist() == [1, 0] and made.type() == f"torch.{name}"
    assert kind(3).size() == 3 and kind().nbytes() == 0 and wg.is_storage(made)
    x = wg.zeros(2, dtype=kind.dtype)
    assert isinstance(x._typed_storage(), kind) and x.storage_type() is kind
    assert sum(isinstance(made, getattr(wg, each)) for each in TYPES) == 1
    assert wg.empty(0, dtype=kind.dtype).set_(made).tolist() == [1, 0]


def test_storage_is_that_of_floats():
    made = wg.Storage([1])
    assert isinstance(made, wg.FloatStorage) and isinstance(made, wg.Storage) and made.dtype is wg.float32
    assert wg.TypedStorage(3).dtype is wg.float32
    assert wg.TypedStorage([1, 2], dtype=wg.float64).tolist() == [1.0, 2.0]
    assert wg.FloatStorage(wrap_storage=wg.UntypedStorage([0, 0, 128, 63])).tolist() == [1.0]


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: wg.UntypedStorage(-1), RuntimeError, "negative number"),
        (lambda: wg.UntypedStorage("a"), TypeError, "not str"),
        (lambda: wg.FloatStorage(1, 2), RuntimeError, "Too many positional arguments"),
        (lambda: wg.FloatStorage([1], dtype=wg.int32), RuntimeError, "Keyword argument 'dtype' cannot be"),
        (lambda: wg.FloatStorage([1, 2])[0:1], RuntimeError, "slices are only supported in UntypedStorage"),
        (lambda: wg.FloatStorage([1, 2])[2], IndexError, "index 2 out of range for storage of size 2"),
        (lambda: wg.UntypedStorage(2)[1.5], TypeError, "can't index a torch.UntypedStorage with float"),
        (lambda: wg.UntypedStorage(2).copy_(wg.UntypedStorage(3)), RuntimeError, "self was 2 bytes but src was 3"),
        (lambda: wg.FloatStorage(2).cuda(), (RuntimeError, AssertionError), "cuda"),
        (lambda: wg.UntypedStorage(2).pin_memory(), RuntimeError, "Cannot access accelerator device"),
        (lambda: wg.empty(0).set_(wg.IntStorage(2)), RuntimeError, "Expected a Storage of type float or"),
        (lambda: wg.empty(0).set_(wg.FloatStorage(2), -1, (1,), (1,)), RuntimeError, "invalid storage offset -1"),
        (lambda: wg.empty(0).set_(wg.FloatStorage(2), 0, (1,), (1, 1)), RuntimeError, "unequal size length"),
        (lambda: wg.empty(0).set_(wg.FloatStorage(2), 0, (2,), (-1,)), RuntimeError, "calculation overflowed"),
        (lambda: wg.empty(0).set_(wg.FloatStorage(2), 0, (2**62,), (1,)), RuntimeError, "calculation overflowed"),
        (lambda: wg.empty(0).set_(3), TypeError, "set_"),
    ],
)
def test_what_is_refused(call, error, says):
    with pytest.raises(error, match=says):
        call()


def test_conversions_and_copies():
    storage = wg.FloatStorage([1.5, 0])
    assert storage.int().tolist() == [1, 0] and storage.double().dtype is wg.float64
    assert wg.UntypedStorage([1, 2]).float().tolist() == [1.0, 2.0]
    other = storage.clone()
    other[0] = 7
    assert storage[0] == 1.5 and storage.copy_(other).tolist() == [7, 0]
    assert copy.deepcopy(storage).tolist() == pickle.loads(pickle.dumps(storage)).tolist() == [7, 0]
    assert storage != other and storage == storage.untyped() and hash(storage) == hash(storage.untyped())
    swapped = wg.UntypedStorage([1, 2, 3, 4])
    swapped.byteswap(wg.int16)
    assert swapped.tolist() == [2, 1, 4, 3]
    part = swapped[1:3]
    part[0] = 9
    assert swapped.tolist() == [2, 9, 4, 3]


@given(st.integers(0, 3), st.lists(st.integers(0, 3), max_size=2), st.data())
def test_a_tensor_set_to_a_storage_sees_it_at_any_place(offset, shape, data):
    strides = data.draw(st.lists(st.integers(0, 4), min_size=len(shape), max_size=len(shape)))
    storage = wg.FloatStorage(list(range(20)))
    made = wg.empty(0).set_(storage, offset, shape, strides)
    assert made.tolist() == wg.arange(20.0).as_strided(shape, strides, offset).tolist()
    assert made.untyped_storage() == storage
    storage.fill_(5)
    assert not made.numel() or made.unique().tolist() == [5]


def test_a_storage_grows_for_a_tensor_that_is_set_to_it():
    storage = wg.FloatStorage([1, 2])
    made = wg.empty(0).set_(storage, 1, (2, 2))
    assert made.shape == (2, 2) and storage.size() == 5 and made[0, 0] == 2
    assert made.is_set_to(made.view(2, 2)) and not made.is_set_to(made[0])


def test_tensors_on_storages():
    storage = wg.FloatStorage([1, 2])
    for made in (wg.Tensor(storage), wg.FloatTensor(storage), wg.ones(3).new(storage), wg.Tensor(storage.untyped())):
        assert made.tolist() == storage.tolist() and made.untyped_storage() == storage
        made += 1
    assert storage.tolist() == [5, 6]
    assert wg.Tensor(storage).is_set_to(wg.Tensor(storage))
    with pytest.raises(
        RuntimeError, match="Expected a Storage of type double or an UntypedStorage, but got type Float"
    ):
        wg.DoubleTensor(storage)
    with pytest.raises(TypeError, match=r"is_set_to\(\): argument 'tensor' \(position 1\) must be Tensor, not int"):
        wg.ones(2).is_set_to(3)


def test_storages_of_buffers():
    assert wg.UntypedStorage.from_buffer(b"abcd", "little", dtype=wg.int16).tolist() == [97, 98, 99, 100]
    assert wg.ShortStorage.from_buffer(b"\1\0\2\0", "little").tolist() == [1, 2]
    assert wg.ShortStorage.from_buffer(b"\1\0\0\2", "big", 1, 2).tolist() == [2]
    assert wg.ShortStorage.from_buffer(b"\1\0\0\2", "big", offset=2).tolist() == [2]
    made = wg.TypedStorage.from_buffer(b"\0\1\0\2", byte_order="big", dtype=wg.int16, device="cpu")
    assert made.tolist() == [1, 2] and made.dtype is wg.int16
    assert wg.TypedStorage.from_buffer(bytes(8), "native").dtype is wg.float32
    assert wg.CharStorage.from_buffer(b"ab").tolist() == [97, 98]
    assert wg.FloatStorage.from_buffer(b"abcd", "native", 0).tolist() == []
    with pytest.raises(ValueError, match="buffer has only 1 elements after offset 1, not 2"):
        wg.ShortStorage.from_buffer(b"abcd", "native", 2, 1)
    with pytest.raises(ValueError, match=r"buffer size \(3\) must be a multiple of element size \(2\)"):
        wg.ShortStorage.from_buffer(b"abcd", "native", -1, 1)
    with pytest.raises(ValueError, match="offset must be from 0 to the length of the buffer, 4, not 5"):
        wg.ShortStorage.from_buffer(b"abcd", "native", 0, 5)
    with pytest.raises(ValueError, match="invalid byte_order 'middle'"):
        wg.ShortStorage.from_buffer(b"abcd", "middle")
    with pytest.raises(RuntimeError, match="missing required argument 'byte_order'"):
        wg.ShortStorage.from_buffer(b"abcd")
    with pytest.raises(RuntimeError, match="argument 'dtype' cannot be None"):
        wg.UntypedStorage.from_buffer(b"abcd", "native")
    assert repr(wg.FloatStorage()) == " \n[torch.storage.TypedStorage(dtype=torch.float32, device=cpu) of size 0]"
    assert wg.storage.UntypedStorage is wg.UntypedStorage


# ---- processes -------------------------------------------------------------------------------------------------------


def test_sharing_moves_all_tensors_on_the_memory():
    x = wg.arange(6.0)
    view, data = x[2:], x.data
    assert not x.is_shared()
    assert x.share_memory_() is x and x.is_shared() and view.is_shared() and data.untyped_storage().is_shared()
    x.fill_(3.0)
    assert view.tolist() == [3.0] * 4 and data.tolist() == [3.0] * 6 and view.storage_offset() == 2
    assert not x.clone().is_shared() and wg.empty(0).share_memory_().is_shared()
    with pytest.raises(RuntimeError, match="storage that is not resizable"):
        x.untyped_storage().resize_(100)
    assert wg.DoubleStorage([1, 2]).share_memory_().is_shared()
    assert copy.deepcopy(x).tolist() == pickle.loads(pickle.dumps(x)).tolist() == x.tolist()
    assert not pickle.loads(pickle.dumps(x)).is_shared()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_writes_to_shared_memory():
    x = wg.zeros(3).share_memory_()
    child = os.fork()
    if not child:
        x.fill_(7.0)
        os._exit(0)
    os.waitpid(child, 0)
    assert x.tolist() == [7.0] * 3


SPAWNING = """
import multiprocessing
import wengert as wg

def fill(x, queue, taken):
    x += 1
    queue.put(x[1:])
    taken.wait(60)  # the memory of this process lives until then

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    x, queue, taken = wg.zeros(3).share_memory_(), context.Queue(), context.Event()
    process = context.Process(target=fill, args=(x, queue, taken))
    process.start()
    found = queue.get(timeout=60)
    taken.set()
    process.join()
    found.fill_(9.0)
    print(process.exitcode, x.tolist(), found.tolist())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="file descriptors are not sent so on Windows")
def test_a_spawned_process_gets_the_same_memory_and_sends_it_back(tmp_path):
    (tmp_path / "program.py").write_text(SPAWNING, encoding="utf-8")
    done = subprocess.run([sys.executable, tmp_path / "program.py"], capture_output=True, text=True, check=False)
    assert done.stdout == "0 [1.0, 9.0, 9.0] [9.0, 9.0]\n", done.stderr


# ---- files -----------------------------------------------------------------------------------------------------------


def test_a_file_as_memory(tmp_path):
    path = tmp_path / "numbers"
    path.write_bytes(bytes(range(16)))
    private = wg.from_file(str(path), size=16, dtype=wg.uint8)
    private[0] = 99
    assert path.read_bytes()[0] == 0 and private.tolist() == [99, *range(1, 16)] and not private.requires_grad
    shared = wg.from_file(path, shared=True, size=5, dtype=wg.float32)
    assert path.stat().st_size == 20 and shared.is_shared()
    shared.fill_(1.0)
    assert path.read_bytes() == b"\0\0\x80?" * 5
    assert shared.untyped_storage().filename == str(path) and private.untyped_storage().filename is None
    assert not shared.untyped_storage().resizable()
    assert wg.from_file(path).shape == (0,)
    assert wg.UntypedStorage.from_file(path, False, 4).tolist() == [0, 0, 128, 63]
    assert wg.FloatStorage.from_file(path, False, 2).tolist() == [1.0, 1.0]
    made = wg.from_file(tmp_path / "new", True, 3)
    assert made.tolist() == [0.0] * 3 and (tmp_path / "new").stat().st_size == 12


@pytest.mark.parametrize(
    ("name", "shared", "size", "says"),
    [
        ("there", False, 5, "size <16> is smaller than the required mapping size <20>"),
        ("missing", False, 5, "unable to open file .* in read-only mode: No such file"),
        ("there", False, -1, "unable to mmap -4 bytes"),
        ("folder/missing", True, 1, "unable to open file .* in read-write mode"),
    ],
)
def test_a_file_that_cannot_be_memory(tmp_path, name, shared, size, says):
    (tmp_path / "there").write_bytes(bytes(16))
    with pytest.raises(RuntimeError, match=says):
        wg.from_file(tmp_path / name, shared, size)
    assert (tmp_path / "there").read_bytes() == bytes(16)
