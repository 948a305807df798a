"""Names that libraries take from inside torch's modules, although they are not meant for programs."""

from __future__ import annotations

import pytest

import wengert as wg


def test_names_that_libraries_take_from_inside_modules():
    from wengert._C import _is_tracing

    from wengert.nn.modules.module import _EXTRA_STATE_KEY_SUFFIX, _addindent
    from wengert.utils.data.dataloader import _DatasetKind

    assert not _is_tracing() and _EXTRA_STATE_KEY_SUFFIX == "_extra_state"
    assert _addindent("a\nb\nc", 2) == "a\n  b\n  c"
    assert wg.serialization.DEFAULT_PROTOCOL == 2
    loaders = [wg.utils.data.DataLoader([1, 2], batch_size) for batch_size in (None, 2)]
    assert [each._auto_collation for each in loaders] == [False, True]
    basis = wg.autograd.functional._construct_standard_basis_for((wg.zeros(2), wg.zeros(1)), (2, 1))
    assert [each.tolist() for each in basis] == [[[1, 0], [0, 1], [0, 0]], [[0], [0], [1]]]
    fetcher = _DatasetKind.create_fetcher(_DatasetKind.Map, [1, 2, 3], True, list, False)
    assert fetcher.fetch([2, 0]) == [3, 1]
    fetcher = _DatasetKind.create_fetcher(_DatasetKind.Iterable, [1, 2, 3], True, list, False)
    assert fetcher.fetch([0, 0]) == [1, 2] and fetcher.fetch([0, 0]) == [3]


def test_the_error_of_singular_matrices_has_the_name_that_torch_prints():
    import pickle

    with pytest.raises(wg.linalg.LinAlgError) as caught:
        wg.linalg.inv(wg.zeros(2, 2))
    assert type(caught.value).__name__ == "_LinAlgError" and wg._C._LinAlgError is wg.linalg.LinAlgError
    assert type(pickle.loads(pickle.dumps(caught.value))) is wg.linalg.LinAlgError


def test_extensions_in_other_languages_are_refused_when_they_are_compiled():
    from wengert.utils.cpp_extension import CUDA_HOME, BuildExtension, load_inline

    assert CUDA_HOME is None and isinstance(BuildExtension, type)
    with pytest.raises(RuntimeError, match=r"torch.utils.cpp_extension: no extension can be compiled"):
        load_inline("name", "code")
