# Made from the operators' cards by tools/make_stub.py; do not edit.
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Sequence
from typing import Any, Literal, TypeGuard, overload

from numpy import ndarray

from wengert import (
    autograd as autograd,
    compat as compat,
    func as func,
    io as io,
    nn as nn,
    ops as ops,
    optim as optim,
    scipy as scipy,
    utils as utils,
    vision as vision,
    viz as viz,
)
from wengert._core.state.grad_mode import (
    enable_grad as enable_grad,
    inference_mode as inference_mode,
    is_grad_enabled as is_grad_enabled,
    is_inference_mode_enabled as is_inference_mode_enabled,
    no_grad as no_grad,
    set_grad_enabled as set_grad_enabled,
)
from wengert._core.tensor.base import Tensor as Tensor, _Ints, _Number, _Operand
from wengert._core.types.devices import (
    device as _device,
    device as device,
    layout as _layout,
    layout as layout,
    memory_format as _memory_format,
    memory_format as memory_format,
)
from wengert._core.types.dtypes import (
    can_cast as can_cast,
    dtype as _dtype,
    dtype as dtype,
    finfo as finfo,
    get_default_dtype as get_default_dtype,
    iinfo as iinfo,
    promote_types as promote_types,
    set_default_dtype as set_default_dtype,
)
from wengert._core.types.sizes import Size as Size
from wengert._kernels import get_num_threads as get_num_threads, set_num_threads as set_num_threads
from wengert.autograd.anomaly_mode import (
    is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled,
    is_anomaly_enabled as is_anomaly_enabled,
    set_anomaly_enabled as set_anomaly_enabled,
)
from wengert.func.vmap import vmap as vmap
from wengert.ops import return_types
from wengert.ops.memory.storages import TypedStorage as TypedStorage, UntypedStorage as UntypedStorage
from wengert.ops.randomness.generator import Generator as Generator
from wengert.printing import set_printoptions as set_printoptions
from wengert.questions import is_inference as is_inference, numel as numel, result_type as result_type

__version__: str
LAYERS: tuple
bool: _dtype
cdouble: _dtype
cfloat: _dtype
channels_last: _memory_format
channels_last_3d: _memory_format
complex128: _dtype
complex64: _dtype
contiguous_format: _memory_format
double: _dtype
e: _float
float: _dtype
float16: _dtype
float32: _dtype
float64: _dtype
half: _dtype
inf: _float
int: _dtype
int16: _dtype
int32: _dtype
int64: _dtype
int8: _dtype
long: _dtype
nan: _float
pi: _float
preserve_format: _memory_format
short: _dtype
strided: _layout
uint16: _dtype
uint32: _dtype
uint64: _dtype
uint8: _dtype

def abs(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def absolute(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def acos(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def acosh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def adaptive_avg_pool1d(input: Tensor, output_size: _Ints) -> Tensor: ...
def add(input: _Operand, other: _Operand, *, alpha: _Number = 1, out: Tensor | None = None) -> Tensor: ...
def addbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: _Number = 1, alpha: _Number = 1, out: Tensor | None = None
) -> Tensor: ...
def addcdiv(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: _Number = 1, out: Tensor | None = None
) -> Tensor: ...
def addcmul(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: _Number = 1, out: Tensor | None = None
) -> Tensor: ...
def addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: _Number = 1, alpha: _Number = 1, out: Tensor | None = None
) -> Tensor: ...
def addmv(
    input: Tensor, mat: Tensor, vec: Tensor, *, beta: _Number = 1, alpha: _Number = 1, out: Tensor | None = None
) -> Tensor: ...
def adjoint(input: Tensor) -> Tensor: ...
def all(input: Tensor, dim: _Ints | None = None, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor: ...
def allclose(
    input: Tensor, other: Tensor, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False
) -> _bool: ...
def alpha_dropout(input: Tensor, p: _float = 0.5, training: _bool = False, inplace: _bool = False) -> Tensor: ...
def amax(input: Tensor, dim: _Ints = (), keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor: ...
def amin(input: Tensor, dim: _Ints = (), keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor: ...
def aminmax(input: Tensor, *, dim: _int | None = None, keepdim: _bool = False) -> return_types.aminmax: ...
def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def any(input: Tensor, dim: _Ints | None = None, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor: ...
@overload
def arange(
    end: _Number,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def arange(
    start: _Number,
    end: _Number,
    step: _Number = 1,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def arccos(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arccosh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arcsin(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arcsinh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arctan(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arctan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arctanh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def argmax(input: Tensor, dim: _int | None = None, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor: ...
def argmin(input: Tensor, dim: _int | None = None, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor: ...
def argwhere(input: Tensor) -> Tensor: ...
def as_strided(
    input: Tensor, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None
) -> Tensor: ...
def as_tensor(data: Any, dtype: _dtype | None = None, device: _device | str | None = None) -> Tensor: ...
def asarray(
    obj: Any,
    *,
    dtype: _dtype | None = None,
    device: _device | str | None = None,
    copy: _bool | None = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def asin(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def asinh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def atan(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def atan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def atanh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def atleast_1d(tensor: Tensor, /) -> Tensor: ...
@overload
def atleast_1d(tensors: Sequence[Tensor], /) -> tuple[Tensor, ...]: ...
@overload
def atleast_1d(first: Tensor, second: Tensor, /, *others: Tensor) -> tuple[Tensor, ...]: ...
@overload
def atleast_2d(tensor: Tensor, /) -> Tensor: ...
@overload
def atleast_2d(tensors: Sequence[Tensor], /) -> tuple[Tensor, ...]: ...
@overload
def atleast_2d(first: Tensor, second: Tensor, /, *others: Tensor) -> tuple[Tensor, ...]: ...
@overload
def atleast_3d(tensor: Tensor, /) -> Tensor: ...
@overload
def atleast_3d(tensors: Sequence[Tensor], /) -> tuple[Tensor, ...]: ...
@overload
def atleast_3d(first: Tensor, second: Tensor, /, *others: Tensor) -> tuple[Tensor, ...]: ...
def avg_pool1d(
    input: Tensor,
    kernel_size: _Ints,
    stride: _Ints | None = None,
    padding: _Ints = 0,
    ceil_mode: _bool = False,
    count_include_pad: _bool = True,
) -> Tensor: ...
def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: _Number = 1, alpha: _Number = 1, out: Tensor | None = None
) -> Tensor: ...
def bernoulli(
    input: Tensor, p: _float | None = None, *, generator: Generator | None = None, out: Tensor | None = None
) -> Tensor: ...
def bitwise_and(input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def bitwise_not(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def bitwise_or(input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def bitwise_xor(input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def broadcast_shapes(*shapes: _Ints) -> Size: ...
@overload
def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]: ...
@overload
def broadcast_tensors(tensors: Sequence[Tensor], /) -> tuple[Tensor, ...]: ...
@overload
def broadcast_to(input: Tensor, *size: _int) -> Tensor: ...
@overload
def broadcast_to(input: Tensor, size: Sequence[_int], /) -> Tensor: ...
def cat(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor: ...
def ceil(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def celu(input: Tensor, alpha: _float = 1.0, *, out: Tensor | None = None) -> Tensor: ...
def chunk(input: Tensor, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]: ...
def clamp(
    input: _Operand, min: _Operand | None = None, max: _Operand | None = None, *, out: Tensor | None = None
) -> Tensor: ...
def clamp_max(input: _Operand, max: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def clamp_min(input: _Operand, min: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def clip(
    input: _Operand, min: _Operand | None = None, max: _Operand | None = None, *, out: Tensor | None = None
) -> Tensor: ...
def clone(input: Tensor, *, memory_format: _memory_format | None = None, out: Tensor | None = None) -> Tensor: ...
def column_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor: ...
def complex(real: Tensor, imag: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def concat(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor: ...
def concatenate(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor: ...
def conj(input: Tensor) -> Tensor: ...
def conj_physical(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def constant_pad_nd(input: Tensor, pad: Sequence[_int], value: _Number = 0, *, out: Tensor | None = None) -> Tensor: ...
def contiguous(input: Tensor, memory_format: _memory_format = ...) -> Tensor: ...
def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _Ints = 1,
    padding: _Ints | str = 0,
    dilation: _Ints = 1,
    groups: _int = 1,
) -> Tensor: ...
def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _Ints = 1,
    padding: _Ints | str = 0,
    dilation: _Ints = 1,
    groups: _int = 1,
) -> Tensor: ...
def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _Ints = 1,
    padding: _Ints | str = 0,
    dilation: _Ints = 1,
    groups: _int = 1,
) -> Tensor: ...
def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _Ints = 1,
    padding: _Ints = 0,
    output_padding: _Ints = 0,
    groups: _int = 1,
    dilation: _Ints = 1,
) -> Tensor: ...
def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _Ints = 1,
    padding: _Ints = 0,
    output_padding: _Ints = 0,
    groups: _int = 1,
    dilation: _Ints = 1,
) -> Tensor: ...
def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _Ints = 1,
    padding: _Ints = 0,
    output_padding: _Ints = 0,
    groups: _int = 1,
    dilation: _Ints = 1,
) -> Tensor: ...
def convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _Ints = (1,),
    padding: _Ints = (0,),
    dilation: _Ints = (1,),
    transposed: _bool = False,
    output_padding: _Ints = (0,),
    groups: _int = 1,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def cos(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def cosh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def count_nonzero(input: Tensor, dim: _Ints | None = None, *, out: Tensor | None = None) -> Tensor: ...
def cumprod(input: Tensor, dim: _int, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor: ...
def cumsum(input: Tensor, dim: _int, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor: ...
def diag(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor: ...
def diag_embed(
    input: Tensor, offset: _int = 0, dim1: _int = -2, dim2: _int = -1, *, out: Tensor | None = None
) -> Tensor: ...
def diagflat(input: Tensor, offset: _int = 0) -> Tensor: ...
def diagonal(input: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor: ...
def div(input: _Operand, other: _Operand, *, rounding_mode: str | None = None, out: Tensor | None = None) -> Tensor: ...
def divide(
    input: _Operand, other: _Operand, *, rounding_mode: str | None = None, out: Tensor | None = None
) -> Tensor: ...
def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def dropout(input: Tensor, p: _float = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor: ...
def dsplit(input: Tensor, indices_or_sections: _Ints | Tensor) -> tuple[Tensor, ...]: ...
def dstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor: ...
def embedding(
    weight: Tensor,
    indices: Tensor,
    padding_idx: _int = -1,
    scale_grad_by_freq: _bool = False,
    sparse: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def empty(
    *sizes: _int,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
@overload
def empty(
    size: Sequence[_int],
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
def empty_like(
    input: Tensor,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
def empty_strided(
    size: Sequence[_int],
    stride: Sequence[_int],
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def eq(input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def equal(input: Tensor, other: Tensor) -> _bool: ...
def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def expand(input: Tensor, *size: _int, implicit: _bool = False) -> Tensor: ...
@overload
def expand(input: Tensor, size: Sequence[_int], *, implicit: _bool = False) -> Tensor: ...
def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def eye(
    n: _int,
    m: _int | None = None,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def feature_alpha_dropout(
    input: Tensor, p: _float = 0.5, training: _bool = False, inplace: _bool = False
) -> Tensor: ...
def feature_dropout(input: Tensor, p: _float = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor: ...
def fill(input: Tensor, value: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def fix(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def flatten(input: Tensor, start_dim: _int = 0, end_dim: _int = -1) -> Tensor: ...
@overload
def flip(input: Tensor, *dims: _int, out: Tensor | None = None) -> Tensor: ...
@overload
def flip(input: Tensor, dims: Sequence[_int], *, out: Tensor | None = None) -> Tensor: ...
def fliplr(input: Tensor) -> Tensor: ...
def flipud(input: Tensor) -> Tensor: ...
def floor(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def floor_divide(input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def fmax(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def fmin(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def fmod(input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def frac(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def from_dlpack(ext_tensor: Any) -> Tensor: ...
def from_numpy(ndarray: ndarray[Any, Any]) -> Tensor: ...
def frombuffer(
    buffer: Any, *, dtype: _dtype, count: _int = -1, offset: _int = 0, requires_grad: _bool = False
) -> Tensor: ...
def full(
    size: Sequence[_int],
    fill_value: _Number,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def full_like(
    input: Tensor,
    fill_value: _Number,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
def gather(
    input: Tensor, dim: _int, index: Tensor, *, sparse_grad: _bool = False, out: Tensor | None = None
) -> Tensor: ...
def ge(input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def get_rng_state() -> Tensor: ...
def greater(input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def greater_equal(input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def group_norm(
    input: Tensor,
    num_groups: _int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: _float = 1e-05,
    cudnn_enabled: _bool = True,
) -> Tensor: ...
def gt(input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def hsplit(input: Tensor, indices_or_sections: _Ints | Tensor) -> tuple[Tensor, ...]: ...
def hstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor: ...
def imag(input: Tensor) -> Tensor: ...
def index_add(
    input: Tensor, dim: _int, index: Tensor, source: Tensor, *, alpha: _Number = 1, out: Tensor | None = None
) -> Tensor: ...
def index_copy(input: Tensor, dim: _int, index: Tensor, source: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def index_fill(input: Tensor, dim: _int, index: Tensor, value: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def index_put(
    input: Tensor,
    indices: Sequence[Tensor | None],
    values: Tensor,
    accumulate: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def index_reduce(
    input: Tensor,
    dim: _int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    *,
    include_self: _bool = True,
    out: Tensor | None = None,
) -> Tensor: ...
def index_select(input: Tensor, dim: _int, index: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def initial_seed() -> _int: ...
def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def is_complex(input: Tensor) -> _bool: ...
def is_floating_point(input: Tensor) -> _bool: ...
def is_tensor(obj: Any) -> TypeGuard[Tensor]: ...
def isclose(
    input: Tensor,
    other: Tensor,
    rtol: _float = 1e-05,
    atol: _float = 1e-08,
    equal_nan: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def isfinite(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def isinf(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def isnan(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def isneginf(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def isposinf(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def isreal(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[_int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: _float = 1e-05,
    cudnn_enable: _bool = True,
) -> Tensor: ...
def le(input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def lerp(input: Tensor, end: Tensor, weight: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def less(input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def less_equal(input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def linspace(
    start: _Number,
    end: _Number,
    steps: _int,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def log(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def log10(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def log2(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def log_softmax(input: Tensor, dim: _int, dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor: ...
def logical_and(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def logical_or(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def logical_xor(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def logspace(
    start: _Number,
    end: _Number,
    steps: _int,
    base: _float = 10.0,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def logsumexp(input: Tensor, dim: _Ints, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor: ...
def lt(input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def manual_seed(seed: _int) -> Generator: ...
def masked_fill(input: Tensor, mask: Tensor, value: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def max(input: Tensor) -> Tensor: ...
@overload
def max(input: Tensor, dim: _int, keepdim: _bool = False) -> return_types.max: ...
@overload
def max(input: Tensor, other: Tensor) -> Tensor: ...
@overload
def max_pool1d(
    input: Tensor,
    kernel_size: _Ints,
    stride: _Ints | None = None,
    padding: _Ints = 0,
    dilation: _Ints = 1,
    ceil_mode: _bool = False,
    return_indices: Literal[False] = False,
) -> Tensor: ...
@overload
def max_pool1d(
    input: Tensor,
    kernel_size: _Ints,
    stride: _Ints | None = None,
    padding: _Ints = 0,
    dilation: _Ints = 1,
    ceil_mode: _bool = False,
    *,
    return_indices: Literal[True],
) -> tuple[Tensor, Tensor]: ...
@overload
def max_pool1d(
    input: Tensor,
    kernel_size: _Ints,
    stride: _Ints | None = None,
    padding: _Ints = 0,
    dilation: _Ints = 1,
    ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> Tensor | tuple[Tensor, Tensor]: ...
@overload
def max_pool2d(
    input: Tensor,
    kernel_size: _Ints,
    stride: _Ints | None = None,
    padding: _Ints = 0,
    dilation: _Ints = 1,
    ceil_mode: _bool = False,
    return_indices: Literal[False] = False,
) -> Tensor: ...
@overload
def max_pool2d(
    input: Tensor,
    kernel_size: _Ints,
    stride: _Ints | None = None,
    padding: _Ints = 0,
    dilation: _Ints = 1,
    ceil_mode: _bool = False,
    *,
    return_indices: Literal[True],
) -> tuple[Tensor, Tensor]: ...
@overload
def max_pool2d(
    input: Tensor,
    kernel_size: _Ints,
    stride: _Ints | None = None,
    padding: _Ints = 0,
    dilation: _Ints = 1,
    ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> Tensor | tuple[Tensor, Tensor]: ...
def maximum(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def mean(
    input: Tensor,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def meshgrid(*tensors: Tensor, indexing: str = "ij") -> tuple[Tensor, ...]: ...
@overload
def meshgrid(tensors: Sequence[Tensor], /, *, indexing: str = "ij") -> tuple[Tensor, ...]: ...
@overload
def min(input: Tensor) -> Tensor: ...
@overload
def min(input: Tensor, dim: _int, keepdim: _bool = False) -> return_types.min: ...
@overload
def min(input: Tensor, other: Tensor) -> Tensor: ...
def minimum(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def moveaxis(input: Tensor, source: _Ints, destination: _Ints) -> Tensor: ...
def movedim(input: Tensor, source: _Ints, destination: _Ints) -> Tensor: ...
def mul(input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def multinomial(
    input: Tensor,
    num_samples: _int,
    replacement: _bool = False,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def multiply(input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def nan_to_num(
    input: Tensor,
    nan: _float | None = None,
    posinf: _float | None = None,
    neginf: _float | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def nanmean(
    input: Tensor,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def nansum(
    input: Tensor,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def narrow(input: Tensor, dim: _int, start: _int | Tensor, length: _int) -> Tensor: ...
def native_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: _bool,
    momentum: _float,
    eps: _float,
) -> tuple[Tensor, Tensor, Tensor]: ...
def native_dropout(input: Tensor, p: _float, train: _bool | None = True) -> tuple[Tensor, Tensor]: ...
def native_group_norm(
    input: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    N: _int = 1,
    C: _int = 1,
    HxW: _int = 1,
    group: _int = 1,
    eps: _float = 1e-05,
    *,
    out: tuple[Tensor, Tensor, Tensor] | None = None,
) -> tuple[Tensor, Tensor, Tensor]: ...
def native_layer_norm(
    input: Tensor,
    normalized_shape: Sequence[_int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: _float = 1e-05,
    *,
    out: tuple[Tensor, Tensor, Tensor] | None = None,
) -> tuple[Tensor, Tensor, Tensor]: ...
def ne(input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def neg(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def negative(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def nonzero(input: Tensor, *, as_tuple: Literal[False] = False) -> Tensor: ...
@overload
def nonzero(input: Tensor, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]: ...
@overload
def nonzero(input: Tensor, *, as_tuple: _bool) -> Tensor | tuple[Tensor, ...]: ...
def norm(
    input: Tensor,
    p: _Number | str = "fro",
    dim: _Ints | None = None,
    keepdim: _bool = False,
    dtype: _dtype | None = None,
) -> Tensor: ...
@overload
def normal(
    mean: Tensor | _float,
    std: Tensor | _float = 1.0,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def normal(
    mean: _float,
    std: _float,
    size: Sequence[_int],
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def not_equal(input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
@overload
def ones(
    *sizes: _int,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def ones(
    size: Sequence[_int],
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def ones_like(
    input: Tensor,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def permute(input: Tensor, *dims: _int) -> Tensor: ...
@overload
def permute(input: Tensor, dims: Sequence[_int]) -> Tensor: ...
def pixel_shuffle(input: Tensor, upscale_factor: _int, *, out: Tensor | None = None) -> Tensor: ...
def pixel_unshuffle(input: Tensor, downscale_factor: _int, *, out: Tensor | None = None) -> Tensor: ...
def poisson(input: Tensor, generator: Generator | None = None, *, out: Tensor | None = None) -> Tensor: ...
def polar(abs: Tensor, angle: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def positive(input: Tensor) -> Tensor: ...
def pow(input: _Operand, exponent: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def prelu(input: Tensor, weight: Tensor) -> Tensor: ...
def prod(
    input: Tensor,
    dim: _int | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def put(
    input: Tensor, index: Tensor, source: Tensor, accumulate: _bool = False, *, out: Tensor | None = None
) -> Tensor: ...
@overload
def rand(
    *sizes: _int,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def rand(
    size: Sequence[_int],
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def rand_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
@overload
def randint(
    high: _int,
    size: Sequence[_int],
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def randint(
    low: _int,
    high: _int,
    size: Sequence[_int],
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def randint_like(
    input: Tensor,
    high: _int,
    *,
    generator: Generator | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
@overload
def randint_like(
    input: Tensor,
    low: _int,
    high: _int,
    *,
    generator: Generator | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
@overload
def randn(
    *sizes: _int,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def randn(
    size: Sequence[_int],
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def randn_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
def randperm(
    n: _int,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def ravel(input: Tensor) -> Tensor: ...
def real(input: Tensor) -> Tensor: ...
def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def relu(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def remainder(input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
@overload
def repeat(input: Tensor, *repeats: _int, out: Tensor | None = None) -> Tensor: ...
@overload
def repeat(input: Tensor, repeats: Sequence[_int], *, out: Tensor | None = None) -> Tensor: ...
def repeat_interleave(
    input: Tensor, repeats: _int | Tensor, dim: _int | None = None, *, output_size: _int | None = None
) -> Tensor: ...
@overload
def reshape(input: Tensor, *size: _int) -> Tensor: ...
@overload
def reshape(input: Tensor, shape: Sequence[_int]) -> Tensor: ...
def resolve_conj(input: Tensor) -> Tensor: ...
def rms_norm(
    input: Tensor, normalized_shape: Sequence[_int], weight: Tensor | None = None, eps: _float | None = None
) -> Tensor: ...
def roll(input: Tensor, shifts: _Ints, dims: _Ints = (), *, out: Tensor | None = None) -> Tensor: ...
def round(input: Tensor, *, decimals: _int = 0, out: Tensor | None = None) -> Tensor: ...
def rsqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def rsub(input: _Operand, other: _Operand, *, alpha: _Number = 1, out: Tensor | None = None) -> Tensor: ...
def scalar_tensor(
    s: _Number,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def scatter(
    input: Tensor, dim: _int, index: Tensor, src: _Operand, *, reduce: str | None = None, out: Tensor | None = None
) -> Tensor: ...
def scatter_add(input: Tensor, dim: _int, index: Tensor, src: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def scatter_reduce(
    input: Tensor,
    dim: _int,
    index: Tensor,
    src: Tensor,
    reduce: str,
    *,
    include_self: _bool = True,
    out: Tensor | None = None,
) -> Tensor: ...
def seed() -> _int: ...
def select(input: Tensor, dim: _int, index: _int) -> Tensor: ...
def selu(input: Tensor) -> Tensor: ...
def set_rng_state(new_state: Tensor) -> None: ...
def sgn(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sign(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def signbit(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sin(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sinh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def softmax(input: Tensor, dim: _int, dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor: ...
def split(input: Tensor, split_size: _Ints, dim: _int = 0) -> tuple[Tensor, ...]: ...
def sqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def square(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def squeeze(input: Tensor, dim: _Ints | None = None) -> Tensor: ...
def stack(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor: ...
def std(
    input: Tensor,
    dim: _Ints | None = None,
    unbiased: _bool | None = None,
    keepdim: _bool = False,
    *,
    correction: _Number | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def std_mean(
    input: Tensor,
    dim: _Ints | None = None,
    unbiased: _bool | None = None,
    keepdim: _bool = False,
    *,
    correction: _Number | None = None,
    out: tuple[Tensor, Tensor] | None = None,
) -> tuple[Tensor, Tensor]: ...
def sub(input: _Operand, other: _Operand, *, alpha: _Number = 1, out: Tensor | None = None) -> Tensor: ...
def subtract(input: _Operand, other: _Operand, *, alpha: _Number = 1, out: Tensor | None = None) -> Tensor: ...
def sum(
    input: Tensor,
    dim: _Ints | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def swapaxes(input: Tensor, axis0: _int, axis1: _int) -> Tensor: ...
def swapdims(input: Tensor, dim0: _int, dim1: _int) -> Tensor: ...
def t(input: Tensor) -> Tensor: ...
def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def take_along_dim(input: Tensor, indices: Tensor, dim: _int | None = None, *, out: Tensor | None = None) -> Tensor: ...
def tan(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def tensor(
    data: Any,
    *,
    dtype: _dtype | None = None,
    device: _device | str | None = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor: ...
def tensor_split(input: Tensor, indices_or_sections: _Ints | Tensor, dim: _int = 0) -> tuple[Tensor, ...]: ...
def threshold(input: Tensor, threshold: _float, value: _float, *, out: Tensor | None = None) -> Tensor: ...
@overload
def tile(input: Tensor, *dims: _int) -> Tensor: ...
@overload
def tile(input: Tensor, dims: Sequence[_int], /) -> Tensor: ...
def transpose(input: Tensor, dim0: _int, dim1: _int) -> Tensor: ...
def tril(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor: ...
def tril_indices(
    row: _int,
    col: _int,
    offset: _int = 0,
    *,
    dtype: _dtype | None = None,
    device: _device | str | None = None,
    layout: _layout | None = None,
) -> Tensor: ...
def triu(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor: ...
def triu_indices(
    row: _int,
    col: _int,
    offset: _int = 0,
    *,
    dtype: _dtype | None = None,
    device: _device | str | None = None,
    layout: _layout | None = None,
) -> Tensor: ...
def true_divide(input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
def trunc(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def unbind(input: Tensor, dim: _int = 0) -> tuple[Tensor, ...]: ...
def unflatten(input: Tensor, dim: _int, sizes: Sequence[_int]) -> Tensor: ...
def unfold(input: Tensor, dimension: _int, size: _int, step: _int) -> Tensor: ...
def unsqueeze(input: Tensor, dim: _int) -> Tensor: ...
def var(
    input: Tensor,
    dim: _Ints | None = None,
    unbiased: _bool | None = None,
    keepdim: _bool = False,
    *,
    correction: _Number | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def var_mean(
    input: Tensor,
    dim: _Ints | None = None,
    unbiased: _bool | None = None,
    keepdim: _bool = False,
    *,
    correction: _Number | None = None,
    out: tuple[Tensor, Tensor] | None = None,
) -> tuple[Tensor, Tensor]: ...
def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def view_as_complex(input: Tensor) -> Tensor: ...
def view_as_real(input: Tensor) -> Tensor: ...
def vsplit(input: Tensor, indices_or_sections: _Ints | Tensor) -> tuple[Tensor, ...]: ...
def vstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor: ...
@overload
def where(condition: Tensor) -> tuple[Tensor, ...]: ...
@overload
def where(condition: Tensor, input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor: ...
@overload
def zeros(
    *sizes: _int,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def zeros(
    size: Sequence[_int],
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def zeros_like(
    input: Tensor,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: _device | str | None = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
