// Singular and eigenvalues of small matrices by rotations (Jacobi), in float64 whatever the matrix holds: simple, and
// as exact as the precision allows. Source: G. H. Golub and C. F. Van Loan, Matrix Computations, sections 8.5 and 8.6.
#pragma once

#include "linalg/matrices.hpp"

namespace wengert {

constexpr int most_sweeps = 60;  // ten are many
using Wide = Space<double>;

// The rotation (c, s) that makes two vectors (or rows of a symmetric matrix) orthogonal, of their squares and their
// product.
struct Rotation {
    double c, s, t;
    Rotation(double first, double second, double product) {
        const double zeta = (second - first) / (2 * product);
        t = std::copysign(1 / (std::fabs(zeta) + std::hypot(1.0, zeta)), zeta);
        c = 1 / std::hypot(1.0, t);
        s = c * t;
    }
    void apply(double* x, double* y, npy_intp count, npy_intp step = 1) const {
        for (npy_intp i = 0; i < count; ++i) {
            const double a = x[i * step], b = y[i * step];
            x[i * step] = c * a - s * b;
            y[i * step] = s * a + c * b;
        }
    }
};

// The largest absolute value, by which all are divided, so that squares neither overflow nor vanish; 0 for zeros or
// what is not finite.
inline double scale_down(double* values, npy_intp count) {
    double largest = 0;
    for (npy_intp i = 0; i < count; ++i) largest = std::max(largest, std::fabs(values[i]));
    if (!all_finite(values, count) || largest == 0) return 0;
    for (npy_intp i = 0; i < count; ++i) values[i] /= largest;
    return largest;
}

inline double product_along(const double* x, const double* y, npy_intp count) {
    double sum = 0;
    for (npy_intp i = 0; i < count; ++i) sum += x[i] * y[i];
    return sum;
}

// A matrix with `count` rows of `length` (its transpose if it is tall): the rows become singular vectors times their
// values in descending order, `turns` holds the other vectors row by row. False if the matrix is not finite.
struct Singular {
    npy_intp count, length;
    bool tall;
    Wide rows, turns;
    double values[most_side];

    template <class T> bool find(const Matrices<T>& a, npy_intp at) {
        tall = a.rows >= a.columns, count = std::min(a.rows, a.columns), length = std::max(a.rows, a.columns);
        a.load(at, rows, tall);
        std::fill(turns, turns + count * count, 0.0);
        for (npy_intp i = 0; i < count; ++i) turns[i * count + i] = 1;
        std::fill(values, values + count, 0.0);
        if (!all_finite(rows, count * length)) return false;
        const double scale = scale_down(rows, count * length);
        return scale == 0 || (rotate() && order(scale));
    }

private:
    bool rotate() {
        for (int sweep = 0; sweep < most_sweeps; ++sweep) {
            bool still = true;
            for (npy_intp p = 0; p < count; ++p)
                for (npy_intp q = p + 1; q < count; ++q) {
                    double *x = rows + p * length, *y = rows + q * length;
                    const double a = product_along(x, x, length), b = product_along(y, y, length),
                                 both = product_along(x, y, length);
                    if (std::fabs(both) <= 1e-15 * std::sqrt(a) * std::sqrt(b) || std::fabs(both) < 1e-300) continue;
                    const Rotation rotation(a, b, both);
                    rotation.apply(x, y, length);
                    rotation.apply(turns + p * count, turns + q * count, count);
                    still = false;
                }
            if (still) return true;
        }
        return false;
    }
    bool order(double scale) {
        for (npy_intp i = 0; i < count; ++i)
            values[i] = scale * std::sqrt(product_along(rows + i * length, rows + i * length, length));
        for (npy_intp i = 0; i < count; ++i) {
            const npy_intp best = std::max_element(values + i, values + count) - values;
            if (best != i) {
                std::swap(values[i], values[best]);
                std::swap_ranges(rows + i * length, rows + (i + 1) * length, rows + best * length);
                std::swap_ranges(turns + i * count, turns + (i + 1) * count, turns + best * count);
            }
            for (npy_intp k = 0; k < length; ++k) rows[i * length + k] *= scale;
        }
        return std::isfinite(values[0]);
    }
};

// The pseudoinverse, (columns, rows) of the matrix; values up to `bound` count as zero.
inline void invert(const Singular& found, double bound, double* out) {
    const npy_intp count = found.count, length = found.length;
    std::fill(out, out + count * length, 0.0);
    for (npy_intp i = 0; i < count; ++i) {
        const double value = found.values[i];
        if (!(value > bound) || value == 0) continue;
        for (npy_intp j = 0; j < count; ++j)
            for (npy_intp k = 0; k < length; ++k)
                out[found.tall ? j * length + k : k * count + j] +=
                    found.turns[i * count + j] / value * (found.rows[i * length + k] / value);
    }
}

// The eigenvalues of a symmetric matrix in ascending order, and eigenvectors, row by row, if there is room for them;
// the matrix is lost. False if it is not finite.
inline bool find_eigenvalues(double* a, npy_intp side, double* values, double* vectors = nullptr) {
    if (!all_finite(a, side * side)) return false;
    const double scale = scale_down(a, side * side);
    bool still = scale == 0;
    for (npy_intp i = 0; vectors && i < side * side; ++i) vectors[i] = i % (side + 1) == 0;
    for (int sweep = 0; sweep < most_sweeps && !still; ++sweep) {
        still = true;
        for (npy_intp p = 0; p < side; ++p)
            for (npy_intp q = p + 1; q < side; ++q) {
                const double apart = a[p * side + q];
                if (std::fabs(apart) < 1e-17 * std::sqrt(std::fabs(a[p * side + p] * a[q * side + q])) ||
                    std::fabs(apart) < 1e-18)
                    continue;
                const Rotation rotation(a[p * side + p], a[q * side + q], apart);
                rotation.apply(a + p * side, a + q * side, side);
                rotation.apply(a + p, a + q, side, side);
                if (vectors) rotation.apply(vectors + p * side, vectors + q * side, side);
                a[p * side + q] = a[q * side + p] = 0;
                still = false;
            }
    }
    for (npy_intp i = 0; i < side; ++i) values[i] = scale * a[i * side + i];
    for (npy_intp i = 0; i < side; ++i) {
        const npy_intp best = std::min_element(values + i, values + side) - values;
        if (best == i) continue;
        std::swap(values[i], values[best]);
        if (vectors) std::swap_ranges(vectors + i * side, vectors + (i + 1) * side, vectors + best * side);
    }
    return still && std::isfinite(values[0]) && std::isfinite(values[side - 1]);
}

}  // namespace wengert
