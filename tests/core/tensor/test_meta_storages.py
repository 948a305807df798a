"""Storages on the device "meta": so many bytes, of which none can be read, and tensors that are laid over them."""

from __future__ import annotations

import copy
import pickle

import pytest

import wengert as torch

pytestmark = pytest.mark.filterwarnings("ignore:TypedStorage is deprecated:UserWarning")
MAKE = {
    "untyped storage of a tensor": lambda: torch.empty(3, 4, device="meta").untyped_storage(),
    "typed storage of a tensor": lambda: torch.empty(3, 4, device="meta").storage(),
    "untyped storage of a size": lambda: torch.UntypedStorage(48, device="meta"),
    "typed storage of a size": lambda: torch.TypedStorage(12, dtype=torch.float32, device="meta"),
    "typed storage of a sequence": lambda: torch.TypedStorage([0.0] * 12, device=torch.device("meta")),
}
READING = {
    "an element": lambda storage: storage[0],
    "a list": lambda storage: storage.tolist(),
    "iteration": list,
    "a copy to the CPU": lambda storage: storage.cpu(),
    "a move to the CPU": lambda storage: storage.to(device="cpu"),
    "a pickle": pickle.dumps,
    "values from elsewhere": lambda storage: storage.copy_(torch.zeros(12).untyped_storage().resize_(storage.nbytes())),
}


@pytest.fixture(params=MAKE)
def storage(request):
    return MAKE[request.param]()


def test_it_has_a_size_and_a_device(storage):
    assert storage.nbytes() == 48 and storage.data_ptr() == 0 and storage.device == torch.device("meta")
    assert len(storage) * storage.element_size() == 48
    assert isinstance(storage, (torch.UntypedStorage, torch.TypedStorage))
    assert type(storage).__name__ in ("UntypedStorage", "TypedStorage") and "device=meta" in repr(storage)
    for other in (storage.clone(), copy.deepcopy(storage), storage.untyped(), storage.double().untyped()):
        assert other.device == torch.device("meta")
    assert storage.double().dtype is torch.float64 and storage.double().size() == len(storage)
    assert storage.fill_(0) is storage and storage.resize_(2).size() == 2
    storage[0] = 1  # nothing happens


@pytest.mark.parametrize("read", READING.values(), ids=READING)
def test_its_values_cannot_be_read(storage, read):
    with pytest.raises((NotImplementedError, RuntimeError), match=r"meta|size does not match"):
        read(storage)


def test_it_takes_no_memory():
    assert torch.UntypedStorage(1 << 40, device="meta").nbytes() == 1 << 40
    with pytest.raises(RuntimeError, match="no negative number of elements"):
        torch.UntypedStorage(-1, device="meta")
    with pytest.raises(TypeError, match="expected a size, a sequence or nothing"):
        torch.UntypedStorage(1.5, device="meta")


def test_tensors_are_laid_over_it():
    x = torch.empty(3, 4, device="meta")
    for source in (x.untyped_storage(), x.storage(), x):
        seen = torch.empty(0, device="meta").set_(source, 2, (2, 2), (3, 1))
        assert (seen.shape, seen.stride(), seen.storage_offset()) == ((2, 2), (3, 1), 2)
        assert seen.untyped_storage()._cdata == x.untyped_storage()._cdata
        assert (seen + 1).is_meta and seen[1].storage_offset() == 5
    assert torch.empty(0, device="meta").set_(x.untyped_storage()).shape == (12,)
    assert torch.empty(0, device="meta").set_(x[1:]).storage_offset() == 4
    assert torch.empty(2, device="meta").set_().shape == (0,)
    grown = torch.empty(0, device="meta").set_(torch.empty(2, device="meta").untyped_storage(), 2, (5, 5))
    assert grown.untyped_storage().nbytes() == 27 * 4


def test_tensors_and_storages_are_on_one_device():
    here, there = torch.ones(3), torch.empty(3, device="meta")
    for target, other in ((here, there), (there, here)):
        for source in (other, other.untyped_storage(), other.storage()):
            with pytest.raises(RuntimeError, match=r"to a storage on different device .* the devices must match"):
                target.set_(source)
    with pytest.raises(RuntimeError, match="Could not set tensor of type"):
        torch.empty(0, device="meta", dtype=torch.float64).set_(there)
