// Triangular factors of larger matrices, and systems of equations solved by them, by the blocks of linalg/blocked.hpp.
// Matrices that are singular, not positive definite or not finite are left to the implementations in Python, which
// raise the errors; so are all where vectors are narrow.
#include "linalg/factors_large.hpp"

#include "linalg/blocked.hpp"
#include "linalg/large.hpp"
#include "linalg/matrices.hpp"

namespace wengert {
namespace {

using Call = PyObject* const*;

template <class T> bool read_large_square(PyObject* object, Matrices<T>& a) {
    return read_large(object, a) && a.rows == a.columns;
}

// Right-hand sides may have a single column.
template <class T> bool read_right(PyObject* object, Matrices<T>& b) { return b.read_any(object, 1); }

// Whether a triangle is finite and has no zero on its diagonal (not read if `unit`); nothing else is read.
template <class T> bool divides(Factor<T> a, npy_intp side, bool upper, bool unit) {
    if (a.row == 1) return divides(a.transposed(), side, !upper, unit);
    for (npy_intp i = 0; i < side; ++i) {
        const npy_intp first = upper ? i : 0, last = upper ? side : i + 1;
        const T* row = a.data + i * a.row;
        if (a.column == 1 && !all_finite(row + first, last - first)) return false;
        for (npy_intp j = first; a.column != 1 && j < last; ++j)
            if (!std::isfinite(row[j * a.column])) return false;
        if (!unit && row[i * a.column] == 0) return false;
    }
    return true;
}
// Fill the part below the diagonal with zeros.
template <class T> void clear_below(T* a, npy_intp side) {
    for (npy_intp j = 0; j < side; ++j) std::fill(a + j * side + j + 1, a + (j + 1) * side, T(0));
}
// Copy a matrix to `matrix`, column by column, and factor it there; false if it is singular or not finite.
template <class T> bool factored(const Matrices<T>& a, npy_intp at, T* matrix, int32_t* pivots) {
    a.load(at, matrix, true);
    return all_finite(matrix, a.rows * a.columns) && factor_lu<T>({matrix, a.rows}, a.rows, a.columns, pivots);
}

}  // namespace

template <class T> PyObject* large_cholesky_factor(Call args) {
    Matrices<T> a;
    bool upper = false;
    if (!read_large_square(args[0], a) || !as_flag(args[1], upper)) return nullptr;
    const npy_intp side = a.rows, size = volume(a);
    Owned results[2] = {Owned(new_columns(a, side, side)), Owned(new_marks(a, {}))};
    if (!results[0] || !results[1]) return nullptr;
    T* out = data_of<T>(results[0].get());
    const bool accepted = for_each_matrix(a.count, work(a, side) / 3, [=](npy_intp at) {
        T* target = out + at * size;
        const Scratch<T> transposed = scratch<T>(upper ? 0 : size);
        T* matrix = upper ? target : transposed.get();
        a.load(at, matrix, upper);
        if (!factor_upper<T>({matrix, side}, side)) return false;
        clear_below(matrix, side);
        if (!upper) store_columns(matrix, side, side, target);
        return true;
    });
    return accepted ? give_tuple(results, 2) : nullptr;
}

template <class T> PyObject* large_triangular(Call args) {
    Matrices<T> a, b;
    bool upper = false, left = false, unit = false;
    if (!as_flag(args[2], upper) || !as_flag(args[3], left) || !as_flag(args[4], unit)) return nullptr;
    if (!read_large_square(args[0], a) || !read_right(args[1], b) || !a.same_lead(b) ||
        a.rows != (left ? b.rows : b.columns))
        return nullptr;
    const npy_intp side = a.rows, width = left ? b.columns : b.rows, size = volume(b);
    Owned result(new_columns(b, b.rows, b.columns));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    const bool accepted = for_each_matrix(a.count, work(a, width), [=](npy_intp at) {
        Factor<T> matrix;
        if (!a.find(at, matrix)) return false;
        const Factor<T> factor = left ? matrix : matrix.transposed();
        T* target = out + at * size;
        const Scratch<T> transposed = scratch<T>(left ? 0 : size);
        T* right = left ? target : transposed.get();
        b.load(at, right, left);
        if (!divides(factor, side, upper == left, unit) || !all_finite(right, size)) return false;
        substitute<T>(factor, side, upper == left, unit, {right, side}, width);
        if (!left) store_columns(right, width, side, target);
        return true;
    });
    return accepted ? result.give() : nullptr;
}

template <class T> PyObject* large_cholesky_solve(Call args) {
    Matrices<T> b, factor;
    bool upper = false;
    if (!read_right(args[0], b) || !read_large_square(args[1], factor) || !as_flag(args[2], upper)) return nullptr;
    if (!factor.same_lead(b) || factor.rows != b.rows) return nullptr;
    const npy_intp side = b.rows, width = b.columns, size = volume(b);
    Owned result(new_columns(b, side, width));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    const bool accepted = for_each_matrix(b.count, work(factor, width) * 2, [=](npy_intp at) {
        Factor<T> matrix;
        if (!factor.find(at, matrix)) return false;
        const Factor<T> lower = upper ? matrix.transposed() : matrix;
        T* right = out + at * size;
        b.load(at, right, true);
        if (!divides(lower, side, false, false) || !all_finite(right, size)) return false;
        substitute<T>(lower, side, false, false, {right, side}, width);
        substitute<T>(lower.transposed(), side, true, false, {right, side}, width);
        return true;
    });
    return accepted ? result.give() : nullptr;
}

template <class T> PyObject* large_lu_factor(Call args) {
    Matrices<T> a;
    bool checks = false;
    if (args[1] != Py_True || !as_flag(args[2], checks) || !read_large(args[0], a)) return nullptr;
    const npy_intp steps = std::min(a.rows, a.columns), size = volume(a);
    Owned results[3] = {Owned(new_columns(a, a.rows, a.columns)), Owned(new_marks(a, {steps})),
                        Owned(new_marks(a, {}))};
    if (!results[0] || !results[1] || !results[2]) return nullptr;
    T* out = data_of<T>(results[0].get());
    int32_t* pivots = data_of<int32_t>(results[1].get());
    const bool accepted = for_each_matrix(
        a.count, work(a, steps), [=](npy_intp at) { return factored(a, at, out + at * size, pivots + at * steps); });
    return accepted ? give_tuple(results, 3) : nullptr;
}

template <class T> PyObject* large_solve(Call args) {
    Matrices<T> a, b;
    bool checks = false;
    if (args[2] != Py_True || !as_flag(args[3], checks) || !read_large_square(args[0], a) || !read_right(args[1], b))
        return nullptr;
    if (!a.same_lead(b) || a.rows != b.rows) return nullptr;
    const npy_intp side = a.rows, width = b.columns, size = volume(b);
    Owned results[2] = {Owned(new_columns(b, side, width)), Owned(new_marks(a, {}))};
    if (!results[0] || !results[1]) return nullptr;
    T* out = data_of<T>(results[0].get());
    const bool accepted = for_each_matrix(a.count, work(a, side + width), [=](npy_intp at) {
        const Scratch<T> matrix = scratch<T>(volume(a));
        const Scratch<int32_t> pivots = scratch<int32_t>(side);
        T* right = out + at * size;
        b.load(at, right, true);
        if (!factored(a, at, matrix.get(), pivots.get()) || !all_finite(right, size)) return false;
        solve_factored<T>({matrix.get(), side}, side, pivots.get(), {right, side}, width);
        return true;
    });
    return accepted ? give_tuple(results, 2) : nullptr;
}

template <class T> PyObject* large_inverse(Call args) {
    Matrices<T> a;
    bool checks = false;
    if (!as_flag(args[1], checks) || !read_large_square(args[0], a)) return nullptr;
    const npy_intp side = a.rows, size = volume(a);
    Owned results[2] = {Owned(new_columns(a, side, side)), Owned(new_marks(a, {}))};
    if (!results[0] || !results[1]) return nullptr;
    T* out = data_of<T>(results[0].get());
    const bool accepted = for_each_matrix(a.count, work(a, side) * 2, [=](npy_intp at) {
        const Scratch<T> matrix = scratch<T>(size);
        const Scratch<int32_t> pivots = scratch<int32_t>(side);
        T* right = out + at * size;
        if (!factored(a, at, matrix.get(), pivots.get())) return false;
        std::fill_n(right, size, T(0));
        for (npy_intp i = 0; i < side; ++i) right[i * side + i] = 1;
        solve_factored<T>({matrix.get(), side}, side, pivots.get(), {right, side}, side);
        return true;
    });
    return accepted ? give_tuple(results, 2) : nullptr;
}

template <class T> PyObject* large_determinant(Call args) {
    Matrices<T> a;
    if (!read_large_square(args[0], a)) return nullptr;
    const npy_intp side = a.rows;
    Owned result(new_rows(a, descr_of<T>(), {}));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    const bool accepted = for_each_matrix(a.count, work(a, side), [=](npy_intp at) {
        const Scratch<T> matrix = scratch<T>(volume(a));
        const Scratch<int32_t> pivots = scratch<int32_t>(side);
        if (!factored(a, at, matrix.get(), pivots.get())) return false;
        out[at] = determinant_of(matrix.get(), side, pivots.get());
        return true;
    });
    return accepted ? result.give() : nullptr;
}

template <class T> PyObject* large_log_determinant(Call args) {
    Matrices<T> a;
    if (!read_large_square(args[0], a)) return nullptr;
    const npy_intp side = a.rows;
    Owned results[2] = {Owned(new_rows(a, descr_of<T>(), {})), Owned(new_rows(a, descr_of<T>(), {}))};
    if (!results[0] || !results[1]) return nullptr;
    T *sign = data_of<T>(results[0].get()), *logarithm = data_of<T>(results[1].get());
    const bool accepted = for_each_matrix(a.count, work(a, side), [=](npy_intp at) {
        const Scratch<T> matrix = scratch<T>(volume(a));
        const Scratch<int32_t> pivots = scratch<int32_t>(side);
        if (!factored(a, at, matrix.get(), pivots.get())) return false;
        log_determinant_of(matrix.get(), side, pivots.get(), sign[at], logarithm[at]);
        return true;
    });
    return accepted ? give_tuple(results, 2) : nullptr;
}

#define WENGERT_LARGE(name) \
    template PyObject* name<float>(PyObject* const*); \
    template PyObject* name<double>(PyObject* const*);
WENGERT_LARGE(large_cholesky_factor)
WENGERT_LARGE(large_triangular)
WENGERT_LARGE(large_cholesky_solve)
WENGERT_LARGE(large_lu_factor)
WENGERT_LARGE(large_solve)
WENGERT_LARGE(large_inverse)
WENGERT_LARGE(large_determinant)
WENGERT_LARGE(large_log_determinant)
#undef WENGERT_LARGE

}  // namespace wengert
