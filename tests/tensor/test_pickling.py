"""Copies and pickles: of tensors as torch's, of operators by name, of nothing that belongs to a graph."""

from __future__ import annotations

import copy
import pickle
import warnings

import pytest

import wengert as wg
from wengert import nn
from wengert._core.cards.card import REGISTRY
from wengert._core.state import modes
from wengert._core.writes.inplace import InPlaceOp
from wengert._start.names import SHARED
from wengert.utils.hooks import unserializable_hook

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


class Labelled(wg.Tensor):
    """A user's tensor with attributes in both places."""

    __slots__ = ("label",)


class Counted(wg.Tensor):
    """A user's tensor that says itself what belongs to its state."""

    def __getstate__(self):
        return {"count": 3}


def pickled(value, protocol=pickle.HIGHEST_PROTOCOL):
    return pickle.loads(pickle.dumps(value, protocol=protocol))


def through_object(value):
    make, arguments, *_ = object.__reduce_ex__(value, 2)
    return make(*arguments)


WAYS = [
    pickled,
    copy.copy,
    copy.deepcopy,
    through_object,
    lambda tensor: tensor.__reduce__()[0](*tensor.__reduce__()[1]),
]


@pytest.mark.parametrize("way", WAYS, ids=["pickle", "copy", "deepcopy", "object", "reduce"])
@pytest.mark.parametrize(
    "make",
    [
        lambda: wg.tensor([1.0]),
        lambda: wg.arange(6).view(2, 3).t(),
        lambda: wg.arange(12.0).view(3, 4)[1:, ::2],
        lambda: wg.ones(1).expand(3),
        lambda: wg.zeros(0, 3),
        lambda: wg.arange(12.0)[12:],
        lambda: wg.tensor(2 + 1j),
        lambda: wg.tensor([True, False]),
        lambda: wg.ones(2, requires_grad=True),
        lambda: nn.Parameter(wg.ones(2, 2).t()),
        lambda: nn.Parameter(wg.ones(2), requires_grad=False),
    ],
)
def test_every_way_to_copy_keeps_values_strides_class_and_requires_grad(way, make):
    before = make()
    after = way(before)
    assert type(after) is type(before) and after.dtype is before.dtype and after.is_leaf
    assert after.tolist() == before.tolist() and after.stride() == before.stride()
    assert after.requires_grad == before.requires_grad


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_all_protocols_keep_values(protocol):
    x = wg.arange(6.0).view(2, 3)[:, 1:]
    assert pickled(x, protocol).tolist() == [[1.0, 2.0], [4.0, 5.0]] and pickled(x, protocol).stride() == (3, 1)


def test_a_pickle_goes_out_of_band_and_may_be_written_to():
    buffers = []
    x = wg.arange(4.0)
    found = pickle.loads(pickle.dumps(x, protocol=5, buffer_callback=buffers.append), buffers=buffers)
    assert found.data_ptr() == x.data_ptr()
    pickled(x).fill_(7)
    assert x.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_a_view_keeps_its_place_in_the_whole_memory():
    row = wg.arange(6.0).view(2, 3)[1]
    for after in (pickled(row), copy.deepcopy(row), copy.copy(row)):
        assert after.storage_offset() == 3 and after.as_strided((6,), (1,), 0).tolist() == [0, 1, 2, 3, 4, 5]


def test_deep_copies_share_memory_as_their_originals_do_and_pickles_do_not():
    x = wg.arange(4.0)
    whole, part = copy.deepcopy([x, x[1:3]])
    whole.fill_(9)
    assert part.tolist() == [9.0, 9.0] and x.tolist() == [0.0, 1.0, 2.0, 3.0] and part._version == 1
    whole, part = pickled([x, x[1:3]])
    whole.fill_(9)
    assert part.tolist() == [1.0, 2.0]
    again = pickled([x, x])
    assert again[0] is again[1]


def test_a_shallow_copy_shares_the_memory_and_counts_its_own_writes():
    x = wg.ones(2, requires_grad=True)
    y = copy.copy(x)
    assert y is not x and y.data_ptr() == x.data_ptr() and y.is_leaf and y.requires_grad
    y.detach().fill_(5)
    assert x.tolist() == [5.0, 5.0] and x._version == 0


def test_results_of_operations_are_pickled_as_leaves_and_not_copied_deeply():
    y = wg.ones(2, requires_grad=True) * 2
    for after in (pickled(y), copy.copy(y)):
        assert after.is_leaf and after.requires_grad and after.tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError, match=r"Only Tensors created explicitly by the user \(graph leaves\) support"):
        copy.deepcopy(y)


def test_gradients_are_copied_deeply_only():
    x = wg.ones(2, requires_grad=True)
    x.grad = wg.full((2,), 3.0)
    deep = copy.deepcopy(x)
    assert deep.grad.tolist() == [3.0, 3.0] and deep.grad.data_ptr() != x.grad.data_ptr()
    assert pickled(x).grad is None and copy.copy(x).grad is None


def test_attributes_go_along_from_dictionary_and_slots():
    x = Labelled(wg.ones(2))
    x.label, x.more = ["a"], {"b": 1}
    for way in (pickled, copy.copy, copy.deepcopy):
        after = way(x)
        assert type(after) is Labelled and after.label == ["a"] and after.more == {"b": 1}
        assert (after.label is x.label) == (way is copy.copy)
    assert pickled(Labelled(wg.ones(2))).tolist() == [1.0, 1.0]
    assert pickled(Counted(wg.ones(2))).count == 3
    parameter = nn.Parameter(wg.ones(1))
    parameter.tag = 5
    assert pickled(parameter).tag == 5 and not hasattr(copy.deepcopy(parameter), "tag")


def test_hooks_are_left_out_with_a_warning():
    x = wg.ones(2, requires_grad=True)
    x.register_hook(abs)
    with pytest.warns(UserWarning, match="backward hook <built-in function abs> on tensor will not be serialized"):
        assert pickled(x)._backward_hooks is None
    silent = wg.ones(2, requires_grad=True)
    silent.register_hook(unserializable_hook(lambda grad: grad))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pickled(silent)
        copy.deepcopy(x)


def test_copies_of_inference_tensors_are_ordinary():
    with wg.inference_mode():
        x = wg.ones(2)
    assert not pickled(x).is_inference() and not copy.deepcopy(x).is_inference()


def test_operators_are_pickled_and_copied_as_themselves():
    # Programs have those of `SHARED` as functions of `nn.functional`.
    operators = [getattr(wg, name) if name in SHARED.split() else card.public for name, card in REGISTRY.items()]
    operators += [each for each in vars(wg.Tensor).values() if isinstance(each, InPlaceOp)]
    assert len(operators) > 500
    for operator in operators:
        assert pickled(operator) is operator and copy.deepcopy(operator) is operator and copy.copy(operator) is operator
    for constant in (wg.strided, wg.contiguous_format, wg.channels_last, wg.float32):
        assert pickled(constant) is constant and copy.deepcopy(constant) is constant


@pytest.mark.parametrize("module", [wg.linalg, wg.fft, wg.special], ids=lambda module: module.__name__)
def test_functions_of_modules_are_pickled_by_the_name_that_they_have_there(module):
    for name in module.__all__:
        made = getattr(module, name)
        assert pickled(made) is made and copy.copy(made) is made, name


def test_nothing_of_a_graph_is_pickled_or_copied():
    x = wg.ones(3, requires_grad=True)
    y = (x * x)[1:]
    node = y.grad_fn
    parts = [
        node,
        y._edge_,
        y._storage_,
        y._meta_,
        y._meta_.view,
        node.next_functions[0][0],
        modes.current(),
        node.plan,
    ]
    parts += [x.exp().grad_fn._raw_saved_result, *x.exp().grad_fn.saved, *(x * x).grad_fn.saved]
    for part in parts:
        name = type(part).__name__
        ways = [copy.copy, copy.deepcopy, lambda part: part.__reduce__(), lambda part: object.__reduce_ex__(part, 2)]
        for way in [*ways, *[lambda part, each=each: pickled(part, each) for each in PROTOCOLS]]:
            with pytest.raises(TypeError, match=f"cannot pickle '{name}' object"):
                way(part)
