"""Linear algebra where samples of cards do not go: degenerate matrices, errors, equations drawn at random."""

from __future__ import annotations

import math
import string
import sys
import types

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg
from wengert.func import vmap


def drawn(*shape: int, seed: int = 0, dtype: str = "float64") -> wg.Tensor:
    random = np.random.default_rng(seed)
    values = random.standard_normal(shape)
    if dtype.startswith("complex"):
        values = values + 1j * random.standard_normal(shape)
    return wg.tensor(values.astype(dtype))


@st.composite
def equations(draw):
    """An equation for einsum, with operands; lengths of 1 are stretched where the other operand is longer."""
    letters = draw(st.lists(st.sampled_from(string.ascii_letters[:5]), min_size=1, max_size=4, unique=True))
    length = {each: draw(st.integers(0, 3)) for each in letters}
    terms = draw(st.lists(st.lists(st.sampled_from(letters), max_size=3), min_size=1, max_size=3))
    used = sorted({each for term in terms for each in term})
    kept = draw(st.permutations(used).map(lambda found: found[: draw(st.integers(0, len(found)))])) if used else []
    arrow = draw(st.booleans())
    equation = ",".join("".join(term) for term in terms) + ("->" + "".join(kept) if arrow else "")
    return equation, [[length[each] for each in term] for term in terms]


@given(equations())
@settings(max_examples=150, deadline=None)
def test_einsum_gives_what_numpy_gives(drawn_equation):
    equation, shapes = drawn_equation
    arrays = [np.random.default_rng(at).standard_normal(shape) for at, shape in enumerate(shapes)]
    expected = np.einsum(equation, *arrays)
    found = wg.einsum(equation, *map(wg.tensor, arrays))
    assert found.shape == expected.shape
    assert np.allclose(found.numpy(), expected)


@given(equations())
@settings(max_examples=50, deadline=None)
def test_the_gradient_of_einsum_is_einsum_of_the_others(drawn_equation):
    equation, shapes = drawn_equation
    tensors = [drawn(*shape, seed=at).requires_grad_() for at, shape in enumerate(shapes)]
    made = wg.einsum(equation, *tensors)
    grads = wg.autograd.grad(made.sum(), tensors)
    for at, grad in enumerate(grads):  # a product is linear in each operand, so this is exact
        moved = [each.detach() for each in tensors]
        moved[at] = drawn(*shapes[at], seed=9)
        assert math.isclose(
            float((grad * moved[at]).sum()), float(wg.einsum(equation, *moved).sum()), rel_tol=1e-9, abs_tol=1e-9
        )


@pytest.mark.parametrize(
    ("equation", "shapes", "says"),
    [
        ("ij,jk", [(2, 3)], "more operands|fewer operands were provided"),
        ("ij", [(2, 3), (3, 2)], "more operands were provided"),
        ("i1", [(2, 3)], "invalid subscript given at index 1 in the equation string"),
        ("i.j", [(2, 3)], "found '.' for operand 0 that is not part of any ellipsis"),
        ("...i...", [(2, 3)], "for which an ellipsis was already found"),
        ("ij->.", [(2, 3)], "found '.' for output that is not part of any ellipsis"),
        ("ij->i....", [(2, 3)], "found '.' for output but an ellipsis"),
        ("ii", [(2, 3)], "subscript i is repeated for operand 0 but the sizes don't match, 3 != 2"),
        ("ij->ii", [(2, 3)], "output subscript i appears more than once in the output"),
        ("...i,...i", [(2, 3), (4, 3)], "covered by ellipsis in operand 1has size 4"),
    ],
)
def test_einsum_refuses_equations_that_do_not_fit(equation, shapes, says):
    with pytest.raises(RuntimeError, match=says.replace(".'", r"\.'").replace("'.", r"'\.")):
        wg.einsum(equation, *(wg.ones(shape) for shape in shapes))


def test_einsum_multiplies_in_the_order_that_opt_einsum_says(monkeypatch):
    asked = []

    def contract_path(equation, *shapes, **options):
        asked.append((equation, shapes, options))
        return [(1, 2), (0, 1)], "report"

    monkeypatch.setitem(sys.modules, "opt_einsum", types.SimpleNamespace(contract_path=contract_path))
    a, b, c = drawn(2, 3), drawn(3, 4), drawn(4, 2)
    found = wg.einsum("ij,jk,kl->il", a, b, c)
    assert asked == [("ij,jk,kl->il", ((2, 3), (3, 4), (4, 2)), {"shapes": True, "optimize": "auto"})]
    assert wg.allclose(found, a @ b @ c)


@given(st.integers(0, 4), st.integers(0, 3), st.lists(st.integers(0, 2), max_size=2), st.booleans())
@settings(max_examples=60, deadline=None)
def test_solutions_solve_their_systems(size, columns, batch, left):
    a = drawn(*batch, size, size, dtype="complex128") + 4 * wg.eye(size, dtype=wg.complex128)
    b = drawn(*batch, *((size, columns) if left else (columns, size)), seed=1, dtype="complex128")
    for x, used in (
        (wg.linalg.solve(a, b, left=left), a),
        (wg.linalg.solve_triangular(a, b, upper=True, left=left), a.triu()),
        (wg.linalg.solve_triangular(a, b, upper=False, left=left), a.tril()),
        (wg.linalg.lu_solve(*wg.linalg.lu_factor(a), b, left=left), a),
        (wg.linalg.lu_solve(*wg.linalg.lu_factor(a), b, left=left, adjoint=True), a.mH),
    ):
        assert wg.allclose(used @ x if left else x @ used, b)


@given(st.integers(0, 4), st.integers(0, 4), st.lists(st.integers(0, 2), max_size=2))
@settings(max_examples=60, deadline=None)
def test_factors_make_the_matrix_again(rows, columns, batch):
    a = drawn(*batch, rows, columns, dtype="complex128")
    q, r = wg.linalg.qr(a)
    u, s, vh = wg.linalg.svd(a, full_matrices=False)
    p, lower, upper = wg.linalg.lu(a)
    packed, tau = wg.geqrf(a)
    assert wg.allclose(q @ r, a)
    assert wg.allclose((u * s.unsqueeze(-2)) @ vh, a)
    assert wg.allclose(p @ lower @ upper, a)
    assert wg.allclose(a @ wg.linalg.pinv(a) @ a, a)
    if rows >= columns:
        assert wg.allclose(wg.linalg.householder_product(packed, tau) @ packed.triu()[..., :columns, :], a)
        assert wg.allclose(wg.ormqr(packed, tau, packed.triu()), a)


def singular(rank: int) -> wg.Tensor:
    """A matrix of 3 rows of a smaller rank."""
    return drawn(3, rank, seed=2) @ drawn(rank, 3, seed=3)


@pytest.mark.parametrize("rank", [0, 1, 2])
def test_a_determinant_has_its_gradient_where_the_matrix_is_singular(rank):
    a = singular(rank).requires_grad_()
    (grad,) = wg.autograd.grad(wg.linalg.det(a), a)
    array = a.detach().numpy()
    for row, column in np.ndindex(3, 3):
        rest = np.delete(np.delete(array, row, 0), column, 1)
        assert math.isclose(float(grad[row, column]), (-1) ** (row + column) * np.linalg.det(rest), abs_tol=1e-12)


def test_equal_values_have_gradients_though_their_vectors_have_none():
    a = wg.eye(3, dtype=wg.float64).requires_grad_()
    for function in (wg.linalg.eigvalsh, wg.linalg.svdvals):
        (grad,) = wg.autograd.grad(function(a).sum(), a)
        assert wg.allclose(grad, wg.eye(3, dtype=wg.float64))
    (grad,) = wg.autograd.grad(wg.linalg.eigh(a).eigenvectors[0, 1], a)
    assert not bool(grad.isfinite().all())


@pytest.mark.parametrize("order", ["nuc", 2, -2])
def test_norms_of_zero_have_gradients(order):
    a = wg.zeros(2, 2, dtype=wg.float64, requires_grad=True)
    (grad,) = wg.autograd.grad(wg.linalg.matrix_norm(a, order), a)
    assert bool(grad.isfinite().all())


def test_gradients_that_depend_on_the_phases_of_vectors_are_refused():
    a = drawn(3, 3, dtype="complex128").requires_grad_()
    hermitian = a + a.mH
    with pytest.raises(RuntimeError, match="up to multiplication by e"):
        wg.linalg.eigh(hermitian).eigenvectors.real.sum().backward()
    with pytest.raises(RuntimeError, match="up to multiplication by e"):
        wg.linalg.eig(a).eigenvectors.real.sum().backward()
    with pytest.raises(RuntimeError, match="up to multiplication by e"):
        wg.linalg.svd(a).U.real.sum().backward()


def test_derivatives_that_do_not_exist_are_refused():
    a = drawn(3, 2).requires_grad_()
    with pytest.raises(RuntimeError, match="not differentiable when mode='complete' and nrows > ncols"):
        wg.linalg.qr(a, "complete").Q.sum().backward()
    with pytest.raises(RuntimeError, match="which is not computed when mode='r'"):
        wg.linalg.qr(a, "r").R.sum().backward()


def test_a_singular_matrix_is_named_by_its_place_in_the_batch_and_its_pivot():
    a = wg.stack([wg.eye(3), wg.ones(3, 3)])
    with pytest.raises(wg.linalg.LinAlgError, match=r"\(Batch element 1\): The diagonal element 2 is zero"):
        wg.linalg.inv(a)
    with pytest.raises(wg.linalg.LinAlgError, match=r"torch.linalg.solve: \(Batch element 1\): The solver failed"):
        wg.linalg.solve(a, a)
    with pytest.raises(wg.linalg.LinAlgError, match="U\\[2,2\\] is zero and using it on lu_solve"):
        wg.linalg.lu_factor(a)
    with pytest.raises(wg.linalg.LinAlgError, match="the leading minor of order 2 is not positive-definite"):
        wg.linalg.cholesky(a)
    assert issubclass(wg.linalg.LinAlgError, RuntimeError)
    inverse, info = wg.linalg.inv_ex(a)
    assert info.tolist() == [0, 2] and wg.equal(inverse[0], wg.eye(3))
    factor, info = wg.linalg.cholesky_ex(a)
    assert info.tolist() == [0, 2] and wg.equal(factor[0], wg.eye(3))


def test_zeros_on_the_diagonal_of_a_triangular_matrix_divide():
    a = wg.tensor([[1.0, 2.0], [0.0, 0.0]])
    found = wg.linalg.solve_triangular(a, wg.tensor([[1.0], [1.0]]), upper=True)
    assert found.tolist() == [[-math.inf], [math.inf]]


@pytest.mark.parametrize("pivots", [[0, 1], [1, 3], [-1, -2], [1, -2], [2**31 - 1, 1]])
def test_exchanges_that_lead_out_of_the_matrix_are_refused(pivots):
    given = wg.tensor(pivots, dtype=wg.int32)
    with pytest.raises(RuntimeError, match="pivots must be those that ldl_factor gives for 2 rows"):
        wg.linalg.ldl_solve(wg.eye(2), given, wg.eye(2))
    if pivots != [1, 3] and min(pivots) > 0 and max(pivots) <= 2:
        return
    with pytest.raises(
        RuntimeError, match=r"pivots passed to lu_unpack must be between 1 and LU\.size\(-2\) inclusive"
    ):
        wg.linalg.lu_solve(wg.eye(2), given, wg.eye(2))
    with pytest.raises(
        RuntimeError, match=r"pivots passed to lu_unpack must be between 1 and LU\.size\(-2\) inclusive"
    ):
        wg.lu_unpack(wg.eye(2), given)


def test_ldl_factors_solve_indefinite_systems():
    a = drawn(4, 4, dtype="complex128")
    for matrix, hermitian in ((a + a.mT, False), (a + a.mH, True)):
        factors = wg.linalg.ldl_factor(matrix, hermitian=hermitian)
        assert wg.allclose(matrix @ wg.linalg.ldl_solve(*factors, a, hermitian=hermitian), a)


def test_what_numpy_lacks_says_what_to_install(monkeypatch):
    for name in ("scipy", "scipy.linalg"):
        monkeypatch.setitem(sys.modules, name, None)
    for function in (wg.linalg.lu_factor, wg.linalg.ldl_factor):
        with pytest.raises(ImportError, match="needs SciPy: pip install"):
            function(wg.eye(20, dtype=wg.complex64))  # real ones have native factors, which need no SciPy
    assert wg.equal(wg.linalg.inv(wg.eye(2)), wg.eye(2))
    assert wg.equal(wg.linalg.matrix_exp(wg.zeros(2, 2)), wg.eye(2))


def test_ranks_and_least_squares_of_matrices_without_full_rank():
    a = singular(2)
    assert int(wg.linalg.matrix_rank(a)) == 2
    assert int(wg.linalg.matrix_rank(a @ a.mT, hermitian=True)) == 2
    b = drawn(3, 2, seed=5)
    found = wg.linalg.lstsq(a, b, driver="gelsd")
    assert int(found.rank) == 2 and not found.residuals.numel()
    assert np.allclose(found.solution.numpy(), np.linalg.lstsq(a.numpy(), b.numpy(), rcond=None)[0])


@pytest.mark.parametrize("rows", [5, 20])
def test_the_drivers_of_least_squares_give_what_torchs_give(rows):
    a, b = drawn(rows, 4, seed=6), drawn(rows, 2, seed=7)
    shapes = {None: (0, 0, 0), "gelsy": (0, 0, 0), "gels": (2, 1, 0), "gelsd": (2, 0, 4), "gelss": (2, 0, 4)}
    for driver, (residuals, ranks, values) in shapes.items():
        found = wg.linalg.lstsq(a, b, driver=driver)
        assert (*found.residuals.shape, *found.singular_values.shape) == (residuals, values), driver
        assert found.rank.ndim == ranks, driver


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_infinities_and_nan_are_refused_or_spread_and_nothing_hangs(value):
    a = wg.stack([wg.eye(3), wg.eye(3)])
    a[1, 0, 1] = a[1, 1, 0] = value
    for function in (wg.linalg.svd, wg.linalg.svdvals, wg.linalg.pinv, wg.linalg.cond, wg.linalg.matrix_rank):
        with pytest.raises(wg.linalg.LinAlgError, match=r"\(Batch element 1\): .* contained non-finite values"):
            function(a)
    with pytest.raises(RuntimeError, match="should not contain infs or NaNs"):
        wg.linalg.eig(a)
    for function in (wg.linalg.eigvalsh, wg.linalg.matrix_exp, lambda a: wg.linalg.lstsq(a, a).solution):
        found = function(a)
        assert bool(found[0].isfinite().all()) and bool(found[1].isnan().any())


def test_a_matrix_of_powers_that_no_memory_holds_is_refused_at_once():
    with pytest.raises((RuntimeError, MemoryError, ValueError, OverflowError)):
        wg.linalg.vander(wg.ones(2), N=2**62)


def test_out_takes_several_results_and_refuses_what_requires_a_gradient():
    a = drawn(3, 3)
    given = [wg.empty(0, dtype=wg.float64) for _ in range(2)]
    made = wg.linalg.qr(a, out=tuple(given))
    assert type(made) is wg.return_types.linalg_qr_out and made.Q is given[0]
    assert wg.allclose(given[0] @ given[1], a)
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        wg.kron(a.requires_grad_(), a, out=wg.empty(0, dtype=wg.float64))
    with pytest.raises(TypeError):
        wg.linalg.qr(drawn(2, 2), out=given[0])


def test_a_program_for_each_member_of_a_batch():
    a, b = drawn(4, 3, 3), drawn(4, 3, seed=1)

    def energy(matrix, vector):
        square = matrix @ matrix.mT + wg.eye(3, dtype=wg.float64)
        return wg.linalg.slogdet(square).logabsdet + vector @ wg.linalg.solve(square, vector)

    found = vmap(wg.func.grad(energy))(a, b)
    for at in range(4):
        assert wg.allclose(found[at], wg.func.grad(energy)(a[at], b[at]))


def test_matrices_of_a_chain_are_multiplied_where_it_costs_least():
    a, b, c = drawn(2, 30), drawn(30, 1), drawn(1, 40)
    made = wg.linalg.multi_dot([a.requires_grad_(), b, c])
    inner = made.grad_fn.next_functions[0][0] if made.grad_fn.name() == "ViewBackward0" else made.grad_fn
    assert inner.next_functions[0][0].name() == "MmBackward0"  # (a b) c
    assert wg.allclose(made, a @ b @ c)


@pytest.mark.parametrize("dtype", [wg.float64, wg.complex128])
def test_factors_that_are_not_finite_give_systems_a_solution_that_is_not(dtype):
    factors = wg.ones(2, 5, 5, dtype=dtype).tril()
    factors[0, 2, 2] = float("nan")  # LAPACK took the whole batch for singular
    found = wg.cholesky_solve(wg.ones(2, 5, 3, dtype=dtype), factors)
    assert found[1].isfinite().all() and not found[0].isfinite().any()
    solved = wg.linalg.solve_triangular(factors, wg.ones(2, 5, 3, dtype=dtype), upper=False)
    assert solved[0, :2].isfinite().all() and not solved[0, 2:].isfinite().any() and solved[1].isfinite().all()
