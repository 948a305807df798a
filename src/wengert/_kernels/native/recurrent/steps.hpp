// Shared by all recurrent networks: the layout of sequences in memory, and a matrix packed for the products of all
// steps. No Python here.
#pragma once

#include <memory>
#include <vector>

#include "base/simd.hpp"
#include "base/threads.hpp"

namespace wengert {

// Sequences side by side, the longest first: step t has the rows [offsets[t], offsets[t] + sizes[t]) for the first
// sizes[t] of them. `reverse`: they are read from their ends.
struct Steps {
    std::vector<index_t> sizes, offsets;
    index_t batch = 0;
    bool reverse = false;

    index_t count() const { return static_cast<index_t>(sizes.size()); }
    // The sequences of [begin, end) that reach step t, from `begin` on.
    index_t reaching(index_t t, index_t begin, index_t end) const {
        const index_t last = sizes[static_cast<size_t>(t)] < end ? sizes[static_cast<size_t>(t)] : end;
        return last > begin ? last - begin : 0;
    }
    index_t row(index_t t, index_t sequence) const { return offsets[static_cast<size_t>(t)] + sequence; }
    // The row of the step that a sequence took before step t, or -1 for none.
    index_t before(index_t t, index_t sequence) const {
        const index_t other = reverse ? t + 1 : t - 1;
        if (other < 0 || other >= count() || sequence >= sizes[static_cast<size_t>(other)]) return -1;
        return row(other, sequence);
    }
    // Calls body(t) in the order of the steps, or against it.
    template <class Body> void walk(bool backward, const Body& body) const {
        const bool down = reverse != backward;
        for (index_t s = 0; s < count(); ++s) body(down ? count() - 1 - s : s);
    }
    // Calls body(begin, end) for groups of sequences, `cost` additions each: of a few at least, since all read the same
    // matrix. No number depends on the groups.
    template <class Body> void parallel_over_sequences(index_t cost, const Body& body) const {
        constexpr index_t few = 4;
        const index_t least = loops<float>().packed_rows, threads = thread_count();
        index_t groups = batch / least < 2 * threads ? threads : 2 * threads;
        if (groups > (batch + few - 1) / few) groups = (batch + few - 1) / few;
        const index_t group_cost = (Size(cost) * batch).value_or_most() / (groups ? groups : 1);
        parallel_for(groups, group_cost,
                     [&](index_t first, index_t last) { body(first * batch / groups, last * batch / groups); });
    }
};

// A right factor, (depth, columns), packed panel by panel; what it is multiplied with has rows of its own width.
template <class T> class Panels {
public:
    // Element (k, j) is data[k * row_step + j * column_step].
    Panels(const T* data, index_t row_step, index_t column_step, index_t depth, index_t columns)
        : depth_(depth),
          wide_(2 * loops<T>().lanes),
          panels_((columns + wide_ - 1) / wide_),
          memory_(new T[static_cast<size_t>(panels_ * wide_ * depth)]) {
        std::vector<index_t> rows(static_cast<size_t>(depth));
        for (index_t k = 0; k < depth; ++k) rows[static_cast<size_t>(k)] = k * row_step;
        parallel_for(panels_, depth * wide_, [&](index_t first, index_t last) {
            for (index_t p = first; p < last; ++p) {
                index_t positions[most_lanes];
                for (index_t j = 0; j < wide_; ++j)
                    positions[j] = (p * wide_ + j < columns ? p * wide_ + j : columns - 1) * column_step;
                loops<T>().pack_columns(data, rows.data(), depth, positions, nullptr, 0,
                                        memory_.get() + p * wide_ * depth);
            }
        });
    }
    // The width of the rows of a product, of which some at the end may be without meaning.
    index_t width() const { return panels_ * wide_; }
    void multiply(const T* a, index_t pitch, index_t rows, T* out) const {
        loops<T>().panel_product(a, pitch, rows, memory_.get(), depth_, panels_, out, width());
    }

private:
    static constexpr index_t most_lanes = 32;
    index_t depth_, wide_, panels_;
    std::unique_ptr<T[]> memory_;
};

}  // namespace wengert
