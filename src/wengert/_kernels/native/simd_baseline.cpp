// Loops for any processor of the architecture, and the choice among the tables at import.
#include "simd.hpp"

#define WENGERT_ISA baseline
#define WENGERT_VECTOR_BYTES 16
#include "loops.inc"

namespace wengert {

LoopTable chosen_loops;

void choose_loops() {
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
        chosen_loops = avx512::table();
        chosen_loops.instruction_set = "avx512";
        return;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        chosen_loops = avx2::table();
        chosen_loops.instruction_set = "avx2";
        return;
    }
#endif
    chosen_loops = baseline::table();
    chosen_loops.instruction_set = "baseline";
}

}  // namespace wengert
