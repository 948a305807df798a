// The gradients of triangular factors and of systems solved by them, of small matrices: each in one call, by the
// formulas of the rules in Python.
#include "linalg/matrices.hpp"

#include <utility>

namespace wengert {
namespace {

using Call = PyObject* const*;

// The lower triangle of a product, its diagonal halved, and the same above: what a Cholesky factor's gradient turns.
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
    Owned made(new_columns(factor, side, side));
    if (!made) return nullptr;
    T* out = data_of<T>(made.get());
    for_each_matrix(factor.count, 3 * side * side * side, [=](npy_intp at) {
        Space<T> lower, turned, own, inner;
        factor.load(at, lower, upper);
        grad.load(at, own, upper);
        turn(lower, side, side, turned);
        multiply_small(turned, own, side, side, side, inner);
        halve_and_mirror(inner, side);
        substitute(turned, side, true, false, inner, side);
        substitute_right(lower, side, false, false, inner, side);
        store_columns(inner, side, side, out + at * side * side);
        return true;
    });
    return made.give();
}

// The gradient of a triangle: minus a product, zeros where nothing is read.
template <class T> void store_triangle(const T* product, npy_intp side, bool upper, bool unit, T* out) {
    for (npy_intp i = 0; i < side; ++i)
        for (npy_intp j = 0; j < side; ++j) {
            const bool inside = upper ? j >= i + unit : j <= i - unit;
            out[i * side + j] = inside ? -product[i * side + j] : T(0);
        }
}

// triangular_rule(grad, A, out, upper, left, unitriangular, wanted)
template <class T> PyObject* triangular_rule(Call args) {
    Matrices<T> grad, a, found;
    bool upper = false, left = false, unit = false;
    if (!as_flag(args[3], upper) || !as_flag(args[4], left) || !as_flag(args[5], unit) || !PyTuple_CheckExact(args[6]))
        return nullptr;
    if (PyTuple_GET_SIZE(args[6]) != 2 || !grad.read(args[0]) || !a.read_square(args[1]) || !found.read(args[2]))
        return nullptr;
    if (!grad.same_shape(found) || !a.same_lead(found) || a.rows != (left ? found.rows : found.columns)) return nullptr;
    const bool both = PyTuple_GET_ITEM(args[6], 0) == Py_True;
    const npy_intp side = a.rows, width = left ? found.columns : found.rows;
    Owned made[2] = {Owned(both ? new_rows(a, descr_of<T>(), {side, side}) : nullptr),
                     Owned(new_columns(found, found.rows, found.columns))};
    if ((both && !made[0]) || !made[1]) return nullptr;
    T *of_a = both ? data_of<T>(made[0].get()) : nullptr, *of_b = data_of<T>(made[1].get());
    // X A = B is A' X' = B': what follows is that of (X A = B)' where `left` is false.
    const bool fine = for_each_matrix(a.count, 2 * side * side * width, [=](npy_intp at) {
        Space<T> turned, own, solution, product;
        a.load(at, turned, left);
        grad.load(at, own, !left);
        if (!divides(turned, side, upper != left, unit)) return false;
        substitute(turned, side, upper != left, unit, own, width);
        if (left)
            store_columns(own, side, width, of_b + at * side * width);
        else
            std::copy(own, own + side * width, of_b + at * side * width);
        if (!both) return true;
        found.load(at, solution, left);  // (width, side), or where `left` is false (height, side) as it is
        Space<T> other;
        if (left)
            multiply_small(own, solution, side, width, side, product);
        else
            turn(own, side, width, other), turn(solution, width, side, turned),
                multiply_small(turned, other, side, width, side, product);
        store_triangle(product, side, upper, unit, of_a + at * side * side);
        return true;
    });
    return fine ? give_tuple(made, 2) : nullptr;
}

// cholesky_solve_rule(grad, input2, out, upper, wanted)
template <class T> PyObject* cholesky_solve_rule(Call args) {
    Matrices<T> grad, factor, found;
    bool upper = false;
    if (!as_flag(args[3], upper) || !PyTuple_CheckExact(args[4]) || PyTuple_GET_SIZE(args[4]) != 2) return nullptr;
    if (!grad.read(args[0]) || !factor.read_square(args[1]) || !found.read(args[2])) return nullptr;
    if (!grad.same_shape(found) || !factor.same_lead(found) || factor.rows != found.rows) return nullptr;
    const bool both = PyTuple_GET_ITEM(args[4], 1) == Py_True;
    const npy_intp side = found.rows, width = found.columns;
    Owned made[2] = {Owned(new_columns(found, side, width)),
                     Owned(both ? new_rows(factor, descr_of<T>(), {side, side}) : nullptr)};
    if (!made[0] || (both && !made[1])) return nullptr;
    T *of_b = data_of<T>(made[0].get()), *of_factor = both ? data_of<T>(made[1].get()) : nullptr;
    const bool fine = for_each_matrix(found.count, 4 * side * side * std::max(side, width), [=](npy_intp at) {
        Space<T> lower, turned, own, solution, inner;
        factor.load(at, lower, upper);
        turn(lower, side, side, turned);
        grad.load(at, own);
        if (!divides(lower, side, false, false)) return false;
        substitute(lower, side, false, false, own, width);
        substitute(turned, side, true, false, own, width);
        store_columns(own, side, width, of_b + at * side * width);
        if (!both) return true;
        found.load(at, solution, true);
        multiply_small(own, solution, side, width, side, inner);
        for (npy_intp i = 0; i < side; ++i)
            for (npy_intp j = 0; j <= i; ++j)
                inner[i * side + j] = inner[j * side + i] = -(inner[i * side + j] + inner[j * side + i]);
        T* place = of_factor + at * side * side;
        if (upper)
            multiply_small(turned, inner, side, side, side, place);
        else
            multiply_small(inner, lower, side, side, side, place);
        return true;
    });
    return fine ? give_tuple(made, 2) : nullptr;
}

// For each row of the exchanged matrix the row of the matrix that it was; false if there is no such row.
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
    Owned made(new_rows(packed, descr_of<T>(), {side, side}));
    if (!made) return nullptr;
    T* out = data_of<T>(made.get());
    const bool fine = for_each_matrix(packed.count, 4 * side * side * side, [=](npy_intp at) {
        Space<T> lu, turned, own, inner;
        npy_intp order[most_side];
        if (!order_of(pivots + at * side, side, order)) return false;
        packed.load(at, lu);
        turn(lu, side, side, turned);
        grad.load(at, own);
        for (npy_intp i = 0; i < side; ++i)
            for (npy_intp j = 0; j < side; ++j) {
                T sum = 0;
                if (i > j)  // below: L' of the gradient of L
                    for (npy_intp k = i; k < side; ++k)
                        sum += (k == i ? T(1) : lu[k * side + i]) * (k > j ? own[k * side + j] : T(0));
                else  // above: that of U, U'
                    for (npy_intp k = j; k < side; ++k) sum += own[i * side + k] * lu[j * side + k];
                inner[i * side + j] = sum;
            }
        substitute_right(turned, side, false, false, inner, side);
        substitute(turned, side, true, true, inner, side);
        T* place = out + at * side * side;
        for (npy_intp i = 0; i < side; ++i)
            std::copy(inner + i * side, inner + (i + 1) * side, place + order[i] * side);
        return true;
    });
    return fine ? made.give() : nullptr;
}

// solve_rule(grads, A, B_shape, result, left, wanted)
template <class T> PyObject* solve_rule(Call args) {
    Matrices<T> grad, a, found;
    npy_intp shape[most_dims];
    PyObject* first = first_alone(args[0]);
    if (!first || args[4] != Py_True || !PyTuple_CheckExact(args[5]) || PyTuple_GET_SIZE(args[5]) != 2) return nullptr;
    if (!grad.read(first) || !a.read_square(args[1]) || !found.read(args[3])) return nullptr;
    const int ndim = as_shape(args[2], shape);
    if (!grad.same_shape(found) || !a.same_lead(found) || a.rows != found.rows || ndim != a.lead() + 2) return nullptr;
    if (!std::equal(shape, shape + ndim, found.shape())) return nullptr;
    const bool both = PyTuple_GET_ITEM(args[5], 0) == Py_True;
    const npy_intp side = a.rows, width = found.columns;
    Owned made[2] = {Owned(both ? new_rows(a, descr_of<T>(), {side, side}) : nullptr),
                     Owned(new_columns(found, side, width))};
    if ((both && !made[0]) || !made[1]) return nullptr;
    T *of_a = both ? data_of<T>(made[0].get()) : nullptr, *of_b = data_of<T>(made[1].get());
    const bool fine = for_each_matrix(a.count, side * side * (side + 2 * width), [=](npy_intp at) {
        Space<T> own, right, solution;
        int32_t pivots[most_side];
        a.load(at, own, true);
        grad.load(at, right);
        if (!factor_lu(own, side, side, pivots)) return false;
        solve_factored(own, side, pivots, right, width);
        store_columns(right, side, width, of_b + at * side * width);
        if (!both) return true;
        found.load(at, solution, true);
        for (npy_intp i = 0; i < side * width; ++i) right[i] = -right[i];
        multiply_small(right, solution, side, width, side, of_a + at * side * side);
        return true;
    });
    return fine ? give_tuple(made, 2) : nullptr;
}

// The element type is that of argument 1: argument 0 may be a list of gradients.
#define WENGERT_RULE(count, name, arguments) \
    direct_method("direct_" #name, direct<count, by_element<name<float>, name<double>, 1>>, \
                  #name arguments ", or NotImplemented"),
PyMethodDef factor_rules_methods[] = {
    WENGERT_RULE(3, cholesky_factor_rule, "(grads, L, upper)")
        WENGERT_RULE(7, triangular_rule, "(grad, A, out, upper, left, unitriangular, wanted)")
            WENGERT_RULE(5, cholesky_solve_rule, "(grad, input2, out, upper, wanted)")
                WENGERT_RULE(3, lu_factor_rule, "(grads, LU, pivots)") WENGERT_RULE(
                    6, solve_rule, "(grads, A, B_shape, result, left, wanted)"){nullptr, nullptr, 0, nullptr},
};
#undef WENGERT_RULE
MethodList factor_rules_list(factor_rules_methods);

}  // namespace
}  // namespace wengert
