// Loops for any processor of the architecture, and the choice among the tables at import.
#include "simd.hpp"

#include <cstring>
#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#endif

#define WENGERT_ISA baseline
#define WENGERT_VECTOR_BYTES 16
#include "loops.inc"

namespace wengert {

LoopTable chosen_loops;

namespace {
bool take(const char* name, const char* wanted, bool runs, LoopTable (*table)()) {
    if (!runs || (wanted && std::strcmp(name, wanted) != 0)) return false;
    chosen_loops = table();
    chosen_loops.instruction_set = name;
    return true;
}
#if defined(__x86_64__) && defined(__GNUC__)
bool converts_halves() {  // F16C, whose name not every compiler's __builtin_cpu_supports knows
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
#endif
}  // namespace

bool choose_loops(const char* wanted) {
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    const bool avx2_runs = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && converts_halves();
#ifdef WENGERT_WIDE_LOOPS
    const bool wide = wanted && avx2_runs;
#else
    const bool wide = avx2_runs && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
    if (take("avx512", wanted, wide, avx512::table)) return true;
    if (take("avx2", wanted, avx2_runs, avx2::table)) return true;
#endif
    return take("baseline", wanted, true, baseline::table);
}

}  // namespace wengert
