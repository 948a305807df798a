// Orthogonal factors, singular values, eigenvalues, pseudoinverses and least squares of small matrices, and the
// gradients of some, computed in float64. Matrices that are not finite are left to the implementations in Python.
#include "linalg/orthogonal_large.hpp"
#include "linalg/rotations.hpp"

#include <algorithm>
#include <utility>

namespace wengert {
namespace {

using Call = PyObject* const*;

// ---- qr ------------------------------------------------------------------------------------------------------------
// Replace A, (rows, columns), by R and write Q, (rows, min(rows, columns)), by reflections with the signs of LAPACK's.
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
    Owned results[2] = {Owned(new_columns(a, rows, count)), Owned(new_columns(a, count, columns))};
    if (!results[0] || !results[1]) return nullptr;
    T *left = data_of<T>(results[0].get()), *right = data_of<T>(results[1].get());
    const bool accepted = for_each_matrix(a.count, 4 * rows * columns * count, [=](npy_intp at) {
        Wide matrix, q;
        a.load(at, matrix);
        reflect(matrix, rows, columns, q);
        if (!all_finite(matrix, rows * columns) || !all_finite(q, rows * count)) return false;
        store_columns(q, rows, count, left + at * rows * count);
        store_columns(matrix, count, columns, right + at * count * columns);
        return true;
    });
    return accepted ? give_tuple(results, 2) : nullptr;
}

// Read a gradient of the shape of a result, or None.
template <class T> bool read_or_none(PyObject* object, const Matrices<T>& like, Matrices<T>& grad) {
    return object == Py_None || (grad.read(object) && grad.same_shape(like));
}

// qr_rule(grads, A_shape, Q, R, mode), of matrices that are not wide
template <class T> PyObject* qr_rule(Call args) {
    Matrices<T> q, r, grad_q, grad_r;
    if (!is_text(args[4], "reduced") || !q.read(args[2]) || !r.read_square(args[3])) return nullptr;
    if (!q.same_lead(r) || q.columns != r.rows) return nullptr;
    if (!PyList_CheckExact(args[0]) || PyList_GET_SIZE(args[0]) != 2) return nullptr;
    PyObject *q_object = PyList_GET_ITEM(args[0], 0), *r_object = PyList_GET_ITEM(args[0], 1);
    if (!read_or_none(q_object, q, grad_q) || !read_or_none(r_object, r, grad_r)) return nullptr;
    const bool with_q = q_object != Py_None, with_r = r_object != Py_None;
    const npy_intp rows = q.rows, columns = q.columns;
    Owned result(new_columns(q, rows, columns));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    const bool accepted = for_each_matrix(q.count, 4 * rows * columns * columns, [=](npy_intp at) {
        Wide left, right, transposed, grad_matrix = {}, part, inner = {};
        q.load(at, left);
        r.load(at, right);
        r.load(at, transposed, true);
        for (npy_intp i = 0; i < columns; ++i)
            if (right[i * columns + i] == 0) return false;
        if (with_r) {
            grad_r.load(at, part);
            multiply_small(part, transposed, columns, columns, columns, inner);
        }
        if (with_q) {
            Wide product = {};
            grad_q.load(at, grad_matrix);
            q.load(at, part, true);
            multiply_small(part, grad_matrix, columns, rows, columns, product);
            for (npy_intp i = 0; i < columns * columns; ++i) inner[i] -= product[i];
        }
        for (npy_intp i = 0; i < columns; ++i)
            for (npy_intp j = 0; j < i; ++j) inner[i * columns + j] = inner[j * columns + i];
        multiply_small(left, inner, rows, columns, columns, part);
        for (npy_intp i = 0; i < rows * columns; ++i) grad_matrix[i] += part[i];
        substitute_right(transposed, columns, false, false, grad_matrix, rows);
        store_columns(grad_matrix, rows, columns, out + at * rows * columns);
        return true;
    });
    return accepted ? result.give() : nullptr;
}

// ---- values --------------------------------------------------------------------------------------------------------
// svd(A, full_matrices, compute_uv), the values alone
template <class T> PyObject* svd(Call args) {
    Matrices<T> a;
    bool full = false;
    if (args[2] != Py_False || !as_flag(args[1], full) || !a.read(args[0])) return nullptr;
    const npy_intp count = std::min(a.rows, a.columns);
    Owned results[3] = {Owned(empty_output<T>()), Owned(new_rows(a, descr_of<T>(), {count})), Owned(empty_output<T>())};
    if (!results[0] || !results[1] || !results[2]) return nullptr;
    T* out = data_of<T>(results[1].get());
    const bool accepted = for_each_matrix(a.count, 64 * count * count * count, [=](npy_intp at) {
        Singular singular;
        if (!singular.decompose(a, at)) return false;
        store_rows(singular.values, 1, count, out + at * count);
        return all_finite(out + at * count, count);
    });
    return accepted ? give_tuple(results, 3) : nullptr;
}

// svd_of_values(A, full_matrices, compute_uv), with the singular vectors, for functions that do not depend on their
// signs
template <class T> PyObject* svd_of_values(Call args) {
    Matrices<T> a;
    if (args[1] != Py_False || args[2] != Py_True || !a.read(args[0])) return nullptr;
    const npy_intp rows = a.rows, columns = a.columns, count = std::min(rows, columns);
    Owned results[3] = {Owned(new_columns(a, rows, count)), Owned(new_rows(a, descr_of<T>(), {count})),
                        Owned(new_columns(a, count, columns))};
    if (!results[0] || !results[1] || !results[2]) return nullptr;
    T *left = data_of<T>(results[0].get()), *out = data_of<T>(results[1].get()), *right = data_of<T>(results[2].get());
    const bool accepted = for_each_matrix(a.count, 64 * count * count * count, [=](npy_intp at) {
        Singular singular;
        if (!singular.decompose(a, at) || !(singular.values[count - 1] > 1e-12 * singular.values[0]))
            return false;  // the vectors of zeros are not determined
        for (npy_intp i = 0; i < count; ++i)
            for (npy_intp k = 0; k < singular.length; ++k) singular.rows[i * singular.length + k] /= singular.values[i];
        store_rows(singular.values, 1, count, out + at * count);
        store_rows(singular.tall ? singular.rows : singular.vectors, count, rows, left + at * rows * count);
        store_columns(singular.tall ? singular.vectors : singular.rows, count, columns, right + at * count * columns);
        return all_finite(out + at * count, count);
    });
    return accepted ? give_tuple(results, 3) : nullptr;
}

// eigh(A, UPLO, compute_v): the values alone, or (`with_vectors`) also the vectors, for functions that do not depend on
// their signs
template <class T, bool with_vectors> PyObject* eigh(Call args) {
    Matrices<T> a;
    const bool lower = is_text(args[1], "L");
    if (args[2] != (with_vectors ? Py_True : Py_False) || !(lower || is_text(args[1], "U")) || !a.read_square(args[0]))
        return nullptr;
    const npy_intp side = a.rows;
    Owned results[2] = {Owned(new_rows(a, descr_of<T>(), {side})),
                        Owned(with_vectors ? new_columns(a, side, side) : empty_output<T>())};
    if (!results[0] || !results[1]) return nullptr;
    T *out = data_of<T>(results[0].get()), *vectors = data_of<T>(results[1].get());
    const bool accepted = for_each_matrix(a.count, 64 * side * side * side, [=](npy_intp at) {
        Wide matrix;
        double values[most_side];
        a.load(at, matrix, !lower);
        for (npy_intp i = 0; i < side; ++i)
            for (npy_intp j = 0; j < i; ++j) matrix[j * side + i] = matrix[i * side + j];
        Wide eigenvectors;
        if (!find_eigenvalues(matrix, side, values, with_vectors ? eigenvectors : nullptr)) return false;
        if (with_vectors) store_rows(eigenvectors, side, side, vectors + at * side * side);
        store_rows(values, 1, side, out + at * side);
        return all_finite(out + at * side, side);
    });
    return accepted ? give_tuple(results, 2) : nullptr;
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
    const bool default_bounds = args[1] == Py_None && args[2] == Py_None;
    double absolute = 0, relative = 0;
    if ((args[1] == Py_None) != (args[2] == Py_None)) return nullptr;
    if (args[3] != Py_False || !as_tolerance(args[1], absolute) || !as_tolerance(args[2], relative) || !a.read(args[0]))
        return nullptr;
    if (default_bounds) relative = default_tolerance(a);
    const npy_intp rows = a.rows, columns = a.columns;
    Owned result(new_rows(a, descr_of<T>(), {columns, rows}));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    const bool accepted = for_each_matrix(a.count, 64 * rows * columns * std::min(rows, columns), [=](npy_intp at) {
        Singular singular;
        Wide inverse;
        if (!singular.decompose(a, at)) return false;
        invert(singular, std::max(absolute, relative * singular.values[0]), inverse);
        store_rows(inverse, columns, rows, out + at * rows * columns);
        return all_finite(out + at * rows * columns, rows * columns);
    });
    return accepted ? result.give() : nullptr;
}

// The gradient of a matrix that is not tall, from its pseudoinverse and the gradient of that, both (columns, rows).
void wide_gradient(const double* a, const double* inverse, const double* grad, npy_intp rows, npy_intp columns,
                   double* out) {
    Wide transposed, transposed_grad, inner, outer, part, square;
    transpose(inverse, columns, rows, transposed);
    transpose(grad, columns, rows, transposed_grad);
    multiply_small(transposed_grad, inverse, rows, columns, rows, inner);
    multiply_small(inner, transposed, rows, rows, columns, outer);
    multiply_small(inverse, inner, columns, rows, rows, part);
    for (npy_intp i = 0; i < rows; ++i)
        for (npy_intp j = 0; j < columns; ++j) out[i * columns + j] = outer[i * columns + j] - part[j * rows + i];
    multiply_small(a, inverse, rows, columns, rows, square);
    multiply_small(square, outer, rows, rows, columns, part);
    for (npy_intp i = 0; i < rows * columns; ++i) out[i] -= part[i];
    multiply_small(inner, a, rows, rows, columns, part);
    for (npy_intp i = 0; i < rows * columns; ++i) transposed_grad[i] -= part[i];
    multiply_small(transposed, inverse, rows, columns, rows, square);
    multiply_small(square, transposed_grad, rows, rows, columns, part);
    for (npy_intp i = 0; i < rows * columns; ++i) out[i] += part[i];
}
// The same for any matrix: the pseudoinverse of the transpose is the transpose of the pseudoinverse.
void pinv_gradient(const double* a, const double* inverse, const double* grad, npy_intp rows, npy_intp columns,
                   double* out) {
    if (rows <= columns) return wide_gradient(a, inverse, grad, rows, columns, out);
    Wide transposed_a = {}, transposed_inverse = {}, transposed_grad = {}, transposed_out;
    transpose(a, rows, columns, transposed_a);
    transpose(inverse, columns, rows, transposed_inverse);
    transpose(grad, columns, rows, transposed_grad);
    wide_gradient(transposed_a, transposed_inverse, transposed_grad, columns, rows, transposed_out);
    transpose(transposed_out, columns, rows, out);
}

// pinv_rule(grad, A, out)
template <class T> PyObject* pinv_rule(Call args) {
    Matrices<T> grad, a, inverse;
    if (!grad.read(args[0]) || !a.read(args[1]) || !inverse.read(args[2]) || !grad.same_shape(inverse)) return nullptr;
    if (!a.same_lead(inverse) || a.rows != inverse.columns || a.columns != inverse.rows) return nullptr;
    const npy_intp rows = a.rows, columns = a.columns;
    Owned result(new_columns(a, rows, columns));
    if (!result) return nullptr;
    T* out = data_of<T>(result.get());
    for_each_matrix(a.count, 8 * rows * columns * std::min(rows, columns), [=](npy_intp at) {
        Wide matrix, inverse_matrix, grad_matrix, grad_a;
        a.load(at, matrix);
        inverse.load(at, inverse_matrix);
        grad.load(at, grad_matrix);
        pinv_gradient(matrix, inverse_matrix, grad_matrix, rows, columns, grad_a);
        store_columns(grad_a, rows, columns, out + at * rows * columns);
        return true;
    });
    return result.give();
}

// ---- least squares -------------------------------------------------------------------------------------------------
// lstsq(A, B, rcond, driver), of matrices that are not tall, by the driver that returns no singular values
template <class T> PyObject* lstsq(Call args) {
    Matrices<T> a, b;
    if (args[2] != Py_None || !(args[3] == Py_None || is_text(args[3], "gelsy")) || !a.read(args[0]) ||
        !b.read(args[1]))
        return nullptr;
    if (!a.same_lead(b) || a.rows != b.rows || a.rows > a.columns) return nullptr;
    const npy_intp rows = a.rows, columns = a.columns, width = b.columns;
    Solutions<T> solutions(a, b);
    if (!solutions.all()) return nullptr;
    T* out = solutions.values();
    int64_t* ranks = solutions.ranks();
    const double part = default_tolerance(a);
    const bool accepted = for_each_matrix(a.count, 64 * rows * columns * rows, [=](npy_intp at) {
        Singular singular;
        Wide inverse, right, solution;
        b.load(at, right);
        if (!singular.decompose(a, at) || !all_finite(right, rows * width)) return false;
        const double bound = part * singular.values[0];
        ranks[at] = std::count_if(singular.values, singular.values + singular.count,
                                  [=](double value) { return value > bound; });
        invert(singular, bound, inverse);
        multiply_small(inverse, right, columns, rows, width, solution);
        store_columns(solution, columns, width, out + at * columns * width);
        return all_finite(solution, columns * width);
    });
    return accepted ? solutions.give() : nullptr;
}

// lstsq_rule(grads, A, B, solution, wanted), where only the solution has a gradient
template <class T> PyObject* lstsq_rule(Call args) {
    Matrices<T> grad, a, b;
    PyObject* first = first_alone(args[0]);
    if (!first || !PyTuple_CheckExact(args[4]) || PyTuple_GET_SIZE(args[4]) != 2) return nullptr;
    if (!grad.read(first) || !a.read(args[1]) || !b.read(args[2]) || !a.same_lead(b) || !grad.same_lead(a))
        return nullptr;
    if (a.rows != b.rows || grad.rows != a.columns || grad.columns != b.columns) return nullptr;
    const bool both = PyTuple_GET_ITEM(args[4], 0) == Py_True;
    const npy_intp rows = a.rows, columns = a.columns, width = b.columns;
    Owned results[2] = {Owned(both ? new_columns(a, rows, columns) : nullptr),
                        Owned(new_rows(b, descr_of<T>(), {rows, width}))};
    if ((both && !results[0]) || !results[1]) return nullptr;
    T *grad_a = both ? data_of<T>(results[0].get()) : nullptr, *grad_b = data_of<T>(results[1].get());
    const double part = default_tolerance(a);
    const bool accepted = for_each_matrix(a.count, 64 * rows * columns * std::min(rows, columns), [=](npy_intp at) {
        Singular singular;
        Wide matrix, inverse, transposed, grad_matrix, right, result;
        if (!singular.decompose(a, at)) return false;
        invert(singular, part * singular.values[0], inverse);
        transpose(inverse, columns, rows, transposed);
        grad.load(at, grad_matrix);
        multiply_small(transposed, grad_matrix, rows, columns, width, result);
        store_rows(result, rows, width, grad_b + at * rows * width);
        if (!both) return true;
        a.load(at, matrix);
        b.load(at, right, true);
        Wide product;
        multiply_small(grad_matrix, right, columns, width, rows, product);
        pinv_gradient(matrix, inverse, product, rows, columns, result);
        store_columns(result, rows, columns, grad_a + at * rows * columns);
        return true;
    });
    return accepted ? give_tuple(results, 2) : nullptr;
}

Methods orthogonal_methods({
    WENGERT_EITHER(2, qr, "(A, mode)"),
    WENGERT_OF_MATRICES(5, qr_rule, "(grads, A_shape, Q, R, mode)", 2),
    WENGERT_OF_MATRICES(3, svd, "(A, full_matrices, compute_uv)", 0),
    WENGERT_OF_MATRICES(3, svd_of_values, "(A, full_matrices, compute_uv)", 0),
    WENGERT_ENTRY(eigh, "(A, UPLO, compute_v)", direct<3, by_element<eigh<float, false>, eigh<double, false>>>),
    WENGERT_ENTRY(eigh_of_values, "(A, UPLO, compute_v)", direct<3, by_element<eigh<float, true>, eigh<double, true>>>),
    WENGERT_OF_MATRICES(4, pinv, "(A, atol, rtol, hermitian)", 0),
    WENGERT_OF_MATRICES(3, pinv_rule, "(grad, A, out)", 0),
    WENGERT_EITHER(4, lstsq, "(A, B, rcond, driver)"),
    WENGERT_OF_MATRICES(5, lstsq_rule, "(grads, A, B, solution, wanted)", 1),
});

}  // namespace
}  // namespace wengert
