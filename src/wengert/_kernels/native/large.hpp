// Products of larger matrices by packed panels (`packed.hpp`), where vectors are wide enough for these to be as fast as a BLAS.
// They share our threads instead of a BLAS's, whose callers wait for each other, and each element is one sum in one order.
#pragma once

#include "packed.hpp"

namespace wengert {

constexpr index_t least_rows = 12, least_columns = 16, least_depth = 8;  // of thinner factors a BLAS reads each element once
constexpr index_t wide_lanes = 8;  // of single precision: AVX2 and more

// How the factors of a product lie; both may be read through tables of places. Of a batch all products have the same tables.
template <class T>
class LargeProduct {
public:
    LargeProduct(Factor<T> a, Factor<T> b, index_t rows, index_t depth, index_t columns)
        : rows_(rows), depth_(depth), columns_(columns), size_((depth - 1) * b.row + (columns - 1) * b.column + 1),
          memory_(new index_t[static_cast<size_t>(2 * depth + rows + 2 * columns)]) {
        index_t* place = memory_.get();
        left_rows_ = fill(place, depth, a.column), left_columns_ = fill(place, rows, a.row);
        right_rows_ = fill(place, depth, b.row), right_columns_ = fill(place, columns, b.column);
        target_columns_ = fill(place, columns, 1);
    }
    static bool knows(Factor<T> a, Factor<T> b, index_t rows, index_t depth, index_t columns) {
        return loops<float>().lanes >= wide_lanes && rows >= least_rows && columns >= least_columns && depth >= least_depth &&
               a.row > 0 && a.column > 0 && b.row > 0 && b.column > 0;
    }
    // out = a b, or with `add` what is there beside, by all threads.
    void run(const T* a, const T* b, T* out, bool add = false) const {
        Packed<T> left(rows_, depth_);
        left.fill({a, left_rows_, left_columns_, 0});
        multiply_packed<T>(left, {b, right_rows_, right_columns_, size_}, columns_, {out, columns_, target_columns_, nullptr, add});
    }
    // The same in the calling thread; `left` is room for a packed factor of its size.
    void run_alone(Packed<T>& left, const T* a, const T* b, T* out) const {
        left.fill({a, left_rows_, left_columns_, 0}, 0, left.panels());
        multiply_alone<T>(left, {b, right_rows_, right_columns_, size_}, columns_, {out, columns_, target_columns_, nullptr, false});
    }

private:
    static const index_t* fill(index_t*& place, index_t count, index_t step) {
        const index_t* first = place;
        for (index_t i = 0; i < count; ++i) *place++ = i * step;
        return first;
    }
    index_t rows_, depth_, columns_, size_;
    std::unique_ptr<index_t[]> memory_;
    const index_t *left_rows_, *left_columns_, *right_rows_, *right_columns_, *target_columns_;
};

}  // namespace wengert
