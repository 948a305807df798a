// Singular values and eigenvalues of small matrices by Jacobi's rotations, always in float64: simple, and as exact as
// the precision allows. Source: G. H. Golub and C. F. Van Loan, Matrix Computations, sections 8.5 and 8.6.
#pragma once

#include "linalg/matrices.hpp"

namespace wengert {

constexpr int most_sweeps = 60;  // seldom more than ten are needed
using Wide = Space<double>;

// The rotation (c, s) that makes two vectors (or two rows of a symmetric matrix) orthogonal, from the inner products
// of each with itself and of both.
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

// Divide all values by the largest absolute value, so that squares neither overflow nor underflow, and return that
// value; 0 if all are zeros or one is not finite.
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

// The singular values and vectors of a matrix with `count` rows of `length` (its transpose if it is tall). `rows` holds
// the vectors of `length`, times their values, in descending order; `vectors` holds the others, row by row.
// `decompose` is false if the matrix is not finite.
struct Singular {
    npy_intp count, length;
    bool tall;
    Wide rows, vectors;
    double values[most_side];

    template <class T> bool decompose(const Matrices<T>& a, npy_intp at) {
        tall = a.rows >= a.columns, count = std::min(a.rows, a.columns), length = std::max(a.rows, a.columns);
        a.load(at, rows, tall);
        std::fill(vectors, vectors + count * count, 0.0);
        for (npy_intp i = 0; i < count; ++i) vectors[i * count + i] = 1;
        std::fill(values, values + count, 0.0);
        if (!all_finite(rows, count * length)) return false;
        const double scale = scale_down(rows, count * length);
        return scale == 0 || (rotate() && order(scale));
    }

private:
    bool rotate() {
        for (int sweep = 0; sweep < most_sweeps; ++sweep) {
            bool converged = true;
            for (npy_intp p = 0; p < count; ++p)
                for (npy_intp q = p + 1; q < count; ++q) {
                    double *x = rows + p * length, *y = rows + q * length;
                    const double a = product_along(x, x, length), b = product_along(y, y, length),
                                 product = product_along(x, y, length);
                    if (std::fabs(product) <= 1e-15 * std::sqrt(a) * std::sqrt(b) || std::fabs(product) < 1e-300)
                        continue;
                    const Rotation rotation(a, b, product);
                    rotation.apply(x, y, length);
                    rotation.apply(vectors + p * count, vectors + q * count, count);
                    converged = false;
                }
            if (converged) return true;
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
                std::swap_ranges(vectors + i * count, vectors + (i + 1) * count, vectors + best * count);
            }
            for (npy_intp k = 0; k < length; ++k) rows[i * length + k] *= scale;
        }
        return std::isfinite(values[0]);
    }
};

// The pseudoinverse of a decomposed matrix; singular values up to `bound` count as zero.
inline void invert(const Singular& singular, double bound, double* out) {
    const npy_intp count = singular.count, length = singular.length;
    std::fill(out, out + count * length, 0.0);
    for (npy_intp i = 0; i < count; ++i) {
        const double value = singular.values[i];
        if (!(value > bound) || value == 0) continue;
        for (npy_intp j = 0; j < count; ++j)
            for (npy_intp k = 0; k < length; ++k)
                out[singular.tall ? j * length + k : k * count + j] +=
                    singular.vectors[i * count + j] / value * (singular.rows[i * length + k] / value);
    }
}

// The eigenvalues of a symmetric matrix in ascending order, and the eigenvectors, row by row, unless `vectors` is null;
// the matrix is overwritten. False if it is not finite.
inline bool find_eigenvalues(double* a, npy_intp side, double* values, double* vectors = nullptr) {
    if (!all_finite(a, side * side)) return false;
    const double scale = scale_down(a, side * side);
    bool converged = scale == 0;
    for (npy_intp i = 0; vectors && i < side * side; ++i) vectors[i] = i % (side + 1) == 0;
    for (int sweep = 0; sweep < most_sweeps && !converged; ++sweep) {
        converged = true;
        for (npy_intp p = 0; p < side; ++p)
            for (npy_intp q = p + 1; q < side; ++q) {
                const double off_diagonal = a[p * side + q];
                if (std::fabs(off_diagonal) < 1e-17 * std::sqrt(std::fabs(a[p * side + p] * a[q * side + q])) ||
                    std::fabs(off_diagonal) < 1e-18)
                    continue;
                const Rotation rotation(a[p * side + p], a[q * side + q], off_diagonal);
                rotation.apply(a + p * side, a + q * side, side);
                rotation.apply(a + p, a + q, side, side);
                if (vectors) rotation.apply(vectors + p * side, vectors + q * side, side);
                a[p * side + q] = a[q * side + p] = 0;
                converged = false;
            }
    }
    for (npy_intp i = 0; i < side; ++i) values[i] = scale * a[i * side + i];
    for (npy_intp i = 0; i < side; ++i) {
        const npy_intp best = std::min_element(values + i, values + side) - values;
        if (best == i) continue;
        std::swap(values[i], values[best]);
        if (vectors) std::swap_ranges(vectors + i * side, vectors + (i + 1) * side, vectors + best * side);
    }
    return converged && std::isfinite(values[0]) && std::isfinite(values[side - 1]);
}

}  // namespace wengert
