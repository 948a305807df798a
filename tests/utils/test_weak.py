"""`utils.weak`: dictionaries by identity that do not keep their keys."""

from __future__ import annotations

import copy
import gc
import weakref

import pytest

import wengert as wg
from wengert.utils.weak import TensorWeakRef, WeakIdKeyDictionary, WeakIdRef, WeakTensorKeyDictionary


def test_keys_are_objects_themselves():
    x, y = wg.ones(2), wg.ones(2)
    names = WeakTensorKeyDictionary({x: "x"})
    assert names[x] == "x" and x in names and y not in names and 3 not in names
    assert names.get(y) is None
    names[y] = "y"
    names[x] = "other"
    assert [each is known for each, known in zip(names, (x, y))] == [True, True]
    assert list(names.values()) == ["other", "y"] and len(names) == 2
    del names[y]
    with pytest.raises(KeyError):
        names[y]
    assert names.pop(x) == "other" and not names
    assert names.setdefault(x, 5) == 5


def test_entries_go_with_their_keys():
    x, y = wg.ones(2), wg.ones(2)
    names = WeakIdKeyDictionary({x: 1, y: 2})
    (reference,) = (each for each in names.keyrefs() if each() is x)
    keys = iter(names)
    next(keys)
    del x
    gc.collect()
    assert next(keys) is y
    assert len(names) == 1 and reference() is None and names[y] == 2
    kept = weakref.ref(names)
    del names, keys
    gc.collect()
    assert kept() is None  # the callbacks of its keys do not keep it
    del y


def test_copies_and_unions():
    x, y = wg.ones(2), wg.zeros(2)
    first = WeakIdKeyDictionary({x: 1})
    both = first | WeakIdKeyDictionary({y: 2})
    assert len(first) == 1 and both[y] == 2 and copy.copy(both) == both and first != both
    first |= {y: 3}
    assert first[y] == 3
    with pytest.raises(TypeError, match="unhashable"):
        hash(first)


def test_references():
    x = wg.ones(2)
    assert WeakIdRef(x) == WeakIdRef(x) != WeakIdRef(wg.ones(2))
    assert hash(WeakIdRef(x)) == id(x)
    reference = TensorWeakRef(x)
    assert reference() is x
    del x
    gc.collect()
    assert reference() is None
    with pytest.raises(AssertionError, match=r"expected torch\.Tensor"):
        TensorWeakRef([1])


def test_what_runs_is_told(capsys):
    assert "NumPy: " in wg.utils.collect_env.get_pretty_env_info()
    wg.utils.collect_env.main()
    assert capsys.readouterr().out.splitlines()[1] == f"wengert: {wg.__version__}"


def test_the_setting_for_new_memory_is_remembered(monkeypatch):
    assert wg.utils.deterministic.fill_uninitialized_memory is True
    monkeypatch.setattr(wg.utils.deterministic, "fill_uninitialized_memory", False)
    assert wg.utils.deterministic.fill_uninitialized_memory is False
