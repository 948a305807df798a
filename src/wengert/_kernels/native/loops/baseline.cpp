// Loops for any processor of the architecture, and the choice among the tables at import.
#include "base/simd.hpp"

#include <cstring>

#include "base/instruction_sets.hpp"

#ifndef WENGERT_WITHOUT_BASELINE
#define WENGERT_ISA baseline
#define WENGERT_VECTOR_BYTES 16
#include "loops/all.inc"
#endif

namespace wengert {

LoopTable chosen_loops;

namespace {
struct Candidate {
    const char* name;
    bool runs;  // on this processor
    LoopTable (*table)();
};
}  // namespace

bool choose_loops(const char* wanted) {
    const Candidate candidates[] = {
#if defined(__x86_64__) && defined(__GNUC__)
#ifdef WENGERT_WIDE_LOOPS
        {"avx512", wanted && runs_avx2(), avx512::table},
#elif !defined(WENGERT_WITHOUT_AVX512)
        {"avx512", runs_avx512(), avx512::table},
#endif
#ifndef WENGERT_WITHOUT_AVX2
        {"avx2", runs_avx2(), avx2::table},
#endif
#endif
#ifndef WENGERT_WITHOUT_BASELINE
        {"baseline", true, baseline::table},
#endif
    };
    for (const Candidate& candidate : candidates) {
        if (!candidate.runs || (wanted && std::strcmp(candidate.name, wanted) != 0)) continue;
        chosen_loops = candidate.table();
        chosen_loops.instruction_set = candidate.name;
        return true;
    }
    return false;
}

}  // namespace wengert
