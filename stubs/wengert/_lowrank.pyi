# Made by tools/make_stub.py; do not edit.
from wengert._torch._lowrank import (
    get_approximate_basis as get_approximate_basis,
    pca_lowrank as pca_lowrank,
    svd_lowrank as svd_lowrank,
)
