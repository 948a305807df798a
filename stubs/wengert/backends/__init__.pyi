# Made by tools/make_stub.py; do not edit.
from wengert._torch.backends import (
    cpu as cpu,
    cuda as cuda,
    cudnn as cudnn,
    mkl as mkl,
    mkldnn as mkldnn,
    mps as mps,
    openmp as openmp,
    opt_einsum as opt_einsum,
    quantized as quantized,
)
import typing

def __getattr__(name: str) -> typing.Any: ...
