// The gradients of triangular factors of small matrices, and of systems of equations solved by them, by the formulas
// of the rules in Python.
#include "linalg/matrices.hpp"

#include <utility>

namespace wengert {
namespace {

using Call = PyObject* const*;

// Make a matrix symmetric from half its lower triangle, the middle step of the gradient of a Cholesky factorisation.
template <class T> void halve_and_mirror(T* a, npy_intp side) {
    for (npy_intp i = 0; i < side; ++i)
        for (npy_intp j = 0; j <= i; ++j) a[j * side + i] = a[i * side + j] *= T(0.5);
}

// cholesky_factor_rule(grads, L, upper)
template <class T> PyObject* cholesky_factor_rule(Call args) {
    Matrices<T> factor, grad;
    bool upper = false;
    PyObject* first = first_alone(args[0]);
    if (!first || !factor.read_square(args[1]) || !grad.read(first) || !grad.same_shape(factor) ||
        !as_flag(args[2], upper))
        return nullptr;
    const npy_intp side = factor.rows;
    Owned result(new_columns(factor, side, side));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    for_each_matrix(factor.count, 3 * side * side * side, [=](npy_intp at) {
        Space<T> lower, transposed, grad_matrix, inner;
        factor.load(at, lower, upper);
        grad.load(at, grad_matrix, upper);
        transpose(lower, side, side, transposed);
        multiply_small(transposed, grad_matrix, side, side, side, inner);
        halve_and_mirror(inner, side);
        substitute(transposed, side, true, false, inner, side);
        substitute_right(lower, side, false, false, inner, side);
        store_columns(inner, side, side, out + at * side * side);
        return true;
    });
    return result.give();
}

// The gradient of a triangular matrix: minus a product, zeros outside of the triangle.
template <class T> void store_triangle(const T* product, npy_intp side, bool upper, bool unit, T* out) {
    for (npy_intp i = 0; i < side; ++i)
        for (npy_intp j = 0; j < side; ++j) {
            const bool inside = upper ? j >= i + unit : j <= i - unit;
            out[i * side + j] = inside ? -product[i * side + j] : T(0);
        }
}

// out = b' a' of a (side, width) and b (width, side).
template <class T> void multiply_transposed(const T* a, const T* b, npy_intp side, npy_intp width, T* out) {
    Space<T> transposed_a, transposed_b;
    transpose(a, side, width, transposed_a);
    transpose(b, width, side, transposed_b);
    multiply_small(transposed_b, transposed_a, side, width, side, out);
}

// triangular_rule(grad, A, out, upper, left, unitriangular, wanted)
template <class T> PyObject* triangular_rule(Call args) {
    Matrices<T> grad, a, solutions;
    bool upper = false, left = false, unit = false;
    if (!as_flag(args[3], upper) || !as_flag(args[4], left) || !as_flag(args[5], unit) || !PyTuple_CheckExact(args[6]))
        return nullptr;
    if (PyTuple_GET_SIZE(args[6]) != 2 || !grad.read(args[0]) || !a.read_square(args[1]) || !solutions.read(args[2]))
        return nullptr;
    if (!grad.same_shape(solutions) || !a.same_lead(solutions) || a.rows != (left ? solutions.rows : solutions.columns))
        return nullptr;
    const bool both = PyTuple_GET_ITEM(args[6], 0) == Py_True;
    const npy_intp side = a.rows, width = left ? solutions.columns : solutions.rows;
    Owned results[2] = {Owned(both ? new_rows(a, descr_of<T>(), {side, side}) : nullptr),
                        Owned(new_columns(solutions, solutions.rows, solutions.columns))};
    if ((both && !results[0]) || !results[1]) return nullptr;
    T *grad_a = both ? data_of<T>(results[0].get()) : nullptr, *grad_b = data_of<T>(results[1].get());
    // Where `left` is false, X A = B is solved as A' X' = B'.
    const bool accepted = for_each_matrix(a.count, 2 * side * side * width, [=](npy_intp at) {
        Space<T> transposed, grad_matrix, solution, product;
        a.load(at, transposed, left);
        grad.load(at, grad_matrix, !left);
        if (!divides(transposed, side, upper != left, unit)) return false;
        substitute(transposed, side, upper != left, unit, grad_matrix, width);
        if (left)
            store_columns(grad_matrix, side, width, grad_b + at * side * width);
        else
            std::copy(grad_matrix, grad_matrix + side * width, grad_b + at * side * width);
        if (!both) return true;
        solutions.load(at, solution, left);  // of shape (width, side) either way
        if (left)
            multiply_small(grad_matrix, solution, side, width, side, product);
        else
            multiply_transposed(grad_matrix, solution, side, width, product);
        store_triangle(product, side, upper, unit, grad_a + at * side * side);
        return true;
    });
    return accepted ? give_tuple(results, 2) : nullptr;
}

// cholesky_solve_rule(grad, input2, out, upper, wanted)
template <class T> PyObject* cholesky_solve_rule(Call args) {
    Matrices<T> grad, factor, solutions;
    bool upper = false;
    if (!as_flag(args[3], upper) || !PyTuple_CheckExact(args[4]) || PyTuple_GET_SIZE(args[4]) != 2) return nullptr;
    if (!grad.read(args[0]) || !factor.read_square(args[1]) || !solutions.read(args[2])) return nullptr;
    if (!grad.same_shape(solutions) || !factor.same_lead(solutions) || factor.rows != solutions.rows) return nullptr;
    const bool both = PyTuple_GET_ITEM(args[4], 1) == Py_True;
    const npy_intp side = solutions.rows, width = solutions.columns;
    Owned results[2] = {Owned(new_columns(solutions, side, width)),
                        Owned(both ? new_rows(factor, descr_of<T>(), {side, side}) : nullptr)};
    if (!results[0] || (both && !results[1])) return nullptr;
    T *grad_b = data_of<T>(results[0].get()), *grad_factor = both ? data_of<T>(results[1].get()) : nullptr;
    const bool accepted = for_each_matrix(solutions.count, 4 * side * side * std::max(side, width), [=](npy_intp at) {
        Space<T> lower, transposed, grad_matrix, solution, inner;
        factor.load(at, lower, upper);
        transpose(lower, side, side, transposed);
        grad.load(at, grad_matrix);
        if (!divides(lower, side, false, false)) return false;
        substitute(lower, side, false, false, grad_matrix, width);
        substitute(transposed, side, true, false, grad_matrix, width);
        store_columns(grad_matrix, side, width, grad_b + at * side * width);
        if (!both) return true;
        solutions.load(at, solution, true);
        multiply_small(grad_matrix, solution, side, width, side, inner);
        for (npy_intp i = 0; i < side; ++i)
            for (npy_intp j = 0; j <= i; ++j)
                inner[i * side + j] = inner[j * side + i] = -(inner[i * side + j] + inner[j * side + i]);
        T* target = grad_factor + at * side * side;
        if (upper)
            multiply_small(transposed, inner, side, side, side, target);
        else
            multiply_small(inner, lower, side, side, side, target);
        return true;
    });
    return accepted ? give_tuple(results, 2) : nullptr;
}

// order[i] is the row of the original matrix that the exchanges move to row i; false if a pivot is out of range.
bool order_of(const int32_t* pivots, npy_intp side, npy_intp* order) {
    for (npy_intp i = 0; i < side; ++i) order[i] = i;
    for (npy_intp i = 0; i < side; ++i) {
        const npy_intp other = static_cast<npy_intp>(__atomic_load_n(pivots + i, __ATOMIC_RELAXED)) - 1;
        if (other < 0 || other >= side) return false;
        std::swap(order[i], order[other]);
    }
    return true;
}

// lu_factor_rule(grads, LU, pivots), of square matrices
template <class T> PyObject* lu_factor_rule(Call args) {
    Matrices<T> packed, grad;
    PyObject* first = first_alone(args[0]);
    PyArrayObject* exchanged = plain(args[2]);
    if (!first || !exchanged || PyArray_TYPE(exchanged) != NPY_INT32 || !packed.read_square(args[1])) return nullptr;
    if (!grad.read(first) || !grad.same_shape(packed) || PyArray_SIZE(exchanged) != packed.count * packed.rows)
        return nullptr;
    const npy_intp side = packed.rows;
    const int32_t* pivots = data_of<int32_t>(exchanged);
    Owned result(new_rows(packed, descr_of<T>(), {side, side}));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    const bool accepted = for_each_matrix(packed.count, 4 * side * side * side, [=](npy_intp at) {
        Space<T> lu, transposed, grad_matrix, inner;
        npy_intp order[most_side];
        if (!order_of(pivots + at * side, side, order)) return false;
        packed.load(at, lu);
        transpose(lu, side, side, transposed);
        grad.load(at, grad_matrix);
        for (npy_intp i = 0; i < side; ++i)
            for (npy_intp j = 0; j < side; ++j) {
                T sum = 0;
                if (i > j)  // below the diagonal: L' times the gradient of L
                    for (npy_intp k = i; k < side; ++k)
                        sum += (k == i ? T(1) : lu[k * side + i]) * (k > j ? grad_matrix[k * side + j] : T(0));
                else  // above it: the gradient of U times U'
                    for (npy_intp k = j; k < side; ++k) sum += grad_matrix[i * side + k] * lu[j * side + k];
                inner[i * side + j] = sum;
            }
        substitute_right(transposed, side, false, false, inner, side);
        substitute(transposed, side, true, true, inner, side);
        T* target = out + at * side * side;
        for (npy_intp i = 0; i < side; ++i)
            std::copy(inner + i * side, inner + (i + 1) * side, target + order[i] * side);
        return true;
    });
    return accepted ? result.give() : nullptr;
}

// solve_rule(grads, A, B_shape, result, left, wanted)
template <class T> PyObject* solve_rule(Call args) {
    Matrices<T> grad, a, solutions;
    npy_intp shape[most_dims];
    PyObject* first = first_alone(args[0]);
    if (!first || args[4] != Py_True || !PyTuple_CheckExact(args[5]) || PyTuple_GET_SIZE(args[5]) != 2) return nullptr;
    if (!grad.read(first) || !a.read_square(args[1]) || !solutions.read(args[3])) return nullptr;
    const int ndim = as_shape(args[2], shape);
    if (!grad.same_shape(solutions) || !a.same_lead(solutions) || a.rows != solutions.rows || ndim != a.lead() + 2)
        return nullptr;
    if (!std::equal(shape, shape + ndim, solutions.shape())) return nullptr;
    const bool both = PyTuple_GET_ITEM(args[5], 0) == Py_True;
    const npy_intp side = a.rows, width = solutions.columns;
    Owned results[2] = {Owned(both ? new_rows(a, descr_of<T>(), {side, side}) : nullptr),
                        Owned(new_columns(solutions, side, width))};
    if ((both && !results[0]) || !results[1]) return nullptr;
    T *grad_a = both ? data_of<T>(results[0].get()) : nullptr, *grad_b = data_of<T>(results[1].get());
    const bool accepted = for_each_matrix(a.count, side * side * (side + 2 * width), [=](npy_intp at) {
        Space<T> matrix, right, solution;
        int32_t pivots[most_side];
        a.load(at, matrix, true);
        grad.load(at, right);
        if (!factor_lu(matrix, side, side, pivots)) return false;
        solve_factored(matrix, side, pivots, right, width);
        store_columns(right, side, width, grad_b + at * side * width);
        if (!both) return true;
        solutions.load(at, solution, true);
        for (npy_intp i = 0; i < side * width; ++i) right[i] = -right[i];
        multiply_small(right, solution, side, width, side, grad_a + at * side * side);
        return true;
    });
    return accepted ? give_tuple(results, 2) : nullptr;
}

// The element type is that of argument 1: argument 0 may be a list of gradients.
Methods factor_rules_methods({
    WENGERT_OF_MATRICES(3, cholesky_factor_rule, "(grads, L, upper)", 1),
    WENGERT_OF_MATRICES(7, triangular_rule, "(grad, A, out, upper, left, unitriangular, wanted)", 1),
    WENGERT_OF_MATRICES(5, cholesky_solve_rule, "(grad, input2, out, upper, wanted)", 1),
    WENGERT_OF_MATRICES(3, lu_factor_rule, "(grads, LU, pivots)", 1),
    WENGERT_OF_MATRICES(6, solve_rule, "(grads, A, B_shape, result, left, wanted)", 1),
});

}  // namespace
}  // namespace wengert
