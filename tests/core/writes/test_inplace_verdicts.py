"""What becomes of a write, by the kind of tensor that is written to: the same verdicts as torch's, in all modes."""

from __future__ import annotations

import pytest

import wengert as wg

LEAF = "a leaf Variable that requires grad is being used in an in-place operation"
VIEW_OF_LEAF = "a view of a leaf Variable that requires grad is being used in an in-place operation"
SEVERAL = "is being modified inplace.*This view is the output of a function that returns multiple views"
NO_GRAD = "A view was created in no_grad mode and is being modified inplace with grad mode enabled"
OF_NO_GRAD = "is a view of a view which was created in no_grad mode and is being modified inplace"
OVERLAP = "more than one element of the written-to tensor refers to a single memory location"


def values(rows=4):
    return wg.arange(1.0, rows * 4 + 1, dtype=wg.float64).reshape(rows, 4)


def leaf():
    return values().requires_grad_()


def result():
    return leaf() * 1


def unrecorded(view, *args):
    with wg.no_grad():
        return view(*args)


def of_pairs(tensor):
    return wg.view_as_complex(tensor.view(4, 2, 2))


TARGETS = {
    # the kind: how it is made, and why a recorded write is refused (None: it is allowed)
    "a leaf": (lambda: leaf(), LEAF),
    "a view of a leaf": (lambda: leaf()[1:3], VIEW_OF_LEAF),
    "a transposed leaf": (lambda: leaf().t(), VIEW_OF_LEAF),
    "one of the parts of a leaf": (lambda: leaf().split(2)[0], SEVERAL),
    "a plain tensor": (lambda: values(), None),
    "a view of a plain tensor": (lambda: values()[1:3], None),
    "one of the parts of a plain tensor": (lambda: values().split(2)[1], SEVERAL),
    "a result": (lambda: result(), None),
    "a slice": (lambda: result()[1:3], None),
    "an element": (lambda: result()[1, 1], None),
    "a slice of a slice": (lambda: result()[1:][:, 1:], None),
    "a transposed result": (lambda: result().t(), None),
    "a diagonal": (lambda: result().diagonal(), None),
    "a permuted slice": (lambda: result().permute(1, 0)[::2], None),
    "another shape": (lambda: result().view(2, 8), None),
    "a real part": (lambda: of_pairs(result()).real, None),
    "an imaginary part": (lambda: wg.complex(result(), result()).imag, None),
    "pairs as complex numbers": (lambda: of_pairs(result()), None),
    "complex numbers as pairs": (lambda: wg.view_as_real(of_pairs(result())), None),
    "an output of split": (lambda: result().split(2)[0], SEVERAL),
    "an output of split by sizes": (lambda: result().split([1, 3])[1], SEVERAL),
    "an output of chunk": (lambda: result().chunk(2, 1)[1], SEVERAL),
    "an output of unbind": (lambda: result().unbind()[0], SEVERAL),
    "a view of an output of split": (lambda: result().split(2)[0][:1], SEVERAL),
    "a view of an output of unbind": (lambda: result().unbind()[0].view(2, 2), SEVERAL),
    "a view made without recording": (lambda: unrecorded(lambda: result()[1:3]), NO_GRAD),
    "a part made without recording": (lambda: unrecorded(lambda: result().split(2)[0]), "inplace|no_grad"),
    "a view of a view made without recording": (lambda: unrecorded(lambda y: y[1:3], result())[:1], OF_NO_GRAD),
    "an expanded row": (lambda: result()[:1].expand(3, 4), OVERLAP),
    "detached": (lambda: result().detach(), None),
    "a view of what is detached": (lambda: result().detach()[1:3], None),
    "data": (lambda: result().data, None),
    "data of a leaf": (lambda: leaf().data, None),
}

WRITES = {
    "add_": lambda y: y.add_(2),
    "mul_": lambda y: y.mul_(wg.tensor(3.0, dtype=wg.float64)),
    "mul_ by a recorded value": lambda y: y.mul_(wg.tensor(3.0, dtype=wg.float64, requires_grad=True)),
    "exp_": lambda y: y.exp_(),
    "copy_": lambda y: y.copy_(y.detach().clone()),
    "copy_ of a recorded value": lambda y: y.copy_(wg.tensor(3.0, dtype=wg.float64, requires_grad=True)),
    "index": lambda y: y.__setitem__(Ellipsis, 1.5),
}


def keep(tensor):
    """What a refused write must leave as it is."""
    return tensor.detach().clone().tolist(), tensor._version, tensor.requires_grad, tensor.is_leaf, tensor.grad_fn


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("kind", TARGETS)
def test_a_recorded_write_is_allowed_or_refused_without_a_trace(kind, write):
    make, refused = TARGETS[kind]
    target = make()
    recorded = target.requires_grad or "recorded" in write
    before = keep(target)
    if refused is None or (not recorded and refused is not OVERLAP):
        WRITES[write](target)
        assert target._version == before[1] + 1
        assert target.requires_grad == recorded
        assert target.is_leaf != recorded
    else:
        with pytest.raises(RuntimeError, match=refused):
            WRITES[write](target)
        assert keep(target) == before


@pytest.mark.parametrize("kind", TARGETS)
def test_without_recording_only_overlapping_memory_is_refused(kind):
    make, refused = TARGETS[kind]
    target = make()
    version = target._version
    with wg.no_grad():
        if refused is OVERLAP:
            with pytest.raises(RuntimeError, match=OVERLAP):
                target.add_(2)
        else:
            target.add_(2)
            version += 1
    assert target._version == version


VIEWS = {
    "slice": lambda y: y[1:3],
    "transpose": lambda y: y.t(),
    "diagonal": lambda y: y.diagonal(1),
    "view": lambda y: y.view(16),
    "expand": lambda y: y.unsqueeze(0).expand(2, 4, 4),
    "slice of transpose": lambda y: y.t()[1:],
    "real": lambda y: of_pairs(y).real,
    "pairs": lambda y: wg.view_as_real(of_pairs(y))[0],
}


@pytest.mark.parametrize("kind", VIEWS)
def test_a_view_gets_its_history_again_after_a_write_to_its_base(kind):
    x = leaf()
    base = x * 1
    view = VIEWS[kind](base)
    assert view.grad_fn.name() != "AsStridedBackward0"
    base.mul_(x)
    assert view.grad_fn.name() == "AsStridedBackward0"
    fresh = VIEWS[kind](base)
    given = wg.rand(fresh.shape, dtype=wg.float64)
    (found,) = wg.autograd.grad(view, x, given, retain_graph=True)
    (wanted,) = wg.autograd.grad(fresh, x, given)
    assert found.tolist() == pytest.approx(wanted.tolist()) if found.ndim == 1 else wg.allclose(found, wanted)


def test_a_view_of_memory_seen_as_another_dtype_is_replayed_by_that_call():
    base = result()
    seen = of_pairs(base)
    base.mul_(2)
    assert seen.grad_fn.name() == "ViewAsComplexBackward0"


def test_a_view_keeps_its_history_if_nothing_was_written():
    base = result()
    view = base[1:3]
    node = view.grad_fn
    base.sum().backward(retain_graph=True)
    assert view.grad_fn is node


def test_siblings_get_the_history_of_the_write_and_the_base_that_of_copy_slices():
    base = result()
    first, second = base[1:3], base[2:4]
    first.mul_(2)
    assert base.grad_fn.name().endswith("CopySlices")
    assert first.grad_fn.name() == second.grad_fn.name() == "AsStridedBackward0"
    assert first.grad_fn.next_functions[0][0] is base.grad_fn


def test_a_history_taken_again_can_be_differentiated_twice():
    x = leaf()
    base = x * x
    view = base.t()[1:]
    base.mul_(x)
    (first,) = wg.autograd.grad(view.sum(), x, create_graph=True)
    (second,) = wg.autograd.grad(first.sum(), x)
    assert wg.allclose(first[:, 1:], 3 * (x * x)[:, 1:]) and not first[:, 0].any()
    assert wg.allclose(second[:, 1:], 6 * x[:, 1:]) and not second[:, 0].any()


def test_the_gradient_of_a_history_taken_again_does_not_depend_on_the_layout_of_what_else_arrives():
    x = values(3).requires_grad_()
    base = x.t().clone()
    row = base[1]
    base.mul_(2)
    first = (row * wg.tensor([1.0, 10.0, 100.0], dtype=wg.float64)).sum()
    second = (base * wg.ones(4, 3, dtype=wg.float64)).sum()
    (first + second).backward()
    assert x.grad.tolist() == [[2, 4, 2, 2], [2, 22, 2, 2], [2, 202, 2, 2]]
