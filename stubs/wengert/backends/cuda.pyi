# Made by tools/make_stub.py; do not edit.
from wengert._torch.backends.cuda import (
    _sdp as _sdp,
    cudnn_sdp_enabled as cudnn_sdp_enabled,
    enable_cudnn_sdp as enable_cudnn_sdp,
    enable_flash_sdp as enable_flash_sdp,
    enable_math_sdp as enable_math_sdp,
    enable_mem_efficient_sdp as enable_mem_efficient_sdp,
    flash_sdp_enabled as flash_sdp_enabled,
    is_built as is_built,
    math_sdp_enabled as math_sdp_enabled,
    matmul as matmul,
    mem_efficient_sdp_enabled as mem_efficient_sdp_enabled,
    preferred_linalg_library as preferred_linalg_library,
)
