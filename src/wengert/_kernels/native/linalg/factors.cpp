// Triangular factors of small matrices, and systems of equations solved by them. Matrices that are singular, not
// positive definite or not finite are left to the implementations in Python, which raise the errors.
#include "linalg/factors_large.hpp"
#include "linalg/matrices.hpp"

namespace wengert {
namespace {

using Call = PyObject* const*;

template <class T> npy_intp cubed(const Matrices<T>& a) { return a.rows * a.columns * std::max(a.rows, a.columns); }

// cholesky_factor(self, upper, caller): the factor, and zeros: no minor fails
template <class T> PyObject* cholesky_factor(Call args) {
    Matrices<T> a;
    bool upper = false;
    if (!a.read_square(args[0]) || !as_flag(args[1], upper)) return nullptr;
    const npy_intp side = a.rows;
    Owned results[2] = {Owned(new_columns(a, side, side)), Owned(new_marks(a, {}))};
    if (!results[0] || !results[1]) return nullptr;
    T* out = data_of<T>(results[0].get());
    const bool accepted = for_each_matrix(a.count, cubed(a), [=](npy_intp at) {
        Space<T> matrix;
        a.load(at, matrix, upper);
        if (!factor_cholesky(matrix, side)) return false;
        T* target = out + at * side * side;
        if (upper)
            std::copy(matrix, matrix + side * side, target);
        else
            store_columns(matrix, side, side, target);
        return true;
    });
    return accepted ? give_tuple(results, 2) : nullptr;
}

// triangular(A, B, upper, left, unitriangular)
template <class T> PyObject* triangular(Call args) {
    Matrices<T> a, b;
    bool upper = false, left = false, unit = false;
    if (!as_flag(args[2], upper) || !as_flag(args[3], left) || !as_flag(args[4], unit)) return nullptr;
    if (!a.read_square(args[0]) || !b.read(args[1]) || !a.same_lead(b) || a.rows != (left ? b.rows : b.columns))
        return nullptr;
    const npy_intp side = a.rows, width = left ? b.columns : b.rows;
    Owned result(new_columns(b, b.rows, b.columns));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    const bool accepted = for_each_matrix(a.count, side * side * width, [=](npy_intp at) {
        Space<T> matrix, right;
        a.load(at, matrix, !left);
        b.load(at, right, !left);
        if (!divides(matrix, side, upper == left, unit) || !all_finite(right, side * width)) return false;
        substitute(matrix, side, upper == left, unit, right, width);
        T* target = out + at * side * width;
        if (left)
            store_columns(right, side, width, target);
        else
            std::copy(right, right + side * width, target);
        return true;
    });
    return accepted ? result.give() : nullptr;
}

// Solve L L' X = B in place, L being lower triangular.
template <class T> void solve_by_lower(const T* lower, npy_intp side, T* b, npy_intp width) {
    Space<T> transposed;
    transpose(lower, side, side, transposed);
    substitute(lower, side, false, false, b, width);
    substitute(transposed, side, true, false, b, width);
}

// cholesky_solve(self, input2, upper)
template <class T> PyObject* cholesky_solve(Call args) {
    Matrices<T> b, factor;
    bool upper = false;
    if (!b.read(args[0]) || !factor.read_square(args[1]) || !as_flag(args[2], upper)) return nullptr;
    if (!factor.same_lead(b) || factor.rows != b.rows) return nullptr;
    const npy_intp side = b.rows, width = b.columns;
    Owned result(new_columns(b, side, width));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    const bool accepted = for_each_matrix(b.count, 2 * side * side * width, [=](npy_intp at) {
        Space<T> lower, right;
        factor.load(at, lower, upper);
        b.load(at, right);
        if (!divides(lower, side, false, false) || !all_finite(right, side * width)) return false;
        solve_by_lower(lower, side, right, width);
        store_columns(right, side, width, out + at * side * width);
        return true;
    });
    return accepted ? result.give() : nullptr;
}

// lu_factor(A, pivot, check_errors): both factors in one matrix, the pivots, and zeros: no pivot is zero
template <class T> PyObject* lu_factor(Call args) {
    Matrices<T> a;
    bool checks = false;
    if (args[1] != Py_True || !as_flag(args[2], checks) || !a.read(args[0])) return nullptr;
    const npy_intp rows = a.rows, columns = a.columns, steps = std::min(rows, columns);
    Owned results[3] = {Owned(new_columns(a, rows, columns)), Owned(new_marks(a, {steps})), Owned(new_marks(a, {}))};
    if (!results[0] || !results[1] || !results[2]) return nullptr;
    T* out = data_of<T>(results[0].get());
    int32_t* pivots = data_of<int32_t>(results[1].get());
    const bool accepted = for_each_matrix(a.count, cubed(a), [=](npy_intp at) {
        Space<T> matrix;
        a.load(at, matrix);
        if (!factor_lu(matrix, rows, columns, pivots + at * steps)) return false;
        store_columns(matrix, rows, columns, out + at * rows * columns);
        return true;
    });
    return accepted ? give_tuple(results, 3) : nullptr;
}

// solve(A, B, left, check_errors): X of A X = B, and zeros: no pivot is zero. Vectors are left to Python.
template <class T> PyObject* solve(Call args) {
    Matrices<T> a, b;
    bool checks = false;
    if (args[2] != Py_True || !as_flag(args[3], checks) || !a.read_square(args[0]) || !b.read(args[1])) return nullptr;
    if (!a.same_lead(b) || a.rows != b.rows) return nullptr;
    const npy_intp side = a.rows, width = b.columns;
    Owned results[2] = {Owned(new_columns(b, side, width)), Owned(new_marks(a, {}))};
    if (!results[0] || !results[1]) return nullptr;
    T* out = data_of<T>(results[0].get());
    const bool accepted = for_each_matrix(a.count, cubed(a) + side * side * width, [=](npy_intp at) {
        Space<T> matrix, right;
        int32_t pivots[most_side];
        a.load(at, matrix);
        b.load(at, right);
        if (!factor_lu(matrix, side, side, pivots) || !all_finite(right, side * width)) return false;
        solve_factored(matrix, side, pivots, right, width);
        store_columns(right, side, width, out + at * side * width);
        return true;
    });
    return accepted ? give_tuple(results, 2) : nullptr;
}

// inverse(A, check_errors): the inverse, and zeros: no pivot is zero
template <class T> PyObject* inverse(Call args) {
    Matrices<T> a;
    bool checks = false;
    if (!as_flag(args[1], checks) || !a.read_square(args[0])) return nullptr;
    const npy_intp side = a.rows;
    Owned results[2] = {Owned(new_columns(a, side, side)), Owned(new_marks(a, {}))};
    if (!results[0] || !results[1]) return nullptr;
    T* out = data_of<T>(results[0].get());
    const bool accepted = for_each_matrix(a.count, 2 * cubed(a), [=](npy_intp at) {
        Space<T> matrix, right = {};
        int32_t pivots[most_side];
        a.load(at, matrix);
        if (!factor_lu(matrix, side, side, pivots)) return false;
        for (npy_intp i = 0; i < side; ++i) right[i * side + i] = 1;
        solve_factored(matrix, side, pivots, right, side);
        store_columns(right, side, side, out + at * side * side);
        return true;
    });
    return accepted ? give_tuple(results, 2) : nullptr;
}

// linalg_det(A)
template <class T> PyObject* determinant(Call args) {
    Matrices<T> a;
    if (!a.read_square(args[0])) return nullptr;
    const npy_intp side = a.rows;
    Owned result(new_rows(a, descr_of<T>(), {}));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    const bool accepted = for_each_matrix(a.count, cubed(a), [=](npy_intp at) {
        Space<T> matrix;
        int32_t pivots[most_side];
        a.load(at, matrix);
        if (!factor_lu(matrix, side, side, pivots)) return false;
        out[at] = determinant_of(matrix, side, pivots);
        return true;
    });
    return accepted ? result.give() : nullptr;
}

// _linalg_slogdet(A): the sign, and the logarithm of the absolute value
template <class T> PyObject* log_determinant(Call args) {
    Matrices<T> a;
    if (!a.read_square(args[0])) return nullptr;
    const npy_intp side = a.rows;
    Owned results[2] = {Owned(new_rows(a, descr_of<T>(), {})), Owned(new_rows(a, descr_of<T>(), {}))};
    if (!results[0] || !results[1]) return nullptr;
    T *sign = data_of<T>(results[0].get()), *logarithm = data_of<T>(results[1].get());
    const bool accepted = for_each_matrix(a.count, cubed(a), [=](npy_intp at) {
        Space<T> matrix;
        int32_t pivots[most_side];
        a.load(at, matrix);
        if (!factor_lu(matrix, side, side, pivots)) return false;
        log_determinant_of(matrix, side, pivots, sign[at], logarithm[at]);
        return true;
    });
    return accepted ? give_tuple(results, 2) : nullptr;
}

Methods factors_methods({
    WENGERT_EITHER(3, cholesky_factor, "(self, upper, caller)"),
    WENGERT_EITHER(5, triangular, "(A, B, upper, left, unitriangular)"),
    WENGERT_EITHER(3, cholesky_solve, "(self, input2, upper)"),
    WENGERT_EITHER(3, lu_factor, "(A, pivot, check_errors)"),
    WENGERT_EITHER(4, solve, "(A, B, left, check_errors)"),
    WENGERT_EITHER(2, inverse, "(A, check_errors)"),
    WENGERT_EITHER(1, determinant, "(A)"),
    WENGERT_EITHER(1, log_determinant, "(A)"),
});

}  // namespace
}  // namespace wengert
