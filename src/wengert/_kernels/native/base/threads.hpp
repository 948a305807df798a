// A pool of threads for large kernels. The caller works too, and never waits for a thread that has not begun: on a busy
// machine, where a second processor is not there at once, a kernel is then as fast as with one thread instead of slower
// by a time slice of the scheduler (measured with OpenMP's barrier: 8 ms for 0.1 ms of work). No Python here.
#pragma once

#include <cstddef>
#include <new>

#include "base/checked.hpp"

namespace wengert {

constexpr index_t thread_threshold = 32768;  // elements from which a kernel lets other Python threads run
constexpr index_t thread_grain = 65536;      // work, in additions, below which a second thread is not worth waking

int thread_count();
void set_thread_count(int count);

// Runs body(context, piece) for all pieces, on any threads; false if a piece was refused memory.
using PieceFunction = void (*)(void* context, index_t piece);
bool run_pieces(PieceFunction body, void* context, index_t pieces);

// Runs body(begin, end) over [0, count), in one go or in pieces; `cost` is the work of one item in additions. No result
// of ours depends on the pieces.
template <class Body> inline void parallel_for(index_t count, index_t cost, const Body& body) {
    const index_t useful = (Size(count) * cost).value_or_most() / thread_grain;
    if (useful < 2 || count < 2 || thread_count() < 2) {
        body(index_t{0}, count);
        return;
    }
    struct Context {
        const Body& body;
        index_t count, pieces;
    };
    index_t pieces = 4 * static_cast<index_t>(thread_count());  // several for each, for threads that come late
    if (pieces > useful) pieces = useful;
    if (pieces > count) pieces = count;
    Context context = {body, count, pieces};
    const PieceFunction run = [](void* address, index_t piece) {
        const Context& c = *static_cast<Context*>(address);
        c.body(c.count * piece / c.pieces, c.count * (piece + 1) / c.pieces);
    };
    if (!run_pieces(run, &context, pieces)) throw std::bad_alloc();
}

// The same over elements, each of which is computed by itself. Some loops treat a few neighbours alike, by what is among
// them: which ones belong together does not depend on the pieces.
constexpr index_t element_group = 64;
template <class Body> inline void parallel_for_elements(index_t count, index_t cost, const Body& body) {
    parallel_for((count + element_group - 1) / element_group, element_group * cost, [&](index_t begin, index_t end) {
        const index_t last = end * element_group;
        body(begin * element_group, last < count ? last : count);
    });
}

}  // namespace wengert
