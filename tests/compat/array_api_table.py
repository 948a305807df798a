"""The functions of the array API standard 2024.12: their parameters, the dtypes they take and the dtype they give.

A line is a signature, the kind of dtypes for which the standard defines the function, and the dtype of the result:
"same" as the operand, "promoted" of both operands, "real" (that of a complex number's parts), "summed" (64 bits for
smaller integers), "complex" (the dtype whose parts have that of the operand), a dtype, or "-" where no array is
returned or it depends on more than dtypes.
"""

from __future__ import annotations

SIGNATURES = """
abs(x, /)                                                                   numeric           real
acos(x, /)                                                                  floating          same
acosh(x, /)                                                                 floating          same
add(x1, x2, /)                                                              numeric           promoted
all(x, /, *, axis=None, keepdims=False)                                     any               bool
any(x, /, *, axis=None, keepdims=False)                                     any               bool
arange(start, /, stop=None, step=1, *, dtype=None, device=None)             -                 -
argmax(x, /, *, axis=None, keepdims=False)                                  real              int64
argmin(x, /, *, axis=None, keepdims=False)                                  real              int64
argsort(x, /, *, axis=-1, descending=False, stable=True)                    real              int64
asarray(obj, /, *, dtype=None, device=None, copy=None)                      any               same
asin(x, /)                                                                  floating          same
asinh(x, /)                                                                 floating          same
astype(x, dtype, /, *, copy=True, device=None)                              -                 -
atan(x, /)                                                                  floating          same
atan2(x1, x2, /)                                                            real_floating     promoted
atanh(x, /)                                                                 floating          same
bitwise_and(x1, x2, /)                                                      bits              promoted
bitwise_invert(x, /)                                                        bits              same
bitwise_left_shift(x1, x2, /)                                               integer           promoted
bitwise_or(x1, x2, /)                                                       bits              promoted
bitwise_right_shift(x1, x2, /)                                              integer           promoted
bitwise_xor(x1, x2, /)                                                      bits              promoted
broadcast_arrays(*arrays)                                                   -                 -
broadcast_to(x, /, shape)                                                   any               same
can_cast(from_, to, /)                                                      -                 -
ceil(x, /)                                                                  real              same
clip(x, /, min=None, max=None)                                              real              same
concat(arrays, /, *, axis=0)                                                any               promoted
conj(x, /)                                                                  numeric           same
copysign(x1, x2, /)                                                         real_floating     promoted
cos(x, /)                                                                   floating          same
cosh(x, /)                                                                  floating          same
count_nonzero(x, /, *, axis=None, keepdims=False)                           any               int64
cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False)      numeric           summed
cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False)       numeric           summed
diff(x, /, *, axis=-1, n=1, prepend=None, append=None)                      numeric           same
divide(x1, x2, /)                                                           floating          promoted
empty(shape, *, dtype=None, device=None)                                    -                 -
empty_like(x, /, *, dtype=None, device=None)                                any               same
equal(x1, x2, /)                                                            any               bool
exp(x, /)                                                                   floating          same
expand_dims(x, /, axis=0)                                                   any               same
expm1(x, /)                                                                 floating          same
eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None)                -                 -
finfo(type, /)                                                              -                 -
flip(x, /, *, axis=None)                                                    any               same
floor(x, /)                                                                 real              same
floor_divide(x1, x2, /)                                                     real              promoted
from_dlpack(x, /, *, device=None, copy=None)                                any               same
full(shape, fill_value, *, dtype=None, device=None)                         -                 -
full_like(x, /, fill_value, *, dtype=None, device=None)                     any               same
greater(x1, x2, /)                                                          real              bool
greater_equal(x1, x2, /)                                                    real              bool
hypot(x1, x2, /)                                                            real_floating     promoted
iinfo(type, /)                                                              -                 -
imag(x, /)                                                                  complex           real
isdtype(dtype, kind)                                                        -                 -
isfinite(x, /)                                                              numeric           bool
isinf(x, /)                                                                 numeric           bool
isnan(x, /)                                                                 numeric           bool
less(x1, x2, /)                                                             real              bool
less_equal(x1, x2, /)                                                       real              bool
linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True)    -                 -
log(x, /)                                                                   floating          same
log10(x, /)                                                                 floating          same
log1p(x, /)                                                                 floating          same
log2(x, /)                                                                  floating          same
logaddexp(x1, x2, /)                                                        real_floating     promoted
logical_and(x1, x2, /)                                                      bool              bool
logical_not(x, /)                                                           bool              bool
logical_or(x1, x2, /)                                                       bool              bool
logical_xor(x1, x2, /)                                                      bool              bool
matmul(x1, x2, /)                                                           numeric           promoted
matrix_transpose(x, /)                                                      any               same
max(x, /, *, axis=None, keepdims=False)                                     real              same
maximum(x1, x2, /)                                                          real              promoted
mean(x, /, *, axis=None, keepdims=False)                                    floating          same
meshgrid(*arrays, indexing="xy")                                            -                 -
min(x, /, *, axis=None, keepdims=False)                                     real              same
minimum(x1, x2, /)                                                          real              promoted
moveaxis(x, source, destination, /)                                         any               same
multiply(x1, x2, /)                                                         numeric           promoted
negative(x, /)                                                              numeric           same
nextafter(x1, x2, /)                                                        real_floating     promoted
nonzero(x, /)                                                               any               int64
not_equal(x1, x2, /)                                                        any               bool
ones(shape, *, dtype=None, device=None)                                     -                 -
ones_like(x, /, *, dtype=None, device=None)                                 any               same
permute_dims(x, /, axes)                                                    any               same
positive(x, /)                                                              numeric           same
pow(x1, x2, /)                                                              numeric           promoted
prod(x, /, *, axis=None, dtype=None, keepdims=False)                        numeric           summed
real(x, /)                                                                  numeric           real
reciprocal(x, /)                                                            floating          same
remainder(x1, x2, /)                                                        real              promoted
repeat(x, repeats, /, *, axis=None)                                         any               same
reshape(x, /, shape, *, copy=None)                                          any               same
result_type(*arrays_and_dtypes)                                             -                 -
roll(x, /, shift, *, axis=None)                                             any               same
round(x, /)                                                                 numeric           same
searchsorted(x1, x2, /, *, side="left", sorter=None)                        real              int64
sign(x, /)                                                                  numeric           same
signbit(x, /)                                                               real_floating     bool
sin(x, /)                                                                   floating          same
sinh(x, /)                                                                  floating          same
sort(x, /, *, axis=-1, descending=False, stable=True)                       real              same
sqrt(x, /)                                                                  floating          same
square(x, /)                                                                numeric           same
squeeze(x, /, axis)                                                         any               same
stack(arrays, /, *, axis=0)                                                 any               promoted
std(x, /, *, axis=None, correction=0.0, keepdims=False)                     real_floating     same
subtract(x1, x2, /)                                                         numeric           promoted
sum(x, /, *, axis=None, dtype=None, keepdims=False)                         numeric           summed
take(x, indices, /, *, axis=None)                                           any               same
take_along_axis(x, indices, /, *, axis=-1)                                  any               same
tan(x, /)                                                                   floating          same
tanh(x, /)                                                                  floating          same
tensordot(x1, x2, /, *, axes=2)                                             numeric           promoted
tile(x, repetitions, /)                                                     any               same
tril(x, /, *, k=0)                                                          any               same
triu(x, /, *, k=0)                                                          any               same
trunc(x, /)                                                                 real              same
unique_all(x, /)                                                            any               -
unique_counts(x, /)                                                         any               -
unique_inverse(x, /)                                                        any               -
unique_values(x, /)                                                         any               same
unstack(x, /, *, axis=0)                                                    any               same
var(x, /, *, axis=None, correction=0.0, keepdims=False)                     real_floating     same
vecdot(x1, x2, /, *, axis=-1)                                               numeric           promoted
where(condition, x1, x2, /)                                                 any               promoted
zeros(shape, *, dtype=None, device=None)                                    -                 -
zeros_like(x, /, *, dtype=None, device=None)                                any               same
linalg.cholesky(x, /, *, upper=False)                                       floating          same
linalg.cross(x1, x2, /, *, axis=-1)                                         numeric           promoted
linalg.det(x, /)                                                            floating          same
linalg.diagonal(x, /, *, offset=0)                                          any               same
linalg.eigh(x, /)                                                           floating          -
linalg.eigvalsh(x, /)                                                       floating          real
linalg.inv(x, /)                                                            floating          same
linalg.matmul(x1, x2, /)                                                    numeric           promoted
linalg.matrix_norm(x, /, *, keepdims=False, ord="fro")                      floating          real
linalg.matrix_power(x, n, /)                                                floating          same
linalg.matrix_rank(x, /, *, rtol=None)                                      floating          int64
linalg.matrix_transpose(x, /)                                               any               same
linalg.outer(x1, x2, /)                                                     numeric           promoted
linalg.pinv(x, /, *, rtol=None)                                             floating          same
linalg.qr(x, /, *, mode="reduced")                                          floating          same
linalg.slogdet(x, /)                                                        floating          -
linalg.solve(x1, x2, /)                                                     floating          promoted
linalg.svd(x, /, *, full_matrices=True)                                     floating          -
linalg.svdvals(x, /)                                                        floating          real
linalg.tensordot(x1, x2, /, *, axes=2)                                      numeric           promoted
linalg.trace(x, /, *, offset=0, dtype=None)                                 numeric           summed
linalg.vecdot(x1, x2, /, *, axis=-1)                                        numeric           promoted
linalg.vector_norm(x, /, *, axis=None, keepdims=False, ord=2)               floating          real
fft.fft(x, /, *, n=None, axis=-1, norm="backward")                          complex           same
fft.fftfreq(n, /, *, d=1.0, dtype=None, device=None)                        -                 -
fft.fftn(x, /, *, s=None, axes=None, norm="backward")                       complex           same
fft.fftshift(x, /, *, axes=None)                                            floating          same
fft.hfft(x, /, *, n=None, axis=-1, norm="backward")                         complex           real
fft.ifft(x, /, *, n=None, axis=-1, norm="backward")                         complex           same
fft.ifftn(x, /, *, s=None, axes=None, norm="backward")                      complex           same
fft.ifftshift(x, /, *, axes=None)                                           floating          same
fft.ihfft(x, /, *, n=None, axis=-1, norm="backward")                        real_floating     complex
fft.irfft(x, /, *, n=None, axis=-1, norm="backward")                        complex           real
fft.irfftn(x, /, *, s=None, axes=None, norm="backward")                     complex           real
fft.rfft(x, /, *, n=None, axis=-1, norm="backward")                         real_floating     complex
fft.rfftfreq(n, /, *, d=1.0, dtype=None, device=None)                       -                 -
fft.rfftn(x, /, *, s=None, axes=None, norm="backward")                      real_floating     complex
"""

CONSTANTS = ("e", "inf", "nan", "newaxis", "pi")

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
REAL = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
KINDS = {
    "bool": ("bool",),
    "integer": SIGNED + UNSIGNED,
    "bits": ("bool", *SIGNED, *UNSIGNED),
    "real": SIGNED + UNSIGNED + REAL,
    "real_floating": REAL,
    "complex": COMPLEX,
    "floating": REAL + COMPLEX,
    "numeric": SIGNED + UNSIGNED + REAL + COMPLEX,
    "any": ("bool", *SIGNED, *UNSIGNED, *REAL, *COMPLEX),
}

PROMOTIONS = """
        int8    int16   int32   int64   uint8   uint16  uint32  uint64
int8    int8    int16   int32   int64   int16   int32   int64   -
int16   int16   int16   int32   int64   int16   int32   int64   -
int32   int32   int32   int32   int64   int32   int32   int64   -
int64   int64   int64   int64   int64   int64   int64   int64   -
uint8   int16   int16   int32   int64   uint8   uint16  uint32  uint64
uint16  int32   int32   int32   int64   uint16  uint16  uint32  uint64
uint32  int64   int64   int64   int64   uint32  uint32  uint32  uint64
uint64  -       -       -       -       uint64  uint64  uint64  uint64

            float32     float64     complex64   complex128
float32     float32     float64     complex64   complex128
float64     float64     float64     complex128  complex128
complex64   complex64   complex128  complex64   complex128
complex128  complex128  complex128  complex128  complex128

        bool
bool    bool
"""


def promotions() -> dict[tuple[str, str], str | None]:
    """Return what each pair of dtypes of one kind promotes to, None where the standard has no dtype."""
    table: dict[tuple[str, str], str | None] = {}
    for block in PROMOTIONS.strip("\n").split("\n\n"):
        heads, *rows = (line.split() for line in block.splitlines())
        for row in rows:
            for head, dtype in zip(heads, row[1:]):
                table[row[0], head] = None if dtype == "-" else dtype
    return table


def functions() -> list[tuple[str, str, str, str]]:
    """Return name, parameters, kind of dtypes and dtype of the result of each function."""
    result = []
    for line in SIGNATURES.strip().splitlines():
        signature, kind, dtype = line.rsplit(maxsplit=2)
        name, parameters = signature.strip().split("(", 1)
        result.append((name, parameters.removesuffix(")"), kind, dtype))
    return result
