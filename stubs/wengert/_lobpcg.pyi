# Made by tools/make_stub.py; do not edit.
from wengert._torch._lobpcg import (
    DEFAULT_TOLERANCE as DEFAULT_TOLERANCE,
    LOBPCG as LOBPCG,
    LOBPCGAutogradFunction as LOBPCGAutogradFunction,
    check_operand as check_operand,
    lobpcg as lobpcg,
    matmul as matmul,
    matmul_t as matmul_t,
    norm as norm,
    orthonormal as orthonormal,
    sizes_of as sizes_of,
    solved as solved,
    solved_all as solved_all,
)
