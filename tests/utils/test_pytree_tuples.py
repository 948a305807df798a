"""All public classes of tuples as containers: `Size`, `return_types`, and the named tuples that modules expose."""

from __future__ import annotations

import functools
import types

import pytest

import wengert as wg
from wengert import return_types
from wengert.utils import _pytree as pytree


def public_classes(module, seen):
    """The classes of tuples that a program finds in public modules, each once."""
    seen.add(module.__name__)
    found = {}
    for name in sorted({*dir(module), *vars(module)}):
        value = None if name.startswith("_") else getattr(module, name, None)
        if isinstance(value, types.ModuleType) and value.__name__.startswith("wengert.") and value.__name__ not in seen:
            found |= public_classes(value, seen)
        elif isinstance(value, type) and issubclass(value, tuple) and value.__module__.startswith("wengert"):
            found[value] = f"{value.__module__}.{value.__qualname__}"
    return found


@functools.cache
def named_classes():
    """The classes of named tuples in public modules, all of which this loads."""
    return [cls for cls in public_classes(wg, set()) if hasattr(cls, "_fields")]


@functools.cache
def results_of_operators():
    """The classes of `return_types`, and some of those for `out=`."""
    names = [*return_types.__all__, "sort_out", "max_out", "linalg_svd_out"]
    return [getattr(return_types, name) for name in names]


@functools.cache
def all_classes():
    """All public classes of tuples."""
    return [wg.Size, *results_of_operators(), *named_classes()]


def of_all_classes(test):
    """Call a test with each class: which there are is known only once all modules are loaded."""

    @functools.wraps(test)
    def run():
        for cls in all_classes():
            test(cls)

    del run.__wrapped__  # its parameter is no fixture
    return run


def instance(cls):
    """An instance whose leaves are tensors; numbers for a size."""
    if cls is wg.Size:
        return cls((2, 3))
    count = len(cls._fields) if hasattr(cls, "_fields") else cls.n_fields
    return tuple.__new__(cls, [wg.full((2,), float(at)) for at in range(count)])


def test_the_generated_list_has_the_classes_that_programs_meet():
    assert {"PackedSequence", "GradientEdge", "UnpackedDualTensor", "WorkerInfo"} <= {
        cls.__name__ for cls in named_classes()
    }
    assert len(results_of_operators()) > 30


@of_all_classes
def test_leaves_and_structure_go_apart_and_together(cls):
    value = instance(cls)
    leaves, spec = pytree.tree_flatten(value)
    assert all(leaf is part for leaf, part in zip(leaves, value, strict=True))
    assert (spec.num_leaves, spec.num_nodes, spec.num_children) == (len(value), len(value) + 1, len(value))
    back = pytree.tree_unflatten(leaves, spec)
    assert type(back) is (tuple if cls is wg.Size else cls)
    assert all(leaf is part for leaf, part in zip(back, value, strict=True))
    assert pytree.tree_structure(instance(cls)) == spec != pytree.tree_structure(tuple(value))
    assert not pytree.tree_is_leaf(value)


@of_all_classes
def test_a_function_is_called_for_each_leaf_also_of_two_trees(cls):
    value = instance(cls)
    mapped = pytree.tree_map(lambda leaf: leaf + 1, [value])[0]
    assert type(mapped) is (tuple if cls is wg.Size else cls)
    for new, old in zip(mapped, value, strict=True):
        assert wg.as_tensor(new).tolist() == wg.as_tensor(old + 1).tolist()
    pairs = pytree.tree_map(lambda a, b: (a, b), value, instance(cls))
    assert [type(pair) for pair in pairs] == [tuple] * len(value)
    with pytest.raises(ValueError, match=r"^(Node type|Type) mismatch; expected .*, but got <class 'tuple'>\.$"):
        pytree.tree_map(lambda a, b: a, value, tuple(value))


@of_all_classes
def test_the_path_to_each_leaf(cls):
    value = instance(cls)
    paths = [pytree.keystr(path) for path, _ in pytree.tree_leaves_with_path(value)]
    fields = getattr(cls, "_fields", None)
    assert paths == ([f".{name}" for name in fields] if fields else [f"[{at}]" for at in range(len(value))])
    for path, leaf in pytree.tree_leaves_with_path(value):
        assert pytree.key_get(value, path) is leaf


@of_all_classes
def test_the_text_of_a_structure(cls):
    spec = pytree.tree_structure(instance(cls))
    name = f"namedtuple, {cls}" if hasattr(cls, "_fields") else f"{cls.__name__}, None"
    assert repr(spec).startswith(f"TreeSpec({name}, [*") and pytree.treespec_pprint(spec).count("*") == spec.num_leaves
    if cls is wg.Size:
        text = pytree.treespec_dumps(spec)
        assert '"torch.Size"' in text and pytree.treespec_loads(text) == spec
        return
    refusal = (
        "Can't serialize TreeSpec of namedtuple class" if hasattr(cls, "_fields") else "No registered serialization"
    )
    with pytest.raises(NotImplementedError, match=refusal):
        pytree.treespec_dumps(spec)


@of_all_classes
def test_what_kind_of_tuple_it_is(cls):
    named, results = hasattr(cls, "_fields"), cls in results_of_operators()
    value = instance(cls)
    assert [pytree.is_namedtuple(value), pytree.is_namedtuple_instance(value), pytree.is_namedtuple_class(cls)] == [
        named
    ] * 3
    assert [pytree.is_structseq(value), pytree.is_structseq_instance(value), pytree.is_structseq_class(cls)] == [
        results
    ] * 3


@of_all_classes
def test_transforms_go_through_it(cls):
    if cls is wg.Size:  # which holds no tensors
        return
    value = instance(cls)
    alike = tuple.__new__(cls, [0] * len(value))
    batched = wg.func.vmap(lambda parts: parts[0] * 2, in_dims=(alike,))(value)
    assert batched.tolist() == [0.0, 0.0]
    grads = wg.func.grad(lambda parts: parts[0].sum() + 3 * parts[-1].sum())(value)
    assert type(grads) is cls and grads[-1].tolist() == ([4.0] * 2 if len(value) == 1 else [3.0] * 2)
    _, tangent = wg.func.jvp(lambda parts: parts[0] * 2 + 0 * parts[-1], (value,), (value,))
    assert tangent.tolist() == [0.0, 0.0]
    with pytest.raises(ValueError, match="in_dims is not compatible with the structure of `inputs`"):
        wg.func.vmap(lambda parts: parts[0], in_dims=(tuple(alike),))(value)


def test_results_of_operators_are_containers():
    x = wg.tensor([[3.0, 1.0], [2.0, 5.0]])
    assert [leaf.tolist() for leaf in pytree.tree_leaves({"s": wg.sort(x), "shape": x.shape})[:2]] == [
        [[1.0, 3.0], [2.0, 5.0]],
        [[1, 0], [0, 1]],
    ]
    written = wg.sort(x, out=(wg.empty(2, 2), wg.empty(2, 2, dtype=wg.int64)))
    assert type(pytree.tree_map(lambda leaf: leaf, written)) is type(written)


def test_a_size_and_a_tuple_say_which_is_expected():
    with pytest.raises(ValueError, match=r"Type mismatch; expected <class 'wengert.Size'>, but got <class 'tuple'>"):
        pytree.tree_map(lambda a, b: a, wg.Size((1, 2)), (1, 2))
    assert pytree._broadcast_to_and_flatten((0, 1), pytree.tree_structure(wg.Size((5, 6)))) == [0, 1]
    assert pytree._broadcast_to_and_flatten(wg.Size((5, 6)), pytree.tree_structure((0, 1))) is None


def test_named_tuples_of_other_classes_do_not_fit():
    first, second = (cls for cls in named_classes() if cls.__name__ in ("PackedSequence", "UniqueAll"))
    values = [tuple.__new__(cls, range(4)) for cls in (first, second)]
    with pytest.raises(ValueError, match="Node context mismatch for node type"):
        pytree.tree_map(lambda a, b: a, *values)


def test_a_class_of_named_tuples_is_written_under_the_name_that_it_was_given():
    cls = next(cls for cls in named_classes() if cls.__name__ == "UniqueCounts")
    pytree._register_namedtuple(cls, serialized_type_name="tests.UniqueCounts")
    try:
        spec = pytree.tree_structure(instance(cls))
        text = pytree.treespec_dumps(spec)
        assert '"context": "tests.UniqueCounts"' in text and pytree.treespec_loads(text) == spec
        with pytest.raises(ValueError, match="is already registered as pytree node"):
            pytree.register_pytree_node(cls, list, list)
    finally:
        pytree.texts.NAMED_TUPLES.clear()
    with pytest.raises(NotImplementedError, match="Can't deserialize TreeSpec of namedtuple class"):
        pytree.treespec_loads(text)
