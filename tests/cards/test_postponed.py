"""Conjugates and negatives that are made when they are read: every operator gives what it gives for their values."""

from __future__ import annotations

import numpy as np
import pytest

import wengert as wg
from wengert._core.cards.card import Card
from wengert._core.tensor.base import wrap
from wengert._core.tensor.postponed import with_signs_of
from wengert.testing import Case
from wengert.testing.calls import Call, leaf, one_dtype
from wengert.testing.close import assert_close
from wengert.testing.differences import random_like
from wengert.testing.in_place import fits_in_place, run_in_place
from wengert.testing.seeds import reseed

REFUSED = ("view_as_real", "view_dtype")
"""Views of the memory as other numbers."""
UNINITIALISED = ("empty_like", "new_empty", "new_empty_strided")


def is_plain(tensor) -> bool:
    """Whether a tensor holds its elements itself, and they have a sign."""
    return type(tensor._array_) is np.ndarray and tensor._array_.dtype.kind in "iufc"


def conjugate_view(tensor):
    """(view, memory): a tensor of the same elements that are the conjugates of those in memory."""
    memory = leaf(np.conjugate(tensor._array_), tensor)
    return memory.conj(), memory


def negative_view(tensor):
    """(view, memory): a tensor of the same elements that are the negatives of those in memory."""
    memory = leaf(np.negative(tensor._array_), tensor)
    return wg._neg_view(memory), memory


KINDS = {"conjugate": conjugate_view, "negative": negative_view}


def takes(case: Case, kind: str) -> bool:
    tensors = case.call().tensors()
    kinds = "c" if kind == "conjugate" else "iufc"
    return any(is_plain(each) and each._array_.dtype.kind in kinds for each in tensors)


def is_checked(operator, dtype) -> bool:
    return dtype in {wg.complex128, one_dtype(operator)} and operator.name not in (*REFUSED, *UNINITIALISED)


KIND = pytest.mark.parametrize("kind", KINDS)


def exchanged(call: Call, kind: str):
    """The call with such views, and their memory by the places of the tensors."""
    memories = {}

    def change(tensor):
        if not is_plain(tensor) or (kind == "conjugate" and tensor._array_.dtype.kind != "c"):
            return tensor
        view, memories[id(tensor)] = KINDS[kind](tensor)
        return view

    return call.exchanged(change), memories


def gradients(outputs, inputs):
    """The gradients of outputs at fixed cotangents."""
    random = np.random.default_rng(0)
    roots = [each for each in outputs if each.requires_grad]
    if not roots or not inputs:
        return []
    along = [leaf(random_like(random, each.resolve_conj().resolve_neg()._array_)) for each in roots]
    return wg.autograd.grad(roots, inputs, along, allow_unused=True)


def agree(found, wanted):
    assert_close(found, wanted, rtol=1e-9, atol=1e-9, equal_nan=True)


@KIND
@pytest.mark.cases(together=True, wanted=is_checked)
def test_an_operator_gives_what_it_gives_for_the_elements(case: Case, kind: str):
    if not takes(case, kind):
        return
    call = case.call()
    reseed()
    wanted = call.outputs()
    other, memories = exchanged(call, kind)
    reseed()
    found = other.outputs()
    agree([each.detach() for each in found], [each.detach() for each in wanted])
    inputs = [each for each in call.differentiable() if id(each) in memories]
    sign = wg.conj_physical if kind == "conjugate" else wg.neg
    for one, two in zip(gradients(found, [memories[id(each)] for each in inputs]), gradients(wanted, inputs)):
        assert (one is None) == (two is None)
        if one is not None and not one.is_sparse:
            agree(one, sign(two))


@KIND
@pytest.mark.cases(
    together=True,
    wanted=lambda operator, dtype: (
        is_checked(operator, dtype) and isinstance(operator, Card) and operator.in_place is not None
    ),
)
def test_a_write_reaches_the_memory(case: Case, kind: str):
    if not takes(case, kind):
        return
    call = case.call()
    target = call.args[0]
    if not isinstance(target, wg.Tensor) or not is_plain(target) or not fits_in_place(call):
        return
    if kind == "conjugate" and not target.is_complex():
        return
    if call.operator.name == "abs" and target.is_complex():
        return  # refused: the result is real
    with wg.no_grad():
        plain = target.clone()
        wanted = run_in_place(call, plain)
        view, memory = KINDS[kind](target.detach())
        version = view._version
        assert run_in_place(call, view) is view
    assert view._version == version + 1
    agree(view, wanted)
    if not call.operator.view:
        agree(memory, plain.conj_physical() if kind == "conjugate" else plain.neg())


def test_a_view_of_such_a_tensor_writes_to_the_memory():
    z = wg.tensor([1 + 2j, 3 - 4j], dtype=wg.complex128)
    part = z.conj().imag
    assert part.is_neg() and not part.is_conj() and part[1].is_neg() and not z.conj().real.is_neg()
    part[0] = 5
    part.mul_(2)
    assert z.tolist() == [1 - 10j, 3 - 8j]
    assert part.tolist() == [10, 8]


def test_conjugates_of_conjugates_are_plain():
    z = wg.tensor([1 + 2j])
    assert z.conj().is_conj() and not z.conj().conj().is_conj()
    assert z.conj().data_ptr() == z.data_ptr() and z.conj()._base is z
    assert z.conj().resolve_conj().data_ptr() != z.data_ptr()
    assert z.resolve_conj() is z and z.resolve_neg() is z


@pytest.mark.parametrize("read", [lambda z: z.tolist(), lambda z: [z[0].item()], lambda z: [complex(z[0])], list])
def test_numbers_are_conjugated(read):
    assert read(wg.tensor([1 + 2j]).conj()) == [1 - 2j]


def test_what_shares_memory_with_others_refuses_them():
    z = wg.tensor([1 + 2j])
    with pytest.raises(RuntimeError, match="has conjugate bit set"):
        z.conj().numpy()
    with pytest.raises(RuntimeError, match="has negative bit set"):
        z.conj().imag.numpy()
    with pytest.raises(RuntimeError, match="doesn't work on unresolved conjugated tensors"):
        wg.view_as_real(z.conj())
    with pytest.raises(RuntimeError, match="not supported for conjugate view tensors"):
        z.conj().view(wg.int32)
    with pytest.raises(BufferError, match="conjugate bit"):
        z.conj().__dlpack__()
    assert np.asarray(z.conj()).tolist() == [1 - 2j]
    assert z.conj().numpy(force=True).tolist() == [1 - 2j]


def test_gradients_are_plain_whatever_functions_and_hooks_return():
    class Conjugating(wg.autograd.Function):
        @staticmethod
        def forward(ctx, z):
            return z.conj()

        @staticmethod
        def backward(ctx, grad):
            return grad.conj()

    z = wg.tensor([1 + 2j, 3 - 1j], dtype=wg.complex128, requires_grad=True)
    y = Conjugating.apply(z * 1)
    y.register_hook(lambda grad: grad.conj())
    z.register_hook(lambda grad: (grad * 2).conj())
    seen = []
    z.register_post_accumulate_grad_hook(lambda leaf: seen.append(leaf.grad.is_conj()))
    y.backward(wg.tensor([1j, 2]).to(wg.complex128).conj())
    assert seen == [False]
    assert z.grad.tolist() == [2j, 4]
    assert wg.autograd.gradcheck(Conjugating.apply, (z.detach().requires_grad_(),))


def test_history_of_writes_through_conjugates():
    z = wg.tensor([1 + 2j, 3 - 1j], dtype=wg.complex128, requires_grad=True)

    def function(z):
        y = z.clone()
        view = y.conj()
        view.mul_(2j)
        view.imag[0] = z.real[1] ** 2
        return y

    assert wg.autograd.gradcheck(function, (z,), check_forward_ad=True, check_batched_grad=True)
    assert wg.autograd.gradgradcheck(function, (z,))


@pytest.mark.parametrize("view", [wg.conj, wg._neg_view, lambda z: wg._neg_view(z.conj()), lambda z: z])
def test_a_tangent_has_the_signs_of_its_tensor(view):
    z, way = wg.tensor([1 + 2j, 3 - 1j], dtype=wg.complex128), wg.tensor([2 - 1j, 1j], dtype=wg.complex128)
    for given in (way, way.conj(), wg._neg_view(way)):
        found = with_signs_of(given, view(z))
        assert (found.is_conj(), found.is_neg()) == (view(z).is_conj(), view(z).is_neg())
        agree(found, given)
        agree(wg.func.jvp(lambda z: z.imag * 2, (view(z),), (given,)), (view(z).imag * 2, given.imag * 2))


def test_the_array_of_such_a_tensor_is_read_as_what_it_stands_for():
    array = wrap(np.array([[1 + 2j, 3j], [1, 2]])).conj()._array_
    wanted = np.array([[1 - 2j, -3j], [1, 2]])
    for found, right in (
        (array[0], wanted[0]),
        (array.T, wanted.T),
        (array.sum(0), wanted.sum(0)),
        (np.concatenate([array, array]), np.concatenate([wanted, wanted])),
        (array + 1, wanted + 1),
        (array.copy(), wanted),
        (array.imag, wanted.imag),
        (array.reshape(4)[1:3].astype(np.complex64), wanted.reshape(4)[1:3]),
    ):
        assert np.array_equal(np.add(found, 0), right)
    np.copyto(array, 1j)
    array[0, 0] = 2 + 1j
    array += 1
    assert np.array_equal(array.view(np.ndarray), [[3 - 1j, 1 - 1j], [1 - 1j, 1 - 1j]])
