// Orthogonal factors, singular values, eigenvalues, pseudoinverses and least squares of small matrices, for the cards
// of these names, and the gradients of some; computed in float64. What is not finite is left to the bodies.
#include "linalg/orthogonal_large.hpp"
#include "linalg/rotations.hpp"

#include <algorithm>
#include <utility>

namespace wengert {
namespace {

using Call = PyObject* const*;

// ---- qr ------------------------------------------------------------------------------------------------------------
// R in the place of A, (rows, columns), and Q, (rows, min(rows, columns)): reflections as LAPACK chooses them.
void reflect(double* a, npy_intp rows, npy_intp columns, double* q) {
    const npy_intp count = std::min(rows, columns);
    Wide vectors = {};
    double factors[most_side] = {};
    for (npy_intp j = 0; j < count; ++j) {
        double rest = 0, *vector = vectors + j * rows;
        for (npy_intp i = j + 1; i < rows; ++i) rest = std::hypot(rest, a[i * columns + j]);
        if (rest == 0) continue;
        const double first = a[j * columns + j], norm = -std::copysign(std::hypot(first, rest), first);
        vector[j] = 1;
        for (npy_intp i = j + 1; i < rows; ++i) vector[i] = a[i * columns + j] / (first - norm), a[i * columns + j] = 0;
        factors[j] = (norm - first) / norm;
        a[j * columns + j] = norm;
        for (npy_intp k = j + 1; k < columns; ++k) {
            double sum = 0;
            for (npy_intp i = j; i < rows; ++i) sum += vector[i] * a[i * columns + k];
            for (npy_intp i = j; i < rows; ++i) a[i * columns + k] -= factors[j] * sum * vector[i];
        }
    }
    std::fill(q, q + rows * count, 0.0);
    for (npy_intp i = 0; i < count; ++i) q[i * count + i] = 1;
    for (npy_intp j = count - 1; j >= 0; --j)
        for (npy_intp k = j; k < count; ++k) {
            double sum = 0;
            for (npy_intp i = j; i < rows; ++i) sum += vectors[j * rows + i] * q[i * count + k];
            for (npy_intp i = j; i < rows; ++i) q[i * count + k] -= factors[j] * sum * vectors[j * rows + i];
        }
}

// qr(A, mode), reduced
template <class T> PyObject* qr(Call args) {
    Matrices<T> a;
    if (!is_text(args[1], "reduced") || !a.read(args[0])) return nullptr;
    const npy_intp rows = a.rows, columns = a.columns, count = std::min(rows, columns);
    Owned made[2] = {Owned(new_columns(a, rows, count)), Owned(new_columns(a, count, columns))};
    if (!made[0] || !made[1]) return nullptr;
    T *left = data_of<T>(made[0].get()), *right = data_of<T>(made[1].get());
    const bool fine = for_each_matrix(a.count, 4 * rows * columns * count, [=](npy_intp at) {
        Wide own, q;
        a.load(at, own);
        reflect(own, rows, columns, q);
        if (!all_finite(own, rows * columns) || !all_finite(q, rows * count)) return false;
        store_columns(q, rows, count, left + at * rows * count);
        store_columns(own, count, columns, right + at * count * columns);
        return true;
    });
    return fine ? give_tuple(made, 2) : nullptr;
}

// A gradient of the shape of a result, or None.
template <class T> bool read_or_none(PyObject* object, const Matrices<T>& like, Matrices<T>& grad) {
    return object == Py_None || (grad.read(object) && grad.same_shape(like));
}

// qr_rule(grads, A_shape, Q, R, mode), of matrices that are not wide
template <class T> PyObject* qr_rule(Call args) {
    Matrices<T> q, r, grad_q, grad_r;
    if (!is_text(args[4], "reduced") || !q.read(args[2]) || !r.read_square(args[3])) return nullptr;
    if (!q.same_lead(r) || q.columns != r.rows) return nullptr;
    if (!PyList_CheckExact(args[0]) || PyList_GET_SIZE(args[0]) != 2) return nullptr;
    PyObject *of_q = PyList_GET_ITEM(args[0], 0), *of_r = PyList_GET_ITEM(args[0], 1);
    if (!read_or_none(of_q, q, grad_q) || !read_or_none(of_r, r, grad_r)) return nullptr;
    const bool with_q = of_q != Py_None, with_r = of_r != Py_None;
    const npy_intp rows = q.rows, columns = q.columns;
    Owned made(new_columns(q, rows, columns));
    if (!made) return nullptr;
    T* out = data_of<T>(made.get());
    const bool fine = for_each_matrix(q.count, 4 * rows * columns * columns, [=](npy_intp at) {
        Wide left, right, turned, own = {}, part, inner = {};
        q.load(at, left);
        r.load(at, right);
        r.load(at, turned, true);
        for (npy_intp i = 0; i < columns; ++i)
            if (right[i * columns + i] == 0) return false;
        if (with_r) {
            grad_r.load(at, part);
            multiply_small(part, turned, columns, columns, columns, inner);
        }
        if (with_q) {
            Wide product = {};
            grad_q.load(at, own);
            q.load(at, part, true);
            multiply_small(part, own, columns, rows, columns, product);
            for (npy_intp i = 0; i < columns * columns; ++i) inner[i] -= product[i];
        }
        for (npy_intp i = 0; i < columns; ++i)
            for (npy_intp j = 0; j < i; ++j) inner[i * columns + j] = inner[j * columns + i];
        multiply_small(left, inner, rows, columns, columns, part);
        for (npy_intp i = 0; i < rows * columns; ++i) own[i] += part[i];
        substitute_right(turned, columns, false, false, own, rows);
        store_columns(own, rows, columns, out + at * rows * columns);
        return true;
    });
    return fine ? made.give() : nullptr;
}


// ---- values --------------------------------------------------------------------------------------------------------
// svd(A, full_matrices, compute_uv), the values alone
template <class T> PyObject* svd(Call args) {
    Matrices<T> a;
    bool full = false;
    if (args[2] != Py_False || !as_flag(args[1], full) || !a.read(args[0])) return nullptr;
    const npy_intp count = std::min(a.rows, a.columns);
    Owned made[3] = {Owned(nothing<T>()), Owned(new_rows(a, descr_of<T>(), {count})), Owned(nothing<T>())};
    if (!made[0] || !made[1] || !made[2]) return nullptr;
    T* out = data_of<T>(made[1].get());
    const bool fine = for_each_matrix(a.count, 64 * count * count * count, [=](npy_intp at) {
        Singular found;
        if (!found.find(a, at)) return false;
        store_rows(found.values, 1, count, out + at * count);
        return all_finite(out + at * count, count);
    });
    return fine ? give_tuple(made, 3) : nullptr;
}

// svd_of_values(A, full_matrices, compute_uv), both kinds of vectors, for what does not depend on their signs
template <class T> PyObject* svd_of_values(Call args) {
    Matrices<T> a;
    if (args[1] != Py_False || args[2] != Py_True || !a.read(args[0])) return nullptr;
    const npy_intp rows = a.rows, columns = a.columns, count = std::min(rows, columns);
    Owned made[3] = {Owned(new_columns(a, rows, count)), Owned(new_rows(a, descr_of<T>(), {count})),
                     Owned(new_columns(a, count, columns))};
    if (!made[0] || !made[1] || !made[2]) return nullptr;
    T *left = data_of<T>(made[0].get()), *out = data_of<T>(made[1].get()), *right = data_of<T>(made[2].get());
    const bool fine = for_each_matrix(a.count, 64 * count * count * count, [=](npy_intp at) {
        Singular found;
        if (!found.find(a, at) || !(found.values[count - 1] > 1e-12 * found.values[0]))
            return false;  // vectors of what is zero
        for (npy_intp i = 0; i < count; ++i)
            for (npy_intp k = 0; k < found.length; ++k) found.rows[i * found.length + k] /= found.values[i];
        store_rows(found.values, 1, count, out + at * count);
        store_rows(found.tall ? found.rows : found.turns, count, rows, left + at * rows * count);
        store_columns(found.tall ? found.turns : found.rows, count, columns, right + at * count * columns);
        return all_finite(out + at * count, count);
    });
    return fine ? give_tuple(made, 3) : nullptr;
}

// eigh(A, UPLO, compute_v): the values alone, or (`vectors`) for what does not depend on the signs of the vectors, with
// these
template <class T, bool vectors> PyObject* eigh(Call args) {
    Matrices<T> a;
    const bool lower = is_text(args[1], "L");
    if (args[2] != (vectors ? Py_True : Py_False) || !(lower || is_text(args[1], "U")) || !a.read_square(args[0]))
        return nullptr;
    const npy_intp side = a.rows;
    Owned made[2] = {Owned(new_rows(a, descr_of<T>(), {side})),
                     Owned(vectors ? new_columns(a, side, side) : nothing<T>())};
    if (!made[0] || !made[1]) return nullptr;
    T *out = data_of<T>(made[0].get()), *turns = data_of<T>(made[1].get());
    const bool fine = for_each_matrix(a.count, 64 * side * side * side, [=](npy_intp at) {
        Wide own;
        double values[most_side];
        a.load(at, own, !lower);
        for (npy_intp i = 0; i < side; ++i)
            for (npy_intp j = 0; j < i; ++j) own[j * side + i] = own[i * side + j];
        Wide found;
        if (!find_eigenvalues(own, side, values, vectors ? found : nullptr)) return false;
        if (vectors) store_rows(found, side, side, turns + at * side * side);
        store_rows(values, 1, side, out + at * side);
        return all_finite(out + at * side, side);
    });
    return fine ? give_tuple(made, 2) : nullptr;
}

// ---- pseudoinverses ------------------------------------------------------------------------------------------------
bool as_tolerance(PyObject* object, double& value) {
    if (object == Py_None) return true;
    PyArrayObject* array = plain(object);
    if (!array || PyArray_NDIM(array) != 0) return false;
    if (PyArray_DESCR(array) == float_descr)
        value = static_cast<double>(*data_of<float>(array));
    else if (PyArray_DESCR(array) == double_descr)
        value = *data_of<double>(array);
    else
        return false;
    return std::isfinite(value);
}

// pinv(A, atol, rtol, hermitian)
template <class T> PyObject* pinv(Call args) {
    Matrices<T> a;
    const bool own = args[1] == Py_None && args[2] == Py_None;
    double absolute = 0, relative = 0;
    if ((args[1] == Py_None) != (args[2] == Py_None)) return nullptr;
    if (args[3] != Py_False || !as_tolerance(args[1], absolute) || !as_tolerance(args[2], relative) || !a.read(args[0]))
        return nullptr;
    if (own) relative = own_tolerance(a);
    const npy_intp rows = a.rows, columns = a.columns;
    Owned made(new_rows(a, descr_of<T>(), {columns, rows}));
    if (!made) return nullptr;
    T* out = data_of<T>(made.get());
    const bool fine = for_each_matrix(a.count, 64 * rows * columns * std::min(rows, columns), [=](npy_intp at) {
        Singular found;
        Wide inverse;
        if (!found.find(a, at)) return false;
        invert(found, std::max(absolute, relative * found.values[0]), inverse);
        store_rows(inverse, columns, rows, out + at * rows * columns);
        return all_finite(out + at * rows * columns, rows * columns);
    });
    return fine ? made.give() : nullptr;
}

// The gradient of a matrix, of that of its pseudoinverse (both (columns, rows)), by the formula for matrices that are
// not tall.
void wide_gradient(const double* a, const double* inverse, const double* grad, npy_intp rows, npy_intp columns,
                   double* out) {
    Wide turned, of_grad, inner, behind, part, square;
    turn(inverse, columns, rows, turned);
    turn(grad, columns, rows, of_grad);
    multiply_small(of_grad, inverse, rows, columns, rows, inner);
    multiply_small(inner, turned, rows, rows, columns, behind);
    multiply_small(inverse, inner, columns, rows, rows, part);
    for (npy_intp i = 0; i < rows; ++i)
        for (npy_intp j = 0; j < columns; ++j) out[i * columns + j] = behind[i * columns + j] - part[j * rows + i];
    multiply_small(a, inverse, rows, columns, rows, square);
    multiply_small(square, behind, rows, rows, columns, part);
    for (npy_intp i = 0; i < rows * columns; ++i) out[i] -= part[i];
    multiply_small(inner, a, rows, rows, columns, part);
    for (npy_intp i = 0; i < rows * columns; ++i) of_grad[i] -= part[i];
    multiply_small(turned, inverse, rows, columns, rows, square);
    multiply_small(square, of_grad, rows, rows, columns, part);
    for (npy_intp i = 0; i < rows * columns; ++i) out[i] += part[i];
}
// The same of any matrix: what holds of it holds of its transpose.
void pinv_gradient(const double* a, const double* inverse, const double* grad, npy_intp rows, npy_intp columns,
                   double* out) {
    if (rows <= columns) return wide_gradient(a, inverse, grad, rows, columns, out);
    Wide turned_a = {}, turned_inverse = {}, turned_grad = {}, turned_out;
    turn(a, rows, columns, turned_a);
    turn(inverse, columns, rows, turned_inverse);
    turn(grad, columns, rows, turned_grad);
    wide_gradient(turned_a, turned_inverse, turned_grad, columns, rows, turned_out);
    turn(turned_out, columns, rows, out);
}

// pinv_rule(grad, A, out)
template <class T> PyObject* pinv_rule(Call args) {
    Matrices<T> grad, a, inverse;
    if (!grad.read(args[0]) || !a.read(args[1]) || !inverse.read(args[2]) || !grad.same_shape(inverse)) return nullptr;
    if (!a.same_lead(inverse) || a.rows != inverse.columns || a.columns != inverse.rows) return nullptr;
    const npy_intp rows = a.rows, columns = a.columns;
    Owned made(new_columns(a, rows, columns));
    if (!made) return nullptr;
    T* out = data_of<T>(made.get());
    for_each_matrix(a.count, 8 * rows * columns * std::min(rows, columns), [=](npy_intp at) {
        Wide own, turned, slope, result;
        a.load(at, own);
        inverse.load(at, turned);
        grad.load(at, slope);
        pinv_gradient(own, turned, slope, rows, columns, result);
        store_columns(result, rows, columns, out + at * rows * columns);
        return true;
    });
    return made.give();
}

// ---- least squares -------------------------------------------------------------------------------------------------
// lstsq(A, B, rcond, driver), of matrices that are not tall, by the driver that gives no values
template <class T> PyObject* lstsq(Call args) {
    Matrices<T> a, b;
    if (args[2] != Py_None || !(args[3] == Py_None || is_text(args[3], "gelsy")) || !a.read(args[0]) ||
        !b.read(args[1]))
        return nullptr;
    if (!a.same_lead(b) || a.rows != b.rows || a.rows > a.columns) return nullptr;
    const npy_intp rows = a.rows, columns = a.columns, width = b.columns;
    Owned made[4] = {Owned(new_columns(b, columns, width)), Owned(nothing<T>()), Owned(new_rows(a, int64_descr, {})),
                     Owned(nothing<T>())};
    for (const Owned& each : made)
        if (!each) return nullptr;
    T* out = data_of<T>(made[0].get());
    int64_t* ranks = data_of<int64_t>(made[2].get());
    const double part = own_tolerance(a);
    const bool fine = for_each_matrix(a.count, 64 * rows * columns * rows, [=](npy_intp at) {
        Singular found;
        Wide inverse, right, solution;
        b.load(at, right);
        if (!found.find(a, at) || !all_finite(right, rows * width)) return false;
        const double bound = part * found.values[0];
        ranks[at] =
            std::count_if(found.values, found.values + found.count, [=](double value) { return value > bound; });
        invert(found, bound, inverse);
        multiply_small(inverse, right, columns, rows, width, solution);
        store_columns(solution, columns, width, out + at * columns * width);
        return all_finite(solution, columns * width);
    });
    return fine ? give_tuple(made, 4) : nullptr;
}

// lstsq_rule(grads, A, B, solution, wanted), of that of the solution alone
template <class T> PyObject* lstsq_rule(Call args) {
    Matrices<T> grad, a, b;
    PyObject* first = first_alone(args[0]);
    if (!first || !PyTuple_CheckExact(args[4]) || PyTuple_GET_SIZE(args[4]) != 2) return nullptr;
    if (!grad.read(first) || !a.read(args[1]) || !b.read(args[2]) || !a.same_lead(b) || !grad.same_lead(a))
        return nullptr;
    if (a.rows != b.rows || grad.rows != a.columns || grad.columns != b.columns) return nullptr;
    const bool both = PyTuple_GET_ITEM(args[4], 0) == Py_True;
    const npy_intp rows = a.rows, columns = a.columns, width = b.columns;
    Owned made[2] = {Owned(both ? new_columns(a, rows, columns) : nullptr),
                     Owned(new_rows(b, descr_of<T>(), {rows, width}))};
    if ((both && !made[0]) || !made[1]) return nullptr;
    T *of_a = both ? data_of<T>(made[0].get()) : nullptr, *of_b = data_of<T>(made[1].get());
    const double part = own_tolerance(a);
    const bool fine = for_each_matrix(a.count, 64 * rows * columns * std::min(rows, columns), [=](npy_intp at) {
        Singular found;
        Wide own, inverse, turned, slope, right, result;
        if (!found.find(a, at)) return false;
        invert(found, part * found.values[0], inverse);
        turn(inverse, columns, rows, turned);
        grad.load(at, slope);
        multiply_small(turned, slope, rows, columns, width, result);
        store_rows(result, rows, width, of_b + at * rows * width);
        if (!both) return true;
        a.load(at, own);
        b.load(at, right, true);
        Wide product;
        multiply_small(slope, right, columns, width, rows, product);
        pinv_gradient(own, inverse, product, rows, columns, result);
        store_columns(result, rows, columns, of_a + at * rows * columns);
        return true;
    });
    return fine ? give_tuple(made, 2) : nullptr;
}

#define WENGERT_ORTHOGONAL(count, name, arguments, at) \
    direct_method("direct_" #name, direct<count, by_element<name<float>, name<double>, at>>, \
                  #name arguments ", or NotImplemented"),
PyMethodDef orthogonal_methods[] = {
    WENGERT_EITHER(2, qr, "(A, mode)") WENGERT_ORTHOGONAL(5, qr_rule, "(grads, A_shape, Q, R, mode)", 2)
        WENGERT_ORTHOGONAL(3, svd, "(A, full_matrices, compute_uv)", 0)
            WENGERT_ORTHOGONAL(3, svd_of_values, "(A, full_matrices, compute_uv)", 0)
                direct_method("direct_eigh", direct<3, by_element<eigh<float, false>, eigh<double, false>>>,
                              "eigh(A, UPLO, compute_v), or NotImplemented"),
    direct_method("direct_eigh_of_values", direct<3, by_element<eigh<float, true>, eigh<double, true>>>,
                  "eigh_of_values(A, UPLO, compute_v), or NotImplemented"),
    WENGERT_ORTHOGONAL(4, pinv, "(A, atol, rtol, hermitian)", 0) WENGERT_ORTHOGONAL(3, pinv_rule, "(grad, A, out)", 0)
        WENGERT_EITHER(4, lstsq, "(A, B, rcond, driver)")
            WENGERT_ORTHOGONAL(5, lstsq_rule, "(grads, A, B, solution, wanted)", 1){nullptr, nullptr, 0, nullptr},
};
#undef WENGERT_ORTHOGONAL
MethodList orthogonal_list(orthogonal_methods);

}  // namespace
}  // namespace wengert
