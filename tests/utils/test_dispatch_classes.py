"""Classes that are told of operators: what is beside that in which they are like torch's (parity programs)."""

from __future__ import annotations

import gc
import pickle
import weakref

import pytest

import wengert as wg
from wengert.utils._mode_utils import no_dispatch
from wengert.utils._python_dispatch import return_and_correct_aliasing, transform_subclass
from wengert.utils._pytree import tree_map


class Wrapping(wg.Tensor):
    """Wraps a tensor; notes nothing."""

    def __new__(cls, elem, requires_grad=False):
        made = wg.Tensor._make_wrapper_subclass(cls, elem.shape, dtype=elem.dtype, requires_grad=requires_grad)
        made.elem = elem
        return made

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        args, kwargs = tree_map(lambda each: each.elem if isinstance(each, cls) else each, (args, kwargs or {}))
        return tree_map(lambda each: cls(each) if isinstance(each, wg.Tensor) else each, func(*args, **kwargs))


class OnMemory(wg.Tensor):
    """Has values of its own; the calls of it are counted."""

    calls = 0

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        cls.calls += 1
        with no_dispatch():
            return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("count", [3, 10**12])
def test_a_wrapper_takes_no_memory_for_values(count):
    made = wg.Tensor._make_wrapper_subclass(Wrapping, (count,), dtype=wg.float64)
    assert made.numel() == count and made.stride() == (1,)


def test_what_needs_values_is_refused_by_name():
    x = Wrapping(wg.ones(2, 3))
    for call in (x.tolist, x.numpy):
        with pytest.raises(RuntimeError, match="not supported for tensor subclasses"):
            call()
    with no_dispatch(), pytest.raises(RuntimeError, match="a Wrapping has no values of its own"):
        x + 1


def test_the_class_must_take_sizes_as_they_are_given():
    with pytest.raises(NotImplementedError, match="dispatch_sizes_strides_policy"):
        wg.Tensor._make_wrapper_subclass(Wrapping, (2,), dispatch_sizes_strides_policy="sizes")


def test_transforms_of_other_kinds_are_refused():
    x = Wrapping(wg.ones(3))
    with pytest.raises(NotImplementedError, match="carries a tangent"):
        wg.func.jvp(lambda y: x * y, (wg.ones(3),), (wg.ones(3),))
    with pytest.raises(NotImplementedError, match="members of a batch"):
        wg.func.vmap(lambda y: x * y)(wg.ones(2, 3))


WAYS = (
    lambda: OnMemory([1.0, 1.0]),
    lambda: wg.ones(2).as_subclass(OnMemory),
    lambda: OnMemory._make_subclass(OnMemory, wg.ones(2)),
)


@pytest.mark.parametrize("make", WAYS)
def test_every_way_to_an_instance_lets_the_class_be_asked(make):
    x = make()
    before = OnMemory.calls
    assert type(x) is OnMemory and (x + 1).tolist() == [2, 2]
    assert OnMemory.calls == before + 1


def test_writes_to_a_tensor_with_values_are_told_and_counted():
    x = OnMemory([1.0, 2.0])
    before, version = OnMemory.calls, x._version
    assert x.mul_(3) is x and x._version == version + 1
    with no_dispatch():
        assert x.clone().tolist() == [3, 6]
    assert OnMemory.calls == before + 1


def test_a_disabled_dispatch_asks_nobody():
    class Own(wg.Tensor):
        __torch_dispatch__ = wg._C._disabled_torch_dispatch_impl

    x = wg.ones(2).as_subclass(Own)
    assert x._flags_ & wg._core.flags.OBSERVED == 0 and (x + 1).tolist() == [2, 2]


def test_super_goes_on_without_the_class():
    class Own(wg.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return super().__torch_dispatch__(func, types, args, kwargs)

    assert type(wg.ones(2).as_subclass(Own) + 1) is wg.Tensor


def test_plain_tensors_have_no_bit_of_the_class():
    Wrapping(wg.ones(2)) + wg.ones(2)
    assert wg.ones(2)._flags_ == 0 and (wg.ones(2) + 1)._flags_ == 0


def test_tensors_inside_are_freed_with_the_graph():
    x = Wrapping(wg.ones(3), requires_grad=True)
    y = (x * 2).exp()
    inner = weakref.ref(y.elem)
    y.sum().backward()
    del y
    gc.collect()
    assert inner() is None and type(x.grad) is Wrapping


def test_a_pickle_holds_what_the_program_put_on_the_tensor():
    x = Wrapping(wg.arange(3.0), requires_grad=True)
    made = pickle.loads(pickle.dumps(x))
    assert type(made) is Wrapping and made.requires_grad and made.elem.tolist() == [0, 1, 2]


def test_saved_tensors_hooks_are_given_the_class():
    seen, x = [], Wrapping(wg.arange(3.0), requires_grad=True)
    with wg.autograd.graph.saved_tensors_hooks(lambda each: seen.append(type(each)) or each, lambda each: each):
        y = x.exp() * x
    (grad,) = wg.autograd.grad(y.sum(), x)
    assert set(seen) == {Wrapping}
    wg.testing.assert_close(grad.elem, (x.elem.exp() * (1 + x.elem)))


def test_a_write_to_a_saved_tensor_is_noticed():
    x = Wrapping(wg.arange(3.0), requires_grad=True)
    y = x.exp()
    y.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_optimisers_step_parameters_of_the_class():
    x = wg.nn.Parameter(Wrapping(wg.ones(3)))
    assert isinstance(x, wg.nn.Parameter) and type(x) is Wrapping
    for kind in (wg.optim.SGD, wg.optim.Adam):
        optimiser = kind([x], lr=0.1)
        before = x.elem.clone()
        (x * x).sum().backward()
        optimiser.step()
        optimiser.zero_grad()
        assert not wg.equal(x.elem, before)


def test_aliasing_and_transformed_copies():
    x = Wrapping(wg.ones(2))
    assert return_and_correct_aliasing(wg.ops.aten.add_.Tensor, (x, 1), {}, None) is x
    assert return_and_correct_aliasing(wg.ops.aten.add.Tensor, (x, 1), {}, "made") == "made"
    with pytest.raises(TypeError, match="OpOverload"):
        return_and_correct_aliasing(len, (), {}, None)

    class Flat(Wrapping):
        def __tensor_flatten__(self):
            return ["elem"], None

        @staticmethod
        def __tensor_unflatten__(inner, context, size, stride):
            return Flat(inner["elem"])

    made = transform_subclass(Flat(wg.ones(2)), lambda name, each: each + 1)
    assert made.elem.tolist() == [2, 2]
    with pytest.raises(AssertionError, match="size"):
        transform_subclass(Flat(wg.ones(2)), lambda name, each: each[:1])


def test_results_are_written_into_a_tensor_of_the_class():
    out = Wrapping(wg.zeros(2))
    assert wg.add(Wrapping(wg.ones(2)), wg.ones(2), out=out) is out and out.elem.tolist() == [2, 2]


def test_a_change_of_the_shape_in_place_is_refused():
    x = Wrapping(wg.ones(2, 3))
    with pytest.raises(NotImplementedError, match=r"t_\(\): a Wrapping has a __torch_dispatch__"):
        x.t_()
    assert x.shape == (2, 3)


def test_values_are_looked_for_by_the_class():
    assert 1.0 in Wrapping(wg.ones(2)) and 2.0 not in Wrapping(wg.ones(2))
