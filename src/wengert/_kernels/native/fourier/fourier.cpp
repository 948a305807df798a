// Fourier transforms for the cards of these names. Those of few points are computed here, in float64 whatever the
// numbers are, any length up to `most_length`, by its prime factors; those of more points along each axis
// (fourier/axes.hpp). Results are row-major, so the dimensions that are transformed must be the last ones.
#include <algorithm>

#include "fourier/axes.hpp"
#include "fourier/plan.hpp"
#include "binding/memory_order.hpp"

namespace wengert {
namespace {

using Call = PyObject* const*;
using Point = Root;

constexpr npy_intp most_length = 256, most_points = 1024;  // more go through scratch, line by line

// The roots of one length; each thread keeps those of the lengths that it met last.
struct Roots {
    npy_intp length = 0;
    Point at[most_length];
};
const Point* roots_of(npy_intp length) {
    thread_local Roots kept[4];
    thread_local unsigned next = 0;
    for (const Roots& roots : kept)
        if (roots.length == length) return roots.at;
    Roots& roots_kept = kept[next++ % 4];
    for (npy_intp k = 0; k < length; ++k) roots_kept.at[k] = root_of_unity(k, length);
    roots_kept.length = length;
    return roots_kept.at;
}

// The transform of `count` points with a step of `step`: of the subsequences by a prime factor, which are then
// combined. `roots` are those of count * stride. The depth is the number of prime factors: eight at most.
void transform(const Point* from, npy_intp step, npy_intp count, const Point* roots, npy_intp stride, Point* to) {
    npy_intp radix = 2;
    while (radix < count && count % radix != 0) ++radix;
    const npy_intp part = count / radix;
    if (part <= 1) {
        for (npy_intp k = 0; k < count; ++k) {
            Point sum = from[0];
            for (npy_intp j = 1, exponent = k; j < count; ++j) {
                sum += from[j * step] * roots[exponent * stride];
                exponent += k;
                if (exponent >= count) exponent -= count;
            }
            to[k] = sum;
        }
        return;
    }
    for (npy_intp r = 0; r < radix; ++r)
        transform(from + r * step, step * radix, part, roots, stride * radix, to + r * part);
    Point column[most_length];
    for (npy_intp k = 0; k < part; ++k) {
        for (npy_intp r = 0; r < radix; ++r) column[r] = to[r * part + k] * roots[r * k * stride];
        for (npy_intp q = 0; q < radix; ++q) {
            Point sum = column[0];
            for (npy_intp r = 1; r < radix; ++r) sum += column[r] * roots[q * r % radix * part * stride];
            to[q * part + k] = sum;
        }
    }
}

// One dimension of points in row-major order, transformed in its place.
void transform_along(Point* points, const Line& line, bool forward) {
    const Point* roots = roots_of(line.length);
    Point from[most_length], to[most_length];
    for (npy_intp outer = 0; outer < line.outer; ++outer)
        for (npy_intp inner = 0; inner < line.inner; ++inner) {
            Point* line_points = points + outer * line.length * line.inner + inner;
            for (npy_intp k = 0; k < line.length; ++k)
                from[k] = forward ? line_points[k * line.inner] : line_points[k * line.inner].conjugate();
            transform(from, 1, line.length, roots, 1, to);
            for (npy_intp k = 0; k < line.length; ++k)
                line_points[k * line.inner] = forward ? to[k] : to[k].conjugate();
        }
}

// What is transformed: an array whose last dimensions, `first` and those behind it, are named.
struct Grid {
    PyArrayObject* array = nullptr;
    npy_intp shape[most_dims];
    int ndim = 0, first = 0;
    npy_intp count = 0, scale = 0;
    bool few = true;  // points, of lines that are short
    double weight = 1;

    bool read(PyObject* object, PyArray_Descr* descr, PyObject* dims, PyObject* normalization) {
        array = plain(object, descr);
        if (!array || PyArray_NDIM(array) > most_dims || !PyTuple_CheckExact(dims)) return false;
        ndim = PyArray_NDIM(array), count = PyArray_SIZE(array);
        const npy_intp named = PyTuple_GET_SIZE(dims);
        if (named < 1 || named > ndim || count < 1) return false;
        first = ndim - static_cast<int>(named);
        npy_intp step = PyArray_ITEMSIZE(array);
        for (int i = ndim - 1; i >= 0; --i) {  // as in row-major order also where a length of 1 leaves it open
            shape[i] = PyArray_DIM(array, i);
            if (PyArray_STRIDE(array, i) != step) return false;
            if (shape[i] > most_length) few = false;
            step *= shape[i];
        }
        for (npy_intp i = 0; i < named; ++i) {
            npy_intp dim = -1;
            if (!as_index(PyTuple_GET_ITEM(dims, i), dim) || dim != first + i) return false;
        }
        few = few && count <= most_points;
        return as_index(normalization, scale) && scale >= 0 && scale <= 2;
    }
    Line line(int dim) const { return line_of(shape, ndim, dim); }
    void find_weight() {
        npy_intp points = 1;
        for (int i = first; i < ndim; ++i) points *= shape[i];
        weight = fourier_weight(points, scale);
    }
};

bool is_finite(const Point* points, npy_intp count) {
    bool finite = true;
    for (npy_intp i = 0; i < count; ++i) finite = finite && std::isfinite(points[i].re) && std::isfinite(points[i].im);
    return finite;
}

PyArray_Descr* complex_of(PyArray_Descr* real) {
    return PyArray_DescrFromType(real == float_descr ? NPY_CFLOAT : NPY_CDOUBLE);
}

// fft_c2c(self, dim, normalization, forward)
template <class T> PyObject* fft_c2c(Call args) {
    Grid grid;
    bool forward = true;
    PyArray_Descr* descr = complex_of(descr_of<T>());
    const bool known = as_flag(args[3], forward) && grid.read(args[0], descr, args[1], args[2]);
    PyArrayObject* result = known ? new_array(descr, grid.ndim, grid.shape) : nullptr;
    Py_DECREF(descr);
    if (!result) return nullptr;
    Owned held(result);
    if (!grid.few) {
        bool done = fft_along(grid.array, grid.ndim - 1, grid.scale, forward, result);
        for (int dim = grid.ndim - 2; done && dim >= grid.first; --dim)
            done = fft_along(result, dim, grid.scale, forward, result);
        return done ? held.give() : nullptr;
    }
    Point points[most_points];
    const auto* from = data_of<std::complex<T>>(grid.array);
    for (npy_intp i = 0; i < grid.count; ++i) points[i] = Point(from[i]);
    if (!is_finite(points, grid.count)) return nullptr;
    for (int dim = grid.ndim - 1; dim >= grid.first; --dim) transform_along(points, grid.line(dim), forward);
    grid.find_weight();
    auto* out = data_of<std::complex<T>>(result);
    for (npy_intp i = 0; i < grid.count; ++i) out[i] = (points[i] * grid.weight).template as<T>();
    return held.give();
}

// fft_r2c(self, dim, normalization, onesided), along the last dimension
template <class T> PyObject* fft_r2c(Call args) {
    Grid grid;
    bool half = false;
    if (!as_flag(args[3], half) || !grid.read(args[0], descr_of<T>(), args[1], args[2]) || grid.first != grid.ndim - 1)
        return nullptr;
    const npy_intp length = grid.shape[grid.first], rows = grid.count / length, terms = half ? length / 2 + 1 : length;
    grid.shape[grid.first] = terms;
    PyArray_Descr* descr = complex_of(descr_of<T>());
    Owned result(new_array(descr, grid.ndim, grid.shape));
    Py_DECREF(descr);
    if (!result) return nullptr;
    if (!grid.few) return rfft_along(grid.array, grid.first, grid.scale, half, result.get()) ? result.give() : nullptr;
    grid.shape[grid.first] = length;
    Point points[most_points];
    const T* from = data_of<T>(grid.array);
    for (npy_intp i = 0; i < grid.count; ++i) points[i] = Point(static_cast<double>(from[i]), 0);
    if (!is_finite(points, grid.count)) return nullptr;
    transform_along(points, grid.line(grid.first), true);
    grid.find_weight();
    auto* out = data_of<std::complex<T>>(result.get());
    for (npy_intp row = 0; row < rows; ++row) {
        const Point* row_points = points + row * length;
        for (npy_intp k = 0; k < terms; ++k) {  // the second half is the conjugate of the first
            const Point value = (2 * k > length ? row_points[length - k].conjugate() : row_points[k]) * grid.weight;
            out[row * terms + k] = Point(value.re, k == 0 || 2 * k == length ? 0 : value.im).as<T>();
        }
    }
    return result.give();
}

// fft_c2r(self, dim, normalization, last_dim_size), along the last dimension
template <class T> PyObject* fft_c2r(Call args) {
    Grid grid;
    npy_intp length = 0;
    PyArray_Descr* descr = complex_of(descr_of<T>());
    const bool known = grid.read(args[0], descr, args[1], args[2]) && as_index(args[3], length);
    Py_DECREF(descr);
    if (!known || grid.first != grid.ndim - 1 || length < 1) return nullptr;
    const npy_intp terms = grid.shape[grid.first], rows = grid.count / terms;
    if (terms != length / 2 + 1) return nullptr;
    grid.shape[grid.first] = length;
    Owned result(new_array(descr_of<T>(), grid.ndim, grid.shape));
    if (!result) return nullptr;
    if (length > most_length || rows * length > most_points)
        return irfft_along(grid.array, grid.first, grid.scale, result.get()) ? result.give() : nullptr;
    Point points[most_points];
    const auto* from = data_of<std::complex<T>>(grid.array);
    for (npy_intp row = 0; row < rows; ++row)
        for (npy_intp k = 0; k < terms; ++k) {
            const Point value(from[row * terms + k]);
            Point* row_points = points + row * length;
            if (k == 0 || 2 * k == length)
                row_points[k] = {value.re, 0};
            else
                row_points[k] = value, row_points[length - k] = value.conjugate();
            if (!is_finite(&value, 1)) return nullptr;
        }
    grid.find_weight();
    transform_along(points, grid.line(grid.first), false);
    T* out = data_of<T>(result.get());
    for (npy_intp i = 0; i < rows * length; ++i) out[i] = static_cast<T>(points[i].re * grid.weight);
    return result.give();
}

// Complex arguments have no loops of their own: the form is chosen by the kind of numbers.
template <PyObject* (*for_float)(Call), PyObject* (*for_double)(Call)> PyObject* by_parts(Call args) {
    if (!PyArray_CheckExact(args[0])) return nullptr;
    const int kind = PyArray_TYPE(reinterpret_cast<PyArrayObject*>(args[0]));
    if (kind == NPY_CFLOAT) return for_float(args);
    return kind == NPY_CDOUBLE ? for_double(args) : nullptr;
}

// ---- the arguments of the functions --------------------------------------------------------------------------------
// The place of a normalisation among `names`, None for the first; -1 if there is no such name.
int scale_of(PyObject* norm, bool forward) {
    if (norm == Py_None || is_text(norm, "backward")) return forward ? 0 : 2;
    if (is_text(norm, "ortho")) return 1;
    if (!is_text(norm, "forward")) return -1;
    return forward ? 2 : 0;
}

// (input, n, dim, norm) of `fft`, `ifft`, `rfft` and `irfft`: those of the operator, None in the place of the first
enum Kind { OF_ALL, INVERSE_OF_ALL, OF_REAL, INVERSE_TO_REAL };
template <Kind kind> PyObject* line_arguments(Call args) {
    if (!PyArray_CheckExact(args[0]) || args[1] != Py_None) return nullptr;
    auto* input = reinterpret_cast<PyArrayObject*>(args[0]);
    const int type = PyArray_TYPE(input), scale = scale_of(args[3], kind == OF_ALL || kind == OF_REAL);
    const bool real = type == NPY_FLOAT || type == NPY_DOUBLE, complex = type == NPY_CFLOAT || type == NPY_CDOUBLE;
    int dim = 0;
    if (scale < 0 || !as_axis(args[2], PyArray_NDIM(input), dim) || PyArray_DIM(input, dim) < 2) return nullptr;
    const bool takes_real = kind != INVERSE_TO_REAL, takes_complex = kind != OF_REAL;
    if (!(takes_real && real) && !(takes_complex && complex)) return nullptr;
    if (kind == INVERSE_TO_REAL)
        return Py_BuildValue("(O(i)in)", Py_None, dim, scale, 2 * (PyArray_DIM(input, dim) - 1));
    const bool flag = kind == OF_ALL ? complex : kind == OF_REAL;
    return Py_BuildValue("(O(i)iO)", Py_None, dim, scale, flag ? Py_True : Py_False);
}

Methods fourier_methods({
    WENGERT_ENTRY(fft_c2c, "(self, dim, normalization, forward)",
                  on_contiguous<direct<4, by_parts<fft_c2c<float>, fft_c2c<double>>>, few_with_gaps>),
    WENGERT_ENTRY(fft_r2c, "(self, dim, normalization, onesided)",
                  on_contiguous<direct<4, by_element<fft_r2c<float>, fft_r2c<double>>>, few_with_gaps>),
    WENGERT_ENTRY(fft_c2r, "(self, dim, normalization, last_dim_size)",
                  on_contiguous<direct<4, by_parts<fft_c2r<float>, fft_c2r<double>>>, few_with_gaps>),
    WENGERT_ENTRY(fft_arguments, "(input, n, dim, norm)", direct<4, line_arguments<OF_ALL>>),
    WENGERT_ENTRY(ifft_arguments, "(input, n, dim, norm)", direct<4, line_arguments<INVERSE_OF_ALL>>),
    WENGERT_ENTRY(rfft_arguments, "(input, n, dim, norm)", direct<4, line_arguments<OF_REAL>>),
    WENGERT_ENTRY(irfft_arguments, "(input, n, dim, norm)", direct<4, line_arguments<INVERSE_TO_REAL>>),
});

}  // namespace
}  // namespace wengert
