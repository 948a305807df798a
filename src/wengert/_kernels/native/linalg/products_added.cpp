// Small products that are added to an operand, with factors; the trace and the cross product.
#include "binding/halved.hpp"
#include "linalg/product.hpp"

namespace wengert {
namespace {

using Call = PyObject* const*;

// beta and alpha in the dtype of the operands.
template <class T> bool as_factors(PyObject* beta, PyObject* alpha, T (&factors)[2]) {
    return weak_value(beta, factors[0]) && weak_value(alpha, factors[1]);
}

// out = alpha * out + beta * shift; with a beta of 0 `shift` is not read.
template <class T> void combine(T* out, npy_intp rows, npy_intp columns, Factor<T> shift, const T (&factors)[2]) {
    const T beta = factors[0], alpha = factors[1];
    const bool plain = beta == 1 && alpha == 1 && shift.column == 1;
    for (npy_intp i = 0; i < rows; ++i, out += columns) {
        const T* row = shift.data + i * shift.row;
        if (plain)
            loops<T>().binary[ADD](out, 1, row, 1, out, columns);
        else
            for (npy_intp j = 0; j < columns; ++j) {
                out[j] *= alpha;
                if (beta != 0) out[j] += beta * row[j * shift.column];
            }
    }
}

// addmv(self, mat, vec, beta, alpha)
template <class T> PyObject* addmv(Call args) {
    Matrix<T> mat, vec;
    Factor<T> shift;
    T factors[2];
    if (!as_matrix(args[1], mat) || !as_column(args[2], vec) || !is_small(mat, vec) ||
        !as_factors(args[3], args[4], factors))
        return nullptr;
    if (factors[1] == 0) return nullptr;  // then NaN and infinities of the product must not count
    if (!as_shift(args[0], 1, mat.rows, shift) || PyArray_NDIM(reinterpret_cast<PyArrayObject*>(args[0])) > 1)
        return nullptr;
    Owned result(new_array(descr_of<T>(), 1, &mat.rows));
    if (!result) return nullptr;
    multiply(mat, vec, data_of<T>(result.get()));
    combine(data_of<T>(result.get()), 1, mat.rows, shift, factors);
    return result.give();
}

// baddbmm(self, batch1, batch2, beta, alpha)
template <class T> PyObject* baddbmm(Call args) {
    Matrix<T> a, b;
    T factors[2];
    if (!as_matrix(args[1], a, 3) || !as_matrix(args[2], b, 3) || !is_small(a, b) ||
        !as_factors(args[3], args[4], factors))
        return nullptr;
    PyArrayObject* bias = aligned(args[0], descr_of<T>());
    const npy_intp count = PyArray_DIM(a.array, 0), shape[3] = {count, a.rows, b.columns};
    if (!bias || PyArray_NDIM(bias) != 3 || PyArray_DIM(b.array, 0) != count) return nullptr;
    npy_intp steps[3], over[3];
    for (int i = 0; i < 3; ++i)
        if (PyArray_DIM(bias, i) != shape[i] || !step_along<T>(bias, i, steps[i])) return nullptr;
    if (!step_along<T>(a.array, 0, over[0]) || !step_along<T>(b.array, 0, over[1])) return nullptr;
    Owned result(new_array(descr_of<T>(), 3, shape));
    if (!result) return nullptr;
    T* const first = data_of<T>(result.get());
    const T* const shift = data_of<T>(bias);
    const npy_intp work = a.rows * a.columns * b.columns;
    ReleaseGil unlocked((Size(count) * work).value_or_most() >= thread_threshold);
    parallel_for(count, work, [&](npy_intp begin, npy_intp end) {
        for (npy_intp i = begin; i < end; ++i) {
            T* out = first + i * a.rows * b.columns;
            loops<T>().small_product({a.factor.data + i * over[0], a.factor.row, a.factor.column},
                                     {b.factor.data + i * over[1], b.factor.row, b.factor.column}, nullptr, out, a.rows,
                                     a.columns, b.columns);
            combine<T>(out, a.rows, b.columns, {shift + i * steps[0], steps[1], steps[2]}, factors);
        }
    });
    return result.give();
}

// addr(self, vec1, vec2, beta, alpha), with a row-major `self` and result
template <class T> PyObject* addr(Call args) {
    Matrix<T> first, second;
    Factor<T> shift;
    T factors[2];
    PyArrayObject* bias = plain(args[0], descr_of<T>());
    if (!bias || !as_column(args[1], first) || !as_column(args[2], second) || !as_factors(args[3], args[4], factors))
        return nullptr;
    const npy_intp rows = first.rows, columns = second.rows, shape[2] = {rows, columns};
    const Size count = Size(rows) * columns;
    if (rows < 2 || columns < 2 || !count.fits() || !as_shift(args[0], rows, columns, shift)) return nullptr;
    Owned result(new_array(descr_of<T>(), 2, shape));
    if (!result) return nullptr;
    T* const out = data_of<T>(result.get());
    const bool plain_sum = factors[0] == 1 && factors[1] == 1 && shift.column == 1;
    const Factor<T> left = first.factor, right = second.factor;
    ReleaseGil unlocked(count.value() >= thread_threshold);
    parallel_for(rows, columns, [=](npy_intp begin, npy_intp end) {
        for (npy_intp i = begin; i < end; ++i) {
            T* const row = out + i * columns;
            if (right.row == 1)
                loops<T>().binary[MULTIPLY](right.data, 1, left.data + i * left.row, 0, row, columns);
            else
                for (npy_intp j = 0; j < columns; ++j) row[j] = left.data[i * left.row] * right.data[j * right.row];
            if (plain_sum)
                loops<T>().binary[ADD](row, 1, shift.data + i * shift.row, 1, row, columns);
            else
                combine<T>(row, 1, columns, {shift.data + i * shift.row, 0, shift.column}, factors);
        }
    });
    return result.give();
}

// trace(self)
template <class T> PyObject* trace(Call args) {
    Matrix<T> matrix;
    if (!as_matrix(args[0], matrix)) return nullptr;
    Owned result(new_array(descr_of<T>(), 0, nullptr));
    if (!result) return nullptr;
    double sum = 0;
    const npy_intp count = std::min(matrix.rows, matrix.columns), step = matrix.factor.row + matrix.factor.column;
    for (npy_intp i = 0; i < count; ++i) sum += static_cast<double>(matrix.factor.data[i * step]);
    *data_of<T>(result.get()) = static_cast<T>(sum);
    return result.give();
}

// linalg_cross(self, other, dim), of one shape
template <class T> PyObject* cross(Call args) {
    PyArrayObject *a = plain(args[0], descr_of<T>()), *b = plain(args[1], descr_of<T>());
    int axis = 0;
    if (!a || !b || !same_shape(a, b) || !as_axis(args[2], PyArray_NDIM(a), axis)) return nullptr;
    const Line line = line_of(PyArray_DIMS(a), PyArray_NDIM(a), axis);
    if (line.length != 3 || PyArray_SIZE(a) == 0) return nullptr;
    for (int i = 0; i < PyArray_NDIM(a); ++i)
        if (PyArray_DIM(a, i) < 2) return nullptr;  // strides of a length of 1 are chosen in Python, from the operands'
    Owned result(new_array(descr_of<T>(), PyArray_NDIM(a), PyArray_DIMS(a)));
    if (!result) return nullptr;
    const npy_intp step = line.inner;
    const T *first = data_of<T>(a), *second = data_of<T>(b);
    T* first_out = data_of<T>(result.get());
    ReleaseGil unlocked(PyArray_SIZE(a) >= thread_threshold);
    parallel_for(line.outer * step, 6, [=](npy_intp begin, npy_intp end) {
        npy_intp offset = begin / step * 3 * step + begin % step, inner = begin % step;
        for (npy_intp at = begin; at < end; ++at) {
            const T *x = first + offset, *y = second + offset;
            T* out = first_out + offset;
            out[0] = x[step] * y[2 * step] - x[2 * step] * y[step];
            out[step] = x[2 * step] * y[0] - x[0] * y[2 * step];
            out[2 * step] = x[0] * y[step] - x[step] * y[0];
            ++offset;
            if (++inner == step) inner = 0, offset += 2 * step;
        }
    });
    return result.give();
}

#define WENGERT_ADDED(count, name, arguments) \
    WENGERT_ENTRY(name, arguments, on_contiguous<direct<count, by_element<name<float>, name<double>>>, few_with_gaps>)
Methods products_added_methods({
    WENGERT_ENTRY(addmv, "(self, mat, vec, beta, alpha)",
                  of_halves<on_contiguous<direct<5, by_element<addmv<float>, addmv<double>>>, few_with_gaps>>),
    WENGERT_ENTRY(baddbmm, "(self, batch1, batch2, beta, alpha)",
                  of_halves<on_contiguous<direct<5, by_element<baddbmm<float>, baddbmm<double>>>, few_with_gaps>>),
    WENGERT_ADDED(5, addr, "(self, vec1, vec2, beta, alpha)"),
    WENGERT_ADDED(1, trace, "(self)"),
    WENGERT_ADDED(3, cross, "(self, other, dim)"),
});
#undef WENGERT_ADDED

}  // namespace
}  // namespace wengert
