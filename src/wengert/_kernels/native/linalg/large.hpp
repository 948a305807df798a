// Products of larger matrices by packed panels (`linalg/packed.hpp`), where vectors are wide enough for these to be as
// fast as a BLAS. They use the threads of this library's pool instead of a BLAS's, whose callers wait for each other,
// and each element is one sum in one order.
#pragma once

#include <algorithm>

#include "linalg/packed.hpp"

namespace wengert {

constexpr index_t least_rows = 12, least_columns = 16,
                  least_depth = 8;        // for thinner factors a BLAS is faster: it reads each element once
constexpr index_t most_apart = 10000000;  // multiplications, up to which each thread packs what it needs itself
constexpr index_t least_apart = 4;        // panels of a thread, from which on it may pack a whole factor
constexpr index_t most_held =
    1 << 20;                       // bytes of a left factor that are packed at a time: half of a second-level cache
constexpr index_t wide_lanes = 8;  // lanes of float32: AVX2 and wider

// A product of given lengths and strides, with the tables of offsets through which the factors are read. All products
// of a batch use the same tables.
template <class T> class LargeProduct {
public:
    LargeProduct(Factor<T> a, Factor<T> b, index_t rows, index_t depth, index_t columns)
        : rows_(rows),
          depth_(depth),
          columns_(columns),
          size_((depth - 1) * b.row + (columns - 1) * b.column + 1),
          memory_(new index_t[static_cast<size_t>(2 * depth + rows + 2 * columns)]) {
        index_t* next = memory_.get();
        left_rows_ = fill(next, depth, a.column), left_columns_ = fill(next, rows, a.row);
        right_rows_ = fill(next, depth, b.row), right_columns_ = fill(next, columns, b.column);
        target_columns_ = fill(next, columns, 1);
    }
    static bool accepts(Factor<T> a, Factor<T> b, index_t rows, index_t depth, index_t columns) {
        return loops<float>().lanes >= wide_lanes && rows >= least_rows && columns >= least_columns &&
               depth >= least_depth && a.row > 0 && a.column > 0 && b.row > 0 && b.column > 0;
    }
    // out = a b, or with `add` out += a b, by all threads. A large left factor is packed part by part, which does not
    // change the sums: they are cut into blocks of the depth anyway.
    void run(const T* a, const T* b, T* out, bool add = false) const {
        if (run_by_parts(a, b, out, add)) return;
        const index_t held = most_held / static_cast<index_t>(sizeof(T)), high = RowPanels<T>::most_rows;
        const index_t deep = std::max(held / rows_ / packed_depth, index_t{1}) * packed_depth;
        const index_t parts =
            std::max(rows_ / std::max(held / std::min(deep, depth_), high), index_t{1});  // of about equal sizes
        const index_t tall = pieces_of(pieces_of(rows_, parts), high) * high;
        for (index_t k = 0; k < depth_; k += deep)
            for (index_t m = 0; m < rows_; m += tall) {
                Packed<T> left(std::min(tall, rows_ - m), std::min(deep, depth_ - k));
                left.fill({a, left_rows_ + k, left_columns_ + m, 0});
                multiply_packed<T>(left, {b, right_rows_ + k, right_columns_, size_}, columns_,
                                   {out + m * columns_, columns_, target_columns_, nullptr, add || k > 0});
            }
    }
    // The same in the calling thread; `left` is memory for a packed factor of that size.
    void run_alone(Packed<T>& left, const T* a, const T* b, T* out) const {
        left.fill({a, left_rows_, left_columns_, 0}, 0, left.panels());
        multiply_alone<T>(left, {b, right_rows_, right_columns_, size_}, columns_,
                          {out, columns_, target_columns_, nullptr, false});
    }

private:
    // The same, with a part of the rows or of the columns for each thread, which packs all that it needs: reading what
    // another core has packed is slow, which counts in smaller products. False for larger ones, which are not computed.
    bool run_by_parts(const T* a, const T* b, T* out, bool add) const {
        const index_t work = (Size(rows_) * depth_ * columns_).value_or_most();
        const bool by_rows = rows_ >= columns_;
        const index_t count = by_rows ? rows_ : columns_,
                      size = by_rows ? loops<T>().packed_rows : 2 * loops<T>().lanes;
        const index_t pieces = pieces_of(count, size), parts = std::min<index_t>(thread_count(), pieces / least_apart);
        if (work > most_apart || parts < 2) return false;
        parallel_for(parts, work / (2 * parts), [&](index_t begin, index_t end) {
            const index_t first = pieces * begin / parts * size, last = std::min(pieces * end / parts * size, count);
            Packed<T> left(by_rows ? last - first : rows_, depth_);
            left.fill({a, left_rows_, left_columns_ + (by_rows ? first : 0), 0}, 0, left.panels());
            const Spread<T> right{b, right_rows_, right_columns_ + (by_rows ? 0 : first), size_};
            const Target<T> target{out + (by_rows ? first * columns_ : 0), columns_,
                                   target_columns_ + (by_rows ? 0 : first), nullptr, add};
            multiply_alone<T>(left, right, by_rows ? columns_ : last - first, target);
        });
        return true;
    }
    static const index_t* fill(index_t*& next, index_t count, index_t step) {
        const index_t* first = next;
        for (index_t i = 0; i < count; ++i) *next++ = i * step;
        return first;
    }
    index_t rows_, depth_, columns_, size_;
    std::unique_ptr<index_t[]> memory_;
    const index_t *left_rows_, *left_columns_, *right_rows_, *right_columns_, *target_columns_;
};

}  // namespace wengert
