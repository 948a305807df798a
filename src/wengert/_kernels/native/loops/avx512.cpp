// Loops for x86-64 processors with AVX-512; empty elsewhere. With WENGERT_WIDE_LOOPS the same loops over the same 64
// bytes by the instructions of AVX2: so they are tested on processors that have no more.
#include "base/simd.hpp"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(WENGERT_WITHOUT_AVX512)
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // GCC 12 says so of its own _mm512_undefined_ps
#endif
#include <immintrin.h>  // before the target changes: it declares each function with its own
#ifdef WENGERT_WIDE_LOOPS
#define WENGERT_TARGET "avx2,fma,f16c"
#else
#define WENGERT_TARGET "avx512f,avx512dq,avx512vl,avx2,fma,f16c"
#endif
#define WENGERT_PRAGMA(text) _Pragma(#text)
#define WENGERT_EXPANDED(text) WENGERT_PRAGMA(text)
#if defined(__clang__)
WENGERT_EXPANDED(clang attribute push(__attribute__((target(WENGERT_TARGET))), apply_to = function))
#pragma clang fp contract(fast)
#else
#pragma GCC optimize("fp-contract=fast")
WENGERT_EXPANDED(GCC target(WENGERT_TARGET))
#define WENGERT_F16C
#endif

#define WENGERT_ISA avx512
#define WENGERT_VECTOR_BYTES 64
#include "loops/all.inc"

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
