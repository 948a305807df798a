"""Modules of torch that are not meant for programs, and that libraries import all the same."""

from __future__ import annotations

import warnings
from collections import OrderedDict

import numpy as np
import pytest
from wengert.torch_version import TorchVersion

import wengert as wg
from wengert import _VF, _jit_internal, _linalg_utils, _lowrank, _tensor, _utils, _vmap_internals
from wengert.utils import _contextlib, _foreach_utils
from wengert.utils.data._utils import collate, fetch, pin_memory, worker


def test_a_version_compares_with_tuples_and_texts():
    version = TorchVersion("2.13.0")
    assert version > (2, 9) and version >= (2, 13) and not version < (2, 13) and version <= "2.13"
    assert version != "2.9.1" and version > "2.9.1" and version == "2.13.0" == str(version)
    assert sorted([TorchVersion("2.10"), TorchVersion("2.9")]) == ["2.9", "2.10"]
    assert version < "nightly" and version != "nightly"


def test_tensors_are_joined_and_taken_apart():
    parts = [wg.ones(2, 2, requires_grad=True), wg.zeros(3)]
    flat = _utils._flatten_dense_tensors(parts)
    again = _utils._unflatten_dense_tensors(flat, parts)
    assert flat.shape == (7,) and [each.shape for each in again] == [(2, 2), (3,)]
    again[0].sum().backward()
    assert parts[0].grad.tolist() == [[1, 1], [1, 1]]
    lists = list(_utils._take_tensors([wg.ones(2), wg.ones(2, dtype=wg.float64), wg.ones(2), wg.ones(9)], 16))
    assert [[len(each) for each in held] for held in lists] == [[2, 2], [9], [2]]
    ints, floats = wg.ones(1, dtype=wg.int64), wg.ones(1)
    assert _utils._reorder_tensors_as([ints, floats], [floats, ints])[0] is floats
    assert _utils._element_size(wg.float64) == 8


def test_errors_of_workers_are_raised_again():
    for kind in (ValueError, KeyError):
        try:
            raise kind("gone")
        except kind:
            wrapped = _utils.ExceptionWrapper(where="in worker 1")
        with pytest.raises(kind, match=f"Caught {kind.__name__} in worker 1"):
            wrapped.reraise()


def test_devices_have_no_numbers_here():
    assert _utils._get_device_index(1) == 1 and _utils._get_device_index("cpu", allow_cpu=True) == -1
    with pytest.raises(ValueError, match="specified index or an integer, but got: cpu"):
        _utils._get_device_index("cpu")
    assert _utils._get_all_device_indices() == [] and _utils._get_available_device_type() is None


def test_small_things_of_torchs_own_modules():
    class Marked:
        name = _utils.classproperty(lambda cls: cls.__name__.lower())

    class Further(wg.Tensor):
        pass

    assert Marked.name == Marked().name == "marked"
    assert _utils._import_dotted_name("wengert.nn.Linear") is wg.nn.Linear
    assert _tensor.Tensor is wg.Tensor and type(_tensor._convert([wg.ones(1)], Further)[0]) is Further
    assert _VF.relu is wg.relu
    chosen = _jit_internal.boolean_dispatch("both", 1, False, lambda x, both: 2, lambda x, both=False: 1, "here", "f")
    assert (chosen(0), chosen(0, True), chosen(0, both=True), chosen.__name__) == (1, 2, 2, "f")


def test_functions_of_matrices():
    a = wg.tensor([[2.0, 1.0], [1.0, 2.0]])
    assert _linalg_utils.qform(None, a).tolist() == (a.T @ a).tolist()
    values, vectors = _linalg_utils.symeig(a, largest=True)
    assert wg.allclose(values, wg.tensor([3.0, 1.0])) and wg.allclose(a @ vectors, vectors * values, atol=1e-6)
    basis = _lowrank.get_approximate_basis(a, 1, niter=20)
    assert wg.allclose(basis.abs().flatten(), wg.full((2,), 0.5**0.5), atol=1e-4)
    assert not _linalg_utils.is_sparse(a) and _linalg_utils.get_floating_dtype(wg.arange(2)) is wg.float32


def test_the_older_vmap_is_warned_of():
    with pytest.warns(FutureWarning, match="use torch.vmap"):
        doubled = _vmap_internals.vmap(lambda x: x * 2)
    assert doubled(wg.ones(2)).tolist() == [2, 2]


def test_context_managers_decorate():
    seen = []

    class Noted(_contextlib._NoParamDecoratorContextManager):
        def __enter__(self):
            seen.append("in")

        def __exit__(self, *error):
            seen.append("out")

    @Noted
    def plain():
        seen.append("ran")

    @Noted()
    def counted():
        yield len(seen)

    plain()
    assert seen == ["in", "ran", "out"] and list(counted()) == [4] and seen[3:5] == ["in", "out"]
    with warnings.catch_warnings():
        assert _contextlib.context_decorator(lambda: wg.no_grad(), lambda: wg.is_grad_enabled())() is False
    with pytest.raises(RuntimeError, match="both callable and also a valid context manager"):
        _contextlib.context_decorator(wg.no_grad(), len)


def test_lists_of_plain_tensors_can_be_stepped_over():
    x = wg.ones(1)
    assert _foreach_utils._has_foreach_support([x, None, wg.nn.Parameter(x)], x.device)
    assert "cpu" in _foreach_utils._get_fused_kernels_supported_devices()
    assert not _foreach_utils._device_has_foreach_support(wg.device("mps"))


def test_batches_are_made_by_a_table():
    table = dict(collate.default_collate_fn_map)
    table[slice] = lambda batch, *, collate_fn_map: [each.stop for each in batch]
    samples = [{"at": slice(2), "x": wg.ones(2), "n": (1, 0.5)}, {"at": slice(3), "x": wg.zeros(2), "n": (2, 1.5)}]
    made = collate.collate([OrderedDict(each) for each in samples], collate_fn_map=table)
    assert type(made) is OrderedDict and made["at"] == [2, 3] and made["x"].shape == (2, 2)
    assert made["n"][0].tolist() == [1, 2] and made["n"][1].dtype is wg.float64
    arrays = collate.collate([np.float32(1), np.float32(2)], collate_fn_map=table)
    assert arrays.tolist() == [1, 2] and arrays.dtype is wg.float32
    with pytest.raises(TypeError, match="found <class 'slice'>"):
        collate.collate([slice(1)], collate_fn_map=collate.default_collate_fn_map)
    with pytest.raises(RuntimeError, match="should be of equal size"):
        collate.collate([[1], [1, 2]], collate_fn_map=table)


def test_batches_are_fetched_by_number_and_in_order():
    of_numbers = fetch._MapDatasetFetcher([1, 2, 3], True, list, False)
    assert of_numbers.fetch([2, 0]) == [3, 1]
    in_order = fetch._IterableDatasetFetcher(iter([1, 2, 3]), True, list, True)
    assert in_order.fetch([0, 0]) == [1, 2]
    with pytest.raises(StopIteration):
        in_order.fetch([0, 0])
    assert worker.get_worker_info() is None


def test_no_memory_is_pinned():
    assert pin_memory.pin_memory({"a": [1, "b"]}) == {"a": [1, "b"]}
    with pytest.raises(RuntimeError, match="Cannot access accelerator device"):
        pin_memory.pin_memory([wg.ones(1)])


def test_transforms_lie_where_torch_keeps_them():
    from wengert._functorch import (
        apis,
        batch_norm_replacement,
        eager_transforms,
        functional_call,
        make_functional,
        vmap,
    )

    from wengert import func, functorch

    assert apis.vmap is vmap.vmap_impl is func.vmap and apis.grad is eager_transforms.grad_impl is func.grad
    assert eager_transforms.jacrev is func.jacrev and functional_call.functional_call is func.functional_call
    assert make_functional.make_functional is functorch.make_functional
    layer = wg.nn.BatchNorm1d(2)
    batch_norm_replacement.batch_norm_without_running_stats(layer)
    assert layer.running_mean is None and not layer.track_running_stats
