"""The texts of errors of `out=` of a wrong dtype, which are torch's."""

from __future__ import annotations

from typing import Any

from . import errors
from .types.dtypes import bool_, dtype, uint8

EXACT = "Expected out tensor to have dtype {wanted_type}, but got {found_type} instead"
DECIDING = EXACT.replace("_type}", "_type:s}")
"""The same, of operators that compute in the dtype of `out`, unless they are asked for another."""
FOUND = "Found dtype {found} but expected {wanted}"

CROSSING = "Attempting to copy from device {} to device {}, but cross-device copies are not allowed!"
SCALAR = "expected scalar_type {wanted} but found {found}"
SCALAR_TYPE = "expected scalar type {wanted} but found {found}"
PAIRS = "tensordot: Expected the output tensor to have dtype {wanted}, but got an output tensor with dtype {found}"
OF_VECDOT = "linalg.vecdot: Expected out of dtype{wanted} but found {found}"
CHAIN = "multi_dot(): expected out tensor to have dtype {wanted_type} but got {found_type}"
NORM = "linalg.norm expected out tensor dtype {wanted} but got: {found}"
MATRIX_NORM = "linalg.matrix_norm expected out tensor dtype {wanted} but got: {found}"
PLACES = "nonzero: Expected out tensor to have scalar type {wanted} but got scalar type{found}"
OF_TRUTH = "only supports bool tensor for result, got: {found}"
QUANTILE = "quantile() out tensor must be same dtype as the input tensor"
HISTOGRAM = (
    "torch.histogram: input tensor and hist tensor should have the same dtype, but got input {wanted_type} and hist "
    "{found_type}"
)
MODE = (
    "expected scalar type '{wanted}' but got '{found}' for values output",
    "expected scalar type '{wanted}' but got '{found}' for indices output",
)
HASH = "Expected result to be of dtype uint64, but got {found}"

MATCHING = (
    "Expected the dtype for input and out to match, but got {wanted} for input's dtype and {found} for out's dtype."
)

KERNELS = {"unbind_copy": "unbind_copy_int_out", "split_copy": "split_copy_Tensor_out()"}
"""By the name of an operator of several results, torch's name of what writes them, where it is not called after it."""


OF_PRODUCT = "result dtype {found} does not match input dtype {wanted}"
OF_VECTOR = "addmv input tensors must have the same dtype, but got {found}, {wanted}, and {wanted}"
OF_BATCHES = "self and mat2 must have the same dtype, but got {found} and {wanted}"
OF_TAKEN = "take(): self and out expected to have the same dtype, but got self.dtype = {wanted} and out.dtype = {found}"
OF_SELECTED = "index_select(): self and result must have the same scalar type"
OF_REFLECTED = (
    "torch.ormqr: Expected input and result to have the same dtype, but input has dtype{wanted} and result has dtype "
    "{found}"
)

CASTABLE = "Expected result to be safely castable from {wanted} dtype, but got result with dtype {found}"
PART = "torch.{0}: Expected {1} to be safely castable from {{wanted}} dtype, but got {1} with dtype {{found}}"
JOINS = ("cat", "stack", "hstack", "vstack", "dstack", "column_stack", "row_stack", "concat", "concatenate")
"""What makes one tensor of several, and refuses with a TypeError."""

UNCASTABLE = {
    **{
        name: f"{shown}: {CASTABLE}"
        for name, shown in {
            "cholesky": "cholesky",
            "cholesky_inverse": "cholesky_inverse",
            "cholesky_solve": "cholesky_solve",
            "linalg_cond": "linalg.cond",
            "linalg_householder_product": "torch.linalg.householder_product",
            "linalg_matrix_power": "matrix_power",
            "linalg_matrix_rank": "torch.linalg.matrix_rank",
            "linalg_pinv": "linalg.pinv",
            "linalg_tensorinv": "tensorinv",
            "linalg_tensorsolve": "tensorsolve",
            "orgqr": "torch.linalg.householder_product",
        }.items()
    },
    "diag": "diag: result type {wanted} can't be cast to the desired out= type {found}",
    "geqrf": "torch.geqrf: Expected a to be safely castable from {wanted} dtype, but got a with dtype {found}",
    "ldexp": "ldexp can't be cast to the desired output type {found}",
    "linalg_eig": PART.format("linalg.eig", "eigenvalues"),
    "linalg_eigvals": PART.format("linalg.eigvals", "eigenvalues"),
    "linalg_lstsq": PART.format("linalg.lstsq", "solution"),
    "logsumexp": "logsumexp(): Expected floating point type for result tensor, but got: {found}",
    "mvlgamma": "mvlgamma: result type {wanted} can't be cast to the desired output type {found}",
    "normal": "\"normal_kernel_cpu\" not implemented for '{found}'",
    **dict.fromkeys(JOINS, "torch.cat(): input types can't be cast to the desired output type {found}"),
}
"""By the name of the operator, how an output is refused that is of a kind of numbers that cannot hold the result's."""

ROWS = {
    **dict.fromkeys(["cholesky", "cholesky_solve", "linalg_tensorinv"], "always"),
    **dict.fromkeys(
        ["cholesky_inverse", "geqrf", "linalg_eig", "linalg_householder_product", "linalg_lstsq", "orgqr", "ormqr"],
        "shrunk",
    ),
    **dict.fromkeys(
        [
            "fft_fft",
            "fft_hfft",
            "fft_hfftn",
            "fft_irfft",
            "fft_irfftn",
            "fft_rfft",
            "fft_rfftn",
            "fft_fftn",
            "fft_ifftn",
        ],
        "always",
    ),
}
"""Operators whose output is row-major once it is resized, always or if it had elements before."""

SILENT = frozenset(["addbmm", "bernoulli", "logsigmoid", "multinomial"])
"""Operators that resize their output without a warning."""

COPIED = frozenset(
    [
        "linalg_cond", "linalg_matrix_norm", "linalg_norm", "linalg_pinv", "linalg_tensorinv", "linalg_tensorsolve",
        "nuclear_norm", "tensordot",
    ]
)  # fmt: skip
"""Functions that copy their result into `out`, which is recorded."""

UNRECORDED = frozenset(
    [
        "_softmax", "_view_copy", "alias_copy", "as_strided_copy", "conj_physical", "diag", "diagonal_copy",
        "expand_copy", "floor_divide", "heaviside", "histogram", "linalg_eigvals", "linalg_ldl_factor",
        "linalg_ldl_factor_ex", "linalg_ldl_solve", "log_softmax", "permute_copy", "slice_scatter", "softmax",
        "split_with_sizes_copy", "squeeze_copy", "t_copy", "transpose_copy", "unbind_copy", "unfold_copy",
        "unsqueeze_copy",
    ]
)  # fmt: skip
"""Operators whose form with `out=` is none that torch differentiates, although there is one without."""

WRITERS = {
    "_frexp": "frexp", "_view_copy": "view_copy", "_where": "where", "cross": "linalg_cross", "diag": "diagonal_copy",
    "diff": "sub", "divide_rounded": "div", "fft_fft": "_fft_r2c", "fft_fftn": "_fft_c2c", "fft_hfft": "_fft_c2r",
    "fft_hfftn": "_fft_c2r", "fft_ifftn": "_fft_c2c", "fft_ihfftn": "_fft_c2c", "fft_irfft": "_fft_c2r",
    "fft_irfftn": "_fft_c2r", "fft_rfft": "_fft_r2c", "fft_rfftn": "_fft_r2c", "inverse": "linalg_inv_ex",
    "kron": "mul",
    "linalg_cholesky": "linalg_cholesky_ex", "linalg_det": "_linalg_det", "linalg_eigh": "_linalg_eigh",
    "linalg_eigvalsh": "_linalg_eigh", "linalg_inv": "linalg_inv_ex", "linalg_ldl_factor": "linalg_ldl_factor_ex",
    "linalg_lu_factor": "linalg_lu_factor_ex", "linalg_multi_dot": "mm", "linalg_slogdet": "_linalg_slogdet",
    "linalg_solve": "_linalg_solve_ex", "linalg_solve_ex": "_linalg_solve_ex", "linalg_svd": "_linalg_svd",
    "linalg_svdvals": "_linalg_svd", "linalg_vecdot": "vdot", "logsigmoid": "log_sigmoid_forward",
    "lu_solve": "linalg_lu_solve", "nanmean": "nansum", "norm": "linalg_vector_norm", "outer": "mul", "qr": "linalg_qr",
    "slogdet": "_linalg_slogdet", "square": "pow", "svd": "_linalg_svd", "take_along_dim": "gather",
    "true_divide": "div",
}  # fmt: skip
"""By the name of an operator, torch's name of what writes into `out`, where that is another one."""


def requires_grad(name: str, *, recorded: bool = True) -> str:
    """A call with `out=` that would have to be recorded, or whose output requires a gradient.

    Args:
        name: of the operator.
        recorded: whether torch has a derivative of it that could be recorded.
    """
    name = WRITERS.get(name, name.removesuffix("_along"))
    return (
        f"{name if recorded else f'aten::{name}'}(): functions with out=... arguments don't support automatic "
        "differentiation, but one of the arguments requires grad."
    )


def of_truth(name: str) -> Any:
    """How a truth value is written: into an output of bool or uint8 only."""
    return lambda args, found: None if found is bool_ or found is uint8 else f"{name} {OF_TRUTH}"


def uncastable(name: str, wanted: dtype, found: dtype) -> Exception:
    """The error of an output of a kind of numbers that cannot hold those of the result, `wanted`."""
    if name not in UNCASTABLE or (name == "ldexp" and wanted.is_complex and found.is_floating_point):
        return RuntimeError(errors.uncastable(wanted, found))
    kind = TypeError if name in JOINS else NotImplementedError if name == "normal" else RuntimeError
    return kind(of_dtype(UNCASTABLE[name], wanted, found))


def of_length(name: str, wanted: int, found: int) -> str:
    """Another number of outputs than of results."""
    return f"{KERNELS.get(name, f'{name}_out')} expected an out= argument of size {wanted}, got size {found}"


def of_layout(name: str, wanted: Any, found: Any) -> str:
    """An output that is sparse, or in another way, where the result is not."""
    return f"{name}: the result is of layout {wanted} and cannot be written into a tensor of layout {found}"


def of_dtype(words: str, wanted: dtype, found: dtype) -> str:
    """An output of another dtype than the result's, `wanted`, in the words of the operator."""
    return words.format(
        wanted=wanted.legacy[:-6], found=found.legacy[:-6], wanted_type=wanted.c_name, found_type=found.c_name
    )
