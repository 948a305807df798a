// Loops for x86-64 processors with AVX2; empty elsewhere.
#include "base/simd.hpp"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(WENGERT_WITHOUT_AVX2)
#include <immintrin.h>  // before the target changes: it declares each function with its own
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#pragma clang fp contract(fast)
#else
#pragma GCC optimize("fp-contract=fast")
#pragma GCC target("avx2,fma,f16c")
#define WENGERT_F16C  // which that pragma leaves undefined under its own name
#endif
#define WENGERT_FUSED  // likewise; else functions of float would go by way of doubles

#define WENGERT_ISA avx2
#define WENGERT_VECTOR_BYTES 32
#include "loops/all.inc"

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
