// Loops for x86-64 processors with AVX-512; empty elsewhere.
#include "simd.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma"))), apply_to = function)
#pragma clang fp contract(fast)
#else
#pragma GCC optimize("fp-contract=fast")
#pragma GCC target("avx512f,avx512dq,avx512vl,avx2,fma")
#endif

#define WENGERT_ISA avx512
#define WENGERT_VECTOR_BYTES 64
#include "loops.inc"

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
