// Which sets of vector instructions this processor runs. Asked at import, and by setup.py before it compiles the loops
// of one set alone. No Python here.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#endif

namespace wengert {

#if defined(__x86_64__) && defined(__GNUC__)
inline bool converts_halves() {  // F16C, whose name not every compiler's __builtin_cpu_supports knows
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
inline bool runs_avx2() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && converts_halves();
}
inline bool runs_avx512() {
    return runs_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#else
inline bool runs_avx2() { return false; }
inline bool runs_avx512() { return false; }
#endif

// The name of the best set.
inline const char* best_instruction_set() {
    if (runs_avx512()) return "avx512";
    return runs_avx2() ? "avx2" : "baseline";
}

}  // namespace wengert
