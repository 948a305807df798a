// Triangular systems and factors of larger matrices, by recursion into halves, so that nearly all the work is products
// (`linalg/packed.hpp`). Matrices are in column-major order, as LAPACK's are. No Python here.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/frames.hpp"
#include "linalg/packed.hpp"

namespace wengert {

constexpr index_t least_side = 16;  // of matrices that are not divided further

// Element (i, j) is data[i + j * pitch].
template <class T> struct Columns {
    T* data;
    index_t pitch;
    T* column(index_t j) const { return data + j * pitch; }
    Columns from(index_t i, index_t j) const { return {column(j) + i, pitch}; }
    Factor<T> factor() const { return {data, 1, pitch}; }
};
template <class T> inline Factor<T> part(Factor<T> a, index_t i, index_t j) {
    return {a.data + i * a.row + j * a.column, a.row, a.column};
}

inline index_t half_of(index_t side) { return pieces_of(side / 2, least_side) * least_side; }

// c -= a b, of `rows`, `depth` and `columns`.
template <class T>
void subtract_product(Columns<T> c, Factor<T> a, Factor<T> b, index_t rows, index_t depth, index_t columns) {
    constexpr index_t few = 4096;  // multiplications, up to which packing does not pay
    if (rows * depth * columns <= few) {
        for (index_t j = 0; j < columns; ++j)
            for (index_t k = 0; k < depth; ++k) {
                const T factor = b.data[k * b.row + j * b.column], *from = a.data + k * a.column;
                T* to = c.column(j);
                for (index_t i = 0; i < rows; ++i) to[i] -= from[i * a.row] * factor;
            }
        return;
    }
    // Columns of c are rows of the product b' a'.
    const Indices left_rows = grid(1, 0, 1, 0, depth, b.row), left_columns = grid(1, 0, 1, 0, columns, b.column);
    const Indices right_rows = grid(1, 0, 1, 0, depth, a.column), right_columns = grid(1, 0, 1, 0, rows, a.row),
                  to = grid(1, 0, 1, 0, rows, 1);
    Packed<T> left(columns, depth);
    left.fill({b.data, left_rows.data(), left_columns.data(), 0});
    left.negate();
    const index_t size = (depth - 1) * a.column + (rows - 1) * a.row + 1;
    multiply_packed<T>(left, {a.data, right_rows.data(), right_columns.data(), size}, rows,
                       {c.data, c.pitch, to.data(), nullptr, true});
}
// The upper triangle of c -= v' v, v having `depth` rows; the part below the diagonal is undefined.
template <class T> void subtract_gram(Columns<T> c, Columns<T> v, index_t side, index_t depth) {
    constexpr index_t most_square = 96;
    const Factor<T> factor = v.factor();
    if (side <= most_square) return subtract_product(c, factor.transposed(), factor, side, depth, side);
    const index_t half = half_of(side);
    subtract_gram(c, v, half, depth);
    subtract_product(c.from(0, half), factor.transposed(), part(factor, 0, half), half, depth, side - half);
    subtract_gram(c.from(half, half), v.from(0, half), side - half, depth);
}

// Solve A X = B in place for a triangle of at most `least_side`. An upper triangle is read backwards, as a lower one.
template <class T> void substitute_few(Factor<T> a, index_t side, bool upper, bool unit, Columns<T> b, index_t width) {
    T triangle[least_side * least_side] = {};
    for (index_t k = 0; k < side; ++k)
        for (index_t i = k; i < side; ++i) {
            const index_t row = upper ? side - 1 - i : i, column = upper ? side - 1 - k : k;
            const T value = i == k && unit ? T(1) : a.data[row * a.row + column * a.column];
            triangle[k * least_side + i] = i == k ? 1 / value : value;
        }
    loops<T>().substitute_block(triangle, b.data, b.pitch, side, width, upper);
}
// The same for any triangle, one half after the other.
template <class T> void substitute(Factor<T> a, index_t side, bool upper, bool unit, Columns<T> b, index_t width) {
    if (side <= least_side) return substitute_few(a, side, upper, unit, b, width);
    const index_t half = half_of(side), rest = side - half;
    const Columns<T> below = b.from(half, 0);
    if (upper) {
        substitute(part(a, half, half), rest, upper, unit, below, width);
        subtract_product(b, part(a, 0, half), below.factor(), half, rest, width);
        substitute(a, half, upper, unit, b, width);
    } else {
        substitute(a, half, upper, unit, b, width);
        subtract_product(below, part(a, half, 0), b.factor(), rest, half, width);
        substitute(part(a, half, half), rest, upper, unit, below, width);
    }
}

// Replace the upper triangle of A by the U of A = U' U; the part below the diagonal is undefined. False if A is not
// positive definite.
template <class T> bool factor_upper(Columns<T> a, index_t side) {
    if (side > least_side) {
        const index_t half = half_of(side);
        const Columns<T> beside = a.from(0, half), rest = a.from(half, half);
        if (!factor_upper(a, half)) return false;
        substitute(a.factor().transposed(), half, false, false, beside, side - half);
        subtract_gram(rest, beside, side - half, half);
        return factor_upper(rest, side - half);
    }
    for (index_t j = 0; j < side; ++j) {
        T* column = a.column(j);
        for (index_t i = 0; i <= j; ++i) {
            T value = column[i];
            for (index_t k = 0; k < i; ++k) value -= a.column(i)[k] * column[k];
            if (i == j && (!(value > 0) || !std::isfinite(value))) return false;
            column[i] = i == j ? std::sqrt(value) : value / a.column(i)[i];
        }
    }
    return true;
}

// Exchange each of the rows [first, last) with the one of its pivot; pivots count from 1.
template <class T> void exchange_rows(Columns<T> a, index_t width, const int32_t* pivots, index_t first, index_t last) {
    for (index_t j = 0; j < width; ++j) {
        T* column = a.column(j);
        for (index_t i = first; i < last; ++i) std::swap(column[i], column[pivots[i] - 1]);
    }
}
// Replace A by the L and U of P A = L U; false if a pivot is zero or not finite.
template <class T> bool factor_lu(Columns<T> a, index_t rows, index_t columns, int32_t* pivots) {
    if (columns <= least_side) return loops<T>().eliminate(a.data, a.pitch, rows, columns, pivots);
    const index_t count = std::min(rows, columns), half = count <= least_side ? count : half_of(count),
                  width = columns - half;
    const Columns<T> beside = a.from(0, half), rest = a.from(half, half);
    if (!factor_lu(a, rows, half, pivots)) return false;
    exchange_rows(beside, width, pivots, 0, half);
    substitute(a.factor(), half, false, true, beside, width);
    if (rows == half) return true;
    subtract_product(rest, part(a.factor(), half, 0), beside.factor(), rows - half, half, width);
    if (!factor_lu(rest, rows - half, width, pivots + half)) return false;
    for (index_t i = half; i < count; ++i) pivots[i] += static_cast<int32_t>(half);
    exchange_rows(a, half, pivots, half, count);
    return true;
}
// Solve A X = B in place, with the LU factors of a square A.
template <class T>
void solve_factored(Columns<T> lu, index_t side, const int32_t* pivots, Columns<T> b, index_t width) {
    exchange_rows(b, width, pivots, 0, side);
    substitute(lu.factor(), side, false, true, b, width);
    substitute(lu.factor(), side, true, false, b, width);
}

}  // namespace wengert
