"""Linear algebra, as `torch.linalg` has it. Where NumPy lacks a factorisation (LU, LDL), SciPy is needed."""

from __future__ import annotations

from functools import partial
from operator import itemgetter
from types import FunctionType

from .ops import checked, functions_of, plain_case, return_types
from .ops.linalg import (
    cholesky as positive,
    eigen,
    inverse,
    least_squares,
    lu as triangles,
    powers,
    qr as orthogonal,
    singular,
    vectors,
)
from .ops.linalg.cholesky import linalg_cholesky as cholesky, linalg_cholesky_ex as cholesky_ex
from .ops.linalg.cross import linalg_cross as cross
from .ops.linalg.determinants import linalg_det as det, linalg_slogdet as slogdet
from .ops.linalg.eigen import eig, eigh, eigvals, eigvalsh
from .ops.linalg.inverse import inv, inv_ex
from .ops.linalg.ldl import ldl_factor, ldl_factor_ex, ldl_solve
from .ops.linalg.least_squares import lstsq, pinv, tensorinv, tensorsolve
from .ops.linalg.lu import linalg_lu as lu, linalg_lu_solve as lu_solve, lu_factor, lu_factor_ex
from .ops.linalg.matmul import matmul
from .ops.linalg.matrices import LinAlgError, as_view
from .ops.linalg.norms import cond, linalg_norm as norm, matrix_norm, matrix_rank
from .ops.linalg.powers import exponential as matrix_exp, linalg_matrix_power as matrix_power, multi_dot
from .ops.linalg.qr import linalg_qr as qr
from .ops.linalg.reflections import householder_product
from .ops.linalg.singular import linalg_svd as svd, svdvals
from .ops.linalg.solve import solve, solve_ex, solve_triangular, solved_ex, triangular
from .ops.linalg.vectors import diagonal, linalg_vander as vander, vecdot
from .ops.reductions.vector_norm import frobenius_arguments, vector_norm

__all__ = [
    "LinAlgError",
    "cholesky",
    "cholesky_ex",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "householder_product",
    "inv",
    "inv_ex",
    "ldl_factor",
    "ldl_factor_ex",
    "ldl_solve",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_factor_ex",
    "lu_solve",
    "matmul",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_ex",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensorinv",
    "tensorsolve",
    "vander",
    "vecdot",
    "vector_norm",
]

plain = partial(plain_case, module=__name__)
first = itemgetter(0)
cholesky = plain(cholesky, positive.factored, then=(first,))
eigvalsh = plain(eigvalsh, eigen.spectrum, native=eigen.of_values, then=(first,))
inv = plain(inv, inverse.inverted, then=(first,))
lstsq = plain(lstsq, least_squares.fitted, then=(return_types.linalg_lstsq,))
lu_factor = plain(lu_factor, triangles.packed, then=(itemgetter(slice(2)), return_types.linalg_lu_factor))
pinv = plain(pinv, least_squares.inverted)
qr = plain(qr, orthogonal.factored, then=(return_types.linalg_qr,))
solve = plain(solve, solved_ex, then=(first,))
solve_triangular = plain(solve_triangular, triangular)
svdvals = plain(svdvals, singular.decomposed, native=singular.of_values, then=(itemgetter(1),))

matrix_norm = plain(matrix_norm, vector_norm, translate=frobenius_arguments, card="linalg_matrix_norm")
matrix_power = plain(matrix_power, arrays=powers.power_of_array, needs=(powers.product,))
multi_dot = plain(
    multi_dot, arrays=powers.chained_arrays, needs=(powers.product,), then=(as_view,), card="linalg_multi_dot"
)
vecdot = plain(vecdot, arrays=vectors.dots_of_arrays, needs=vectors.NATIVE, card="linalg_vecdot")

functions = {
    name: function for name, function in globals().items() if name in __all__ and isinstance(function, FunctionType)
}
globals().update({name: checked(name, function, module=__name__) for name, function in functions.items()})
globals().update(functions_of({name: globals()[name] for name in __all__}, __name__))
