"""Names that torch's programs use besides operators: modules by which functions are found, and what was removed."""

from __future__ import annotations

import pytest

import wengert as wg


def test_functions_are_found_in_the_module_that_torch_has_them_in() -> None:
    assert wg.functional.einsum is wg.einsum
    assert set(wg.functional.__all__) <= set(dir(wg))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        wg.functional.nothing  # noqa: B018


def test_classes_of_several_results_are_found() -> None:
    assert isinstance(wg.max(wg.ones(2), 0), wg.return_types.max)
    assert isinstance(wg.linalg.svd(wg.eye(2)), wg.return_types.linalg_svd)
    assert "sort" in wg.return_types.__all__ and "return_type" not in wg.return_types.__all__


@pytest.mark.parametrize("name", ["eig", "symeig", "matrix_rank"])
def test_removed_functions_say_what_to_call(name: str) -> None:
    with pytest.raises(RuntimeError, match=r"now removed. Call `torch.linalg."):
        getattr(wg, name)(wg.eye(2))


@pytest.mark.parametrize("name", ["solve", "lstsq"])
def test_removed_functions_of_two_operands_say_what_to_call(name: str) -> None:
    for call in (getattr(wg, name), getattr(wg.Tensor, name)):
        with pytest.raises(RuntimeError, match=rf"torch.linalg.{name}\(A, B\)"):
            call(wg.eye(2), wg.eye(2))


def test_reinforce_is_removed() -> None:
    with pytest.raises(RuntimeError, match=r"Use torch\.distributions"):
        wg.ones(2).reinforce(1.0)


def test_resize_out_of_place_keeps_the_number_of_elements() -> None:
    x = wg.arange(4.0)
    with pytest.warns(UserWarning, match="non-inplace resize is deprecated"):
        assert x.resize(2, 2).tolist() == [[0, 1], [2, 3]]
    with pytest.warns(UserWarning, match="non-inplace resize_as is deprecated"):
        assert x.resize_as(wg.ones(4, 1)).shape == (4, 1)
    with pytest.warns(UserWarning), pytest.raises(RuntimeError, match="requested resize to 3 "):
        x.resize(3)


def test_numbers_of_programs_are_followed_at_once() -> None:
    assert wg.newaxis is None and wg.ones(2)[wg.newaxis].shape == (1, 2)
    assert (wg.sym_max(2, 3.0), wg.sym_min(2, 3), wg.sym_int(2.7), wg.sym_sqrt(4)) == (3.0, 2, 2, 2.0)
    assert (wg.sym_not(True), wg.sym_ite(True, 1, 2), wg.sym_sum([1, 2]), wg.sym_float(2)) == (False, 1, 3, 2.0)
    assert type(wg.sym_max(3, 2.0)) is float and wg.sym_int(-2.7) == -2
    with pytest.raises(AssertionError, match="expected SymBool or bool"):
        wg.sym_ite(1, 2, 3)


def test_one_of_two_functions_is_called_and_has_gradients() -> None:
    x = wg.tensor([2.0], requires_grad=True)
    wg.cond(x.sum() > 0, lambda a: a * 3, lambda a: a * 5, (x,)).backward()
    assert x.grad.tolist() == [3]
    assert wg.cond(False, lambda a: a * 3, lambda a: a * 5, (x,)).item() == 10
    with pytest.raises(RuntimeError, match="single-element tensor"):
        wg.cond(wg.tensor([True, False]), lambda: 1, lambda: 2)
    with pytest.raises(RuntimeError, match="to be callable"):
        wg.cond(True, 1, 2)


def test_a_loop_carries_values() -> None:
    last = wg.while_loop(lambda n, x: n < 3, lambda n, x: (n + 1, x * 2), (wg.tensor(0), wg.ones(2)))
    assert last[0].item() == 3 and last[1].tolist() == [8, 8]
    with pytest.raises(RuntimeError, match="same number of elements"):
        wg.while_loop(lambda n: True, lambda n: (n, n), (wg.tensor(0),))


def test_batch_norm_forgets_its_statistics() -> None:
    net = wg.nn.Sequential(wg.nn.BatchNorm1d(2), wg.nn.InstanceNorm1d(2, track_running_stats=True))
    assert wg.func.replace_all_batch_norm_modules_(net) is net
    assert net[0].running_mean is None and not net[0].track_running_stats
    assert net[1].running_mean is not None


def test_a_function_without_a_compiler_is_functional_already() -> None:
    assert wg.func.functionalize(lambda a: a.clone().add_(1))(wg.ones(1)).item() == 2
    with pytest.raises(RuntimeError, match="invalid argument for remove="):
        wg.func.functionalize(lambda a: a, remove="views")


def test_annotations_of_layers_are_found() -> None:
    assert wg.nn.common_types._size_2_t == int | tuple[int, int]
