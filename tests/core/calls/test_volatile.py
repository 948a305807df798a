"""Volatile tensors: one makes every output volatile, without history and saved values, whatever else is wanted."""

from __future__ import annotations

import copy
import weakref

import hypothesis.strategies as st
import pytest
from hypothesis import given

import wengert as wg
from wengert._core import flags
from wengert.autograd import Variable
from wengert.testing import Case
from wengert.testing.calls import once


def volatile(*shape):
    with pytest.warns(DeprecationWarning):
        return Variable(wg.ones(*(shape or (3,))), volatile=True)


def parameter(*shape):
    return wg.ones(*(shape or (3,)), requires_grad=True)


def check(tensor):
    """That a tensor is volatile, with all that follows."""
    assert tensor.volatile is True and tensor.requires_grad is False
    assert tensor.grad_fn is None and tensor.creator is None and tensor.is_leaf


def test_the_flag_is_off_unless_given():
    assert wg.ones(2).volatile is False and Variable(wg.ones(2)).volatile is False
    assert parameter().volatile is False and (parameter() * 2).volatile is False
    assert Variable(wg.ones(2), volatile=False).volatile is False


def test_a_volatile_variable_does_not_require_a_gradient():
    check(volatile())


def test_both_flags_together_are_refused():
    for make in (
        lambda: Variable(wg.ones(2), requires_grad=True, volatile=True),
        lambda: Variable(wg.ones(2), True, True),
    ):
        with (
            pytest.warns(DeprecationWarning),
            pytest.raises(ValueError, match="Variable can't be volatile and require_grad at the same time!"),
        ):
            make()
    x = volatile()
    for change in (lambda: x.requires_grad_(), lambda: setattr(x, "requires_grad", True)):
        with pytest.raises(ValueError, match="can't be volatile and require_grad at the same time"):
            change()
    check(x)


def test_the_warning_points_to_no_grad_and_to_the_line_of_the_program():
    with pytest.warns(DeprecationWarning, match=r"with torch.no_grad\(\)") as warned:
        Variable(wg.ones(2), volatile=True)
    assert [each.filename for each in warned] == [__file__]
    with pytest.warns(DeprecationWarning, match=r"with torch.no_grad\(\)") as warned:
        wg.ones(2).volatile = True
    assert [each.filename for each in warned] == [__file__]


def test_a_single_volatile_input_is_enough():
    v, w, x = volatile(), parameter(), wg.ones(3)
    for each in (v * w, w * v, v + x, v.exp(), v * 2, 2 - v, w @ v, (v * w + w).sum() * w.sum(), v[:1], v.view(3, 1)):
        check(each)


def test_deep_inside_a_graph_one_volatile_leaf_is_enough():
    x = volatile()
    for _ in range(50):
        x = x * parameter() + parameter()
    check(x)


def test_lists_of_inputs_count():
    w, v = parameter(), volatile()
    check(wg.cat([w, v]))
    check(wg.stack([w, w, v]))
    check(wg.where(wg.tensor([True, False, True]), w, v))


def test_all_results_of_a_call_are_volatile():
    for each in (*volatile(4, 2).unbind(), *volatile(4).split(2), *volatile(4, 2).max(0)):
        check(each)


def test_views_are_volatile():
    v = volatile(2, 3)
    for each in (v[0], v.t(), v.view(6), v.expand(2, 2, 3), v[0][1:]):
        check(each)
        assert each.data_ptr() >= v.data_ptr()


def test_nothing_is_saved_and_no_node_is_made():
    v, w = volatile(1000), parameter(1000)
    packed = []
    with wg.autograd.graph.saved_tensors_hooks(lambda x: packed.append(x) or x, lambda x: x):
        y = (v * w).exp()
        kept = weakref.ref(y)
        z = y * w
    assert not packed and z.volatile
    del y
    assert kept() is None


def test_the_parts_of_a_program_without_volatile_inputs_are_recorded():
    v, w = volatile(), parameter()
    y = w * 2
    check(y * v)
    y.sum().backward()
    assert w.grad.tolist() == [2.0, 2.0, 2.0]


def test_a_backward_pass_from_a_volatile_result_is_refused_and_told_why():
    for run in (lambda y: y.backward(), lambda y: wg.autograd.grad(y, parameter())):
        with pytest.raises(RuntimeError, match=r"does not require grad and does not have a grad_fn.*volatile"):
            run((volatile() * parameter()).sum())


def test_a_model_needs_no_change():
    """The example of the seeds."""
    model = wg.nn.Sequential(
        wg.nn.Conv2d(1, 2, 3), wg.nn.BatchNorm2d(2), wg.nn.ReLU(), wg.nn.Flatten(), wg.nn.Dropout(), wg.nn.Linear(18, 4)
    )
    with pytest.warns(DeprecationWarning):
        volatile_input = Variable(wg.randn(2, 1, 5, 5), volatile=True)
    assert model(Variable(wg.randn(2, 1, 5, 5))).requires_grad
    for _ in range(2):
        check(model(volatile_input))
        assert all(each.requires_grad and not each.volatile for each in model.parameters())
        assert not any(each.volatile for each in model.buffers())
        model.eval()
    assert model(Variable(wg.randn(2, 1, 5, 5))).requires_grad
    check(wg.nn.functional.cross_entropy(model(volatile_input), wg.tensor([0, 1])))


def test_modes_do_not_take_the_flag_away():
    for mode in (wg.no_grad, wg.inference_mode):
        with mode():
            check(volatile() * 2)
    check(volatile() * 2)


def test_writing_a_volatile_value_makes_the_target_volatile_and_drops_its_history():
    y = parameter() * 2
    y.retain_grad()
    y.add_(volatile())
    check(y)
    assert y.tolist() == [3.0, 3.0, 3.0] and y._version == 1
    plain = wg.ones(3)
    plain *= volatile()
    check(plain)


def test_writing_to_a_volatile_tensor_leaves_it_volatile():
    v = volatile()
    v.mul_(parameter()).add_(1)
    v[0] = parameter()[0]
    check(v)
    assert v.tolist() == [1.0, 2.0, 2.0]


def test_writing_a_volatile_value_to_a_leaf_that_requires_a_gradient_is_refused():
    w, v = parameter(), volatile()
    for write in (lambda: w.add_(v), lambda: w[:1].mul_(v[:1]), lambda: w.__setitem__(0, v[0])):
        with pytest.raises(
            RuntimeError, match="leaf Variable that requires grad is being used in an in-place operation"
        ):
            write()
    assert w.requires_grad and w.tolist() == [1.0, 1.0, 1.0] and w._version == 0
    with wg.no_grad():
        w.add_(v)
    assert w.requires_grad and not w.volatile and w.tolist() == [2.0, 2.0, 2.0]


def test_writing_a_volatile_value_to_a_view_makes_base_and_other_views_volatile():
    base = parameter(4) * 2
    written, other = base[:2], base[2:]
    written.mul_(volatile(2))
    for each in (written, base, other, base[1:]):
        check(each)
    check(other * parameter(2))


def test_writing_a_volatile_value_to_one_of_several_views_is_refused():
    base = parameter(4) * 2
    part = base.unbind()[0]
    with pytest.raises(RuntimeError, match="output of a function that returns multiple views"):
        part.add_(volatile(1)[0])
    assert base.requires_grad and not base.volatile and base._version == 0


def test_out_that_is_given_volatile_values_becomes_volatile():
    out = wg.empty(3)
    wg.add(volatile(), 1, out=out)
    check(out)


def test_the_flag_can_be_set_and_taken_back_on_leaves():
    x = parameter()
    with pytest.warns(DeprecationWarning):
        x.volatile = True
    check(x)
    check(x * 2)
    x.volatile = False
    assert not x.volatile and not x.requires_grad
    x.requires_grad = True
    assert (x * 2).requires_grad
    with pytest.raises(RuntimeError, match="you can only change volatile flags of leaf variables"):
        (x * 2).volatile = True


def test_a_volatile_result_is_a_leaf_whose_flag_can_be_taken_back():
    y = volatile() * parameter()
    y.volatile = False
    y.requires_grad = True
    (y * 2).sum().backward()
    assert y.grad.tolist() == [2.0, 2.0, 2.0]


def test_detached_and_copied_tensors_stay_volatile_and_data_does_not():
    v = volatile()
    check(v.detach())
    check(v.clone())
    check(copy.deepcopy(v))
    check(v.contiguous())
    assert not v.data.volatile and not Variable(v).volatile and not wg.from_numpy(v.numpy()).volatile


def test_a_parameter_of_a_volatile_tensor_is_a_parameter():
    made = wg.nn.Parameter(volatile())
    assert made.requires_grad and not made.volatile


def test_the_flag_costs_no_memory_of_its_own():
    assert not hasattr(volatile(), "__dict__") or not volatile().__dict__
    assert volatile()._flags_ == flags.VOLATILE


def test_custom_functions_give_volatile_results_and_are_not_recorded():
    class Product(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(x, y)
            return x * y, x + y

        @staticmethod
        def backward(ctx, grad, other):
            raise AssertionError

    for each in Product.apply(volatile(), parameter()):
        check(each)


def test_checkpoints_and_hooks_meet_volatile_inputs():
    check(wg.utils.checkpoint.checkpoint(lambda x, w: x * w, volatile(), parameter(), use_reentrant=False))
    layer = wg.nn.Linear(3, 2)
    seen = []
    layer.register_forward_hook(lambda module, args, result: seen.append(result.volatile))
    check(layer(volatile(1, 3)))
    assert seen == [True]


SHAPE_ONLY = {
    "broadcast_tensors",
    "expand_as",
    "meshgrid",
    "reshape_as",
    "view_as",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "max_pool2d_with_indices_backward",
    "max_pool3d_with_indices_backward",
}
"""Each result stands for one input; of others only the shape counts."""
NEW = {"new_empty", "new_empty_strided", "new_full", "new_ones", "new_tensor", "new_zeros"}
VALUES = {"one_hot", "repeat_interleave"}
"""Composites that read the values of an integer input."""


def is_followed(operator, dtype) -> bool:
    name = operator.name
    return once(operator, dtype) and name not in SHAPE_ONLY | NEW | VALUES and not name.endswith("_like")


DEPENDENT = {"multi_head_attention_forward": 1}
"""How many results depend on all inputs, where not all do: weights of attention know nothing of values."""


@pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel lengths")  # torch warns as well
@pytest.mark.cases(together=True, wanted=is_followed, where=lambda case: case.number < 2)
def test_every_operator_gives_volatile_results_whichever_input_is(case: Case):
    for at in range(len(case.call().tensors())):
        call = case.call()
        given_ones = call.tensors()
        given_ones[at]._flags_ = given_ones[at]._flags_ & ~flags.REQUIRES_GRAD | flags.VOLATILE
        for each in call.outputs()[: DEPENDENT.get(case.name)]:
            if not any(each is other for other in given_ones):
                check(each)


@given(st.data())
def test_in_random_programs_exactly_what_depends_on_a_volatile_leaf_is_volatile(data):
    leaves = data.draw(st.lists(st.sampled_from(["plain", "recorded", "volatile"]), min_size=1, max_size=4))
    make = {"plain": lambda: wg.ones(2), "recorded": lambda: parameter(2), "volatile": lambda: volatile(2)}
    tensors = [(make[kind](), {at}) for at, kind in enumerate(leaves)]
    for _ in range(data.draw(st.integers(1, 8))):
        (a, of_a), (b, of_b) = data.draw(st.sampled_from(tensors)), data.draw(st.sampled_from(tensors))
        tensors.append(data.draw(st.sampled_from([(a * b, of_a | of_b), (a + 1, of_a), (a.view(2, 1).t()[0], of_a)])))
    for tensor, sources in tensors:
        assert tensor.volatile is any(leaves[at] == "volatile" for at in sources)
        wanted = not tensor.volatile and any(leaves[at] == "recorded" for at in sources)
        assert tensor.requires_grad is wanted and (tensor.grad_fn is not None) is (wanted and not tensor.is_leaf)
