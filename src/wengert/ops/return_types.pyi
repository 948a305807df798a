# Made by tools/make_stub.py; do not edit.
from typing import Any

from wengert._core.tensor.base import Tensor

def return_type(name: str, fields: tuple[str, ...]) -> type[tuple[Any, ...]]: ...
def named(cls: Any, results: Any, out: Any) -> Any: ...

class max(tuple[Tensor, Tensor]):
    __match_args__ = ("values", "indices")
    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...

class min(tuple[Tensor, Tensor]):
    __match_args__ = ("values", "indices")
    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...

class aminmax(tuple[Tensor, Tensor]):
    __match_args__ = ("min", "max")
    @property
    def min(self) -> Tensor: ...
    @property
    def max(self) -> Tensor: ...

class frexp(tuple[Tensor, Tensor]):
    __match_args__ = ("mantissa", "exponent")
    @property
    def mantissa(self) -> Tensor: ...
    @property
    def exponent(self) -> Tensor: ...

class sort(tuple[Tensor, Tensor]):
    __match_args__ = ("values", "indices")
    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...

class topk(tuple[Tensor, Tensor]):
    __match_args__ = ("values", "indices")
    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...

class kthvalue(tuple[Tensor, Tensor]):
    __match_args__ = ("values", "indices")
    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...

class median(tuple[Tensor, Tensor]):
    __match_args__ = ("values", "indices")
    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...

class nanmedian(tuple[Tensor, Tensor]):
    __match_args__ = ("values", "indices")
    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...

class mode(tuple[Tensor, Tensor]):
    __match_args__ = ("values", "indices")
    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...

class cummax(tuple[Tensor, Tensor]):
    __match_args__ = ("values", "indices")
    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...

class cummin(tuple[Tensor, Tensor]):
    __match_args__ = ("values", "indices")
    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...

class histogram(tuple[Tensor, Tensor]):
    __match_args__ = ("hist", "bin_edges")
    @property
    def hist(self) -> Tensor: ...
    @property
    def bin_edges(self) -> Tensor: ...

class histogramdd(tuple[Tensor, tuple[Tensor, ...]]):
    __match_args__ = ("hist", "bin_edges")
    @property
    def hist(self) -> Tensor: ...
    @property
    def bin_edges(self) -> tuple[Tensor, ...]: ...

class linalg_inv_ex(tuple[Tensor, Tensor]):
    __match_args__ = ("inverse", "info")
    @property
    def inverse(self) -> Tensor: ...
    @property
    def info(self) -> Tensor: ...

class linalg_solve_ex(tuple[Tensor, Tensor]):
    __match_args__ = ("result", "info")
    @property
    def result(self) -> Tensor: ...
    @property
    def info(self) -> Tensor: ...

class linalg_cholesky_ex(tuple[Tensor, Tensor]):
    __match_args__ = ("L", "info")
    @property
    def L(self) -> Tensor: ...
    @property
    def info(self) -> Tensor: ...

class linalg_slogdet(tuple[Tensor, Tensor]):
    __match_args__ = ("sign", "logabsdet")
    @property
    def sign(self) -> Tensor: ...
    @property
    def logabsdet(self) -> Tensor: ...

class slogdet(tuple[Tensor, Tensor]):
    __match_args__ = ("sign", "logabsdet")
    @property
    def sign(self) -> Tensor: ...
    @property
    def logabsdet(self) -> Tensor: ...

class linalg_qr(tuple[Tensor, Tensor]):
    __match_args__ = ("Q", "R")
    @property
    def Q(self) -> Tensor: ...
    @property
    def R(self) -> Tensor: ...

class qr(tuple[Tensor, Tensor]):
    __match_args__ = ("Q", "R")
    @property
    def Q(self) -> Tensor: ...
    @property
    def R(self) -> Tensor: ...

class geqrf(tuple[Tensor, Tensor]):
    __match_args__ = ("a", "tau")
    @property
    def a(self) -> Tensor: ...
    @property
    def tau(self) -> Tensor: ...

class linalg_eigh(tuple[Tensor, Tensor]):
    __match_args__ = ("eigenvalues", "eigenvectors")
    @property
    def eigenvalues(self) -> Tensor: ...
    @property
    def eigenvectors(self) -> Tensor: ...

class linalg_eig(tuple[Tensor, Tensor]):
    __match_args__ = ("eigenvalues", "eigenvectors")
    @property
    def eigenvalues(self) -> Tensor: ...
    @property
    def eigenvectors(self) -> Tensor: ...

class linalg_svd(tuple[Tensor, Tensor, Tensor]):
    __match_args__ = ("U", "S", "Vh")
    @property
    def U(self) -> Tensor: ...
    @property
    def S(self) -> Tensor: ...
    @property
    def Vh(self) -> Tensor: ...

class svd(tuple[Tensor, Tensor, Tensor]):
    __match_args__ = ("U", "S", "V")
    @property
    def U(self) -> Tensor: ...
    @property
    def S(self) -> Tensor: ...
    @property
    def V(self) -> Tensor: ...

class linalg_lstsq(tuple[Tensor, Tensor, Tensor, Tensor]):
    __match_args__ = ("solution", "residuals", "rank", "singular_values")
    @property
    def solution(self) -> Tensor: ...
    @property
    def residuals(self) -> Tensor: ...
    @property
    def rank(self) -> Tensor: ...
    @property
    def singular_values(self) -> Tensor: ...

class linalg_lu(tuple[Tensor, Tensor, Tensor]):
    __match_args__ = ("P", "L", "U")
    @property
    def P(self) -> Tensor: ...
    @property
    def L(self) -> Tensor: ...
    @property
    def U(self) -> Tensor: ...

class linalg_lu_factor(tuple[Tensor, Tensor]):
    __match_args__ = ("LU", "pivots")
    @property
    def LU(self) -> Tensor: ...
    @property
    def pivots(self) -> Tensor: ...

class linalg_lu_factor_ex(tuple[Tensor, Tensor, Tensor]):
    __match_args__ = ("LU", "pivots", "info")
    @property
    def LU(self) -> Tensor: ...
    @property
    def pivots(self) -> Tensor: ...
    @property
    def info(self) -> Tensor: ...

class lu_unpack(tuple[Tensor, Tensor, Tensor]):
    __match_args__ = ("P", "L", "U")
    @property
    def P(self) -> Tensor: ...
    @property
    def L(self) -> Tensor: ...
    @property
    def U(self) -> Tensor: ...

class linalg_ldl_factor(tuple[Tensor, Tensor]):
    __match_args__ = ("LD", "pivots")
    @property
    def LD(self) -> Tensor: ...
    @property
    def pivots(self) -> Tensor: ...

class linalg_ldl_factor_ex(tuple[Tensor, Tensor, Tensor]):
    __match_args__ = ("LD", "pivots", "info")
    @property
    def LD(self) -> Tensor: ...
    @property
    def pivots(self) -> Tensor: ...
    @property
    def info(self) -> Tensor: ...

class triangular_solve(tuple[Tensor, Tensor]):
    __match_args__ = ("solution", "cloned_coefficient")
    @property
    def solution(self) -> Tensor: ...
    @property
    def cloned_coefficient(self) -> Tensor: ...
