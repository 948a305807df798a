# Made by tools/make_stub.py; do not edit.
from wengert._torch._linalg_utils import (
    basis as basis,
    bform as bform,
    conjugate as conjugate,
    get_floating_dtype as get_floating_dtype,
    is_sparse as is_sparse,
    matmul as matmul,
    qform as qform,
    symeig as symeig,
    transjugate as transjugate,
    transpose as transpose,
)
