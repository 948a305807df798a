// Orthogonal factors of larger matrices: reflections of some columns at a time, I - V T V', applied as products.
// Source: E. Elmroth and F. G. Gustavson, Applying recursion to serial and parallel QR factorization, IBM J. Res. Dev.
// 44, 2000. No Python here.
#pragma once

#include <algorithm>

#include "linalg/blocked.hpp"
#include "base/scratch.hpp"

namespace wengert {

constexpr index_t reflected_together = 64;  // columns

// c = (I - V T V') c, or with `transposed` c = (I - V T' V') c, V having `rows` rows and `count` columns.
template <class T>
void apply_reflections(Columns<T> c, index_t rows, index_t width, Columns<T> v, index_t count, Columns<T> t,
                       bool transposed) {
    if (width == 0) return;
    const Scratch<T> memory = zeros<T>(2 * count * width);
    const Columns<T> minus{memory.get(), count}, weights{memory.get() + count * width, count};
    subtract_product(minus, v.factor().transposed(), c.factor(), count, rows, width);
    subtract_product(weights, transposed ? t.factor().transposed() : t.factor(), minus.factor(), count, count, width);
    subtract_product(c, v.factor(), weights.factor(), rows, count, width);
}

// Replace columns of a by R, write the vectors of the reflections to v and the triangle T to t, with zeros elsewhere;
// see `reflect_columns`.
template <class T> bool reflect(Columns<T> a, index_t rows, index_t columns, Columns<T> v, Columns<T> t) {
    if (columns <= least_side)
        return loops<T>().reflect_columns(a.data, a.pitch, rows, columns, v.data, v.pitch, t.data, t.pitch);
    const index_t half = half_of(columns), width = columns - half;
    if (!reflect(a, rows, half, v, t)) return false;
    apply_reflections(a.from(0, half), rows, width, v, half, t, true);
    const Columns<T> below_vectors = v.from(half, half), corner = t.from(half, half), above = t.from(0, half);
    if (!reflect(a.from(half, half), rows - half, width, below_vectors, corner)) return false;
    const Scratch<T> memory = zeros<T>(2 * half * width);
    const Columns<T> minus{memory.get(), half}, joined{memory.get() + half * width, half};
    subtract_product(minus, v.from(half, 0).factor().transposed(), below_vectors.factor(), half, rows - half, width);
    subtract_product(joined, t.factor(), minus.factor(), half, half, width);
    for (index_t j = 0; j < width; ++j) {
        std::fill_n(v.column(half + j), half, T(0));
        std::fill_n(above.column(j), half, T(0));
    }
    for (index_t j = 0; j < half; ++j) std::fill_n(t.column(j) + half, width, T(0));
    subtract_product(above, joined.factor(), corner.factor(), half, width, width);
    return true;
}

// The reflections of a whole matrix, by blocks of its columns.
template <class T> class Reflections {
public:
    Reflections(index_t rows, index_t columns)
        : rows_(rows),
          columns_(columns),
          count_(std::min(rows, columns)),
          vectors_(scratch<T>((Size(rows) * count_).value())),
          triangles_(
              scratch<T>((Size(count_) * reflected_together + reflected_together * reflected_together).value())) {}
    // Replace a by R; false if `reflect_columns` is.
    bool factor(Columns<T> a) const {
        for (index_t p = 0; p < count_; p += reflected_together) {
            const index_t width = width_at(p);
            if (!reflect(a.from(p, p), rows_ - p, width, vectors(p), triangle(p))) return false;
            apply_reflections(a.from(p, p + width), rows_ - p, columns_ - p - width, vectors(p), width, triangle(p),
                              true);
        }
        return true;
    }
    // Replace c by Q' c.
    void apply_transposed(Columns<T> c, index_t width) const {
        for (index_t p = 0; p < count_; p += reflected_together)
            apply_reflections(c.from(p, 0), rows_ - p, width, vectors(p), width_at(p), triangle(p), true);
    }
    // The first columns of Q.
    void store(Columns<T> q) const {
        for (index_t j = 0; j < count_; ++j) {
            std::fill_n(q.column(j), rows_, T(0));
            q.column(j)[j] = 1;
        }
        for (index_t p = (count_ - 1) / reflected_together * reflected_together; p >= 0; p -= reflected_together)
            apply_reflections(q.from(p, p), rows_ - p, count_ - p, vectors(p), width_at(p), triangle(p), false);
    }

private:
    index_t width_at(index_t p) const { return std::min(reflected_together, count_ - p); }
    Columns<T> vectors(index_t p) const { return Columns<T>{vectors_.get(), rows_}.from(p, p); }
    Columns<T> triangle(index_t p) const { return {triangles_.get() + p * reflected_together, reflected_together}; }
    index_t rows_, columns_, count_;
    Scratch<T> vectors_, triangles_;
};

}  // namespace wengert
