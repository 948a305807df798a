// Running sums and products along an axis. For the dispatcher only.
#include "binding/promoted.hpp"

#include <vector>

namespace wengert {
namespace {

using Call = PyObject* const*;
constexpr npy_intp piece = 65536, strip = 1024;  // elements of a long row, columns, that are worked on together

enum Scan { SUM, SUM_BACK, PRODUCT };

// Along rows. Of long ones first each piece's total is found, from which the next begins: the pieces, and so the
// results, do not depend on the number of threads.
template <class T> void scan_rows(Scan scan, const T* x, T* out, const Line& line) {
    const Loops<T>& table = loops<T>();
    auto running = table.running_product;
    if (scan == SUM) running = table.running_sum;
    if (scan == SUM_BACK) running = table.running_sum_back;
    const npy_intp length = line.length, pieces = (length + piece - 1) / piece;
    if (pieces < 2 || scan == PRODUCT) {  // a product of pieces would have the errors of all its factors
        parallel_for(line.outer, length * 2, [=](npy_intp begin, npy_intp end) {
            for (npy_intp o = begin; o < end; ++o)
                running(x + o * length, out + o * length, length, scan == PRODUCT ? 1 : 0);
        });
        return;
    }
    const auto size = [=](npy_intp i) { return i + 1 < pieces ? piece : length - i * piece; };
    std::vector<double> totals(static_cast<size_t>(pieces));
    double* starts = totals.data();
    for (npy_intp o = 0; o < line.outer; ++o, x += length, out += length) {
        parallel_for(pieces, piece, [=, &table](npy_intp begin, npy_intp end) {
            for (npy_intp i = begin; i < end; ++i) starts[i] = table.row_sum[OF_VALUES](x + i * piece, size(i));
        });
        double before = 0;
        for (npy_intp k = 0; k < pieces; ++k) {
            double& start = starts[scan == SUM_BACK ? pieces - 1 - k : k];
            const double total = start;
            start = before;
            before += total;
        }
        parallel_for(pieces, piece * 2, [=](npy_intp begin, npy_intp end) {
            for (npy_intp i = begin; i < end; ++i) running(x + i * piece, out + i * piece, size(i), starts[i]);
        });
    }
}

// Along columns, row by row, several columns at a time.
template <class T> void scan_columns(Scan scan, const T* x, T* out, const Line& line) {
    const auto join = loops<T>().binary[scan == PRODUCT ? MULTIPLY : ADD];
    const npy_intp inner = line.inner, length = line.length, strips = (inner + strip - 1) / strip;
    const npy_intp step = scan == SUM_BACK ? -inner : inner;
    parallel_for(line.outer * strips, length * (inner < strip ? inner : strip), [=](npy_intp begin, npy_intp end) {
        for (npy_intp s = begin; s < end; ++s) {
            const npy_intp first = s % strips * strip, width = inner - first < strip ? inner - first : strip;
            npy_intp at = s / strips * length * inner + first + (scan == SUM_BACK ? (length - 1) * inner : 0);
            for (npy_intp j = 0; j < width; ++j) out[at + j] = x[at + j];
            for (npy_intp i = 1; i < length; ++i, at += step)
                join(out + at, 1, x + at + step, 1, out + at + step, width);
        }
    });
}

template <class T> PyObject* typed(Scan scan, PyArrayObject* x, int axis) {
    const Line line = line_of(PyArray_DIMS(x), PyArray_NDIM(x), axis);
    Owned result(new_array(PyArray_DESCR(x), PyArray_NDIM(x), PyArray_DIMS(x)));
    if (!result) return nullptr;
    const T* input = data_of<T>(x);
    T* out = data_of<T>(result.get());
    {
        ReleaseGil unlocked(PyArray_SIZE(x) >= thread_threshold);
        if (line.inner == 1)
            scan_rows(scan, input, out, line);
        else
            scan_columns(scan, input, out, line);
    }
    return result.give();
}

// Running sums of integers, which wrap around in 64 bits.
void whole_rows(const int64_t* x, int64_t* out, const Line& line) {
    parallel_for(line.outer, line.length, [=](npy_intp begin, npy_intp end) {
        for (npy_intp o = begin; o < end; ++o) {
            uint64_t total = 0;
            for (npy_intp at = o * line.length; at < (o + 1) * line.length; ++at)
                out[at] = static_cast<int64_t>(total += static_cast<uint64_t>(x[at]));
        }
    });
}
PyObject* whole_sums(PyArrayObject* x, int axis) {
    const Line line = line_of(PyArray_DIMS(x), PyArray_NDIM(x), axis);
    PyArrayObject* result = new_array(int64_descr, PyArray_NDIM(x), PyArray_DIMS(x));
    if (!result) return nullptr;
    const ReleaseGil unlocked(PyArray_SIZE(x) >= thread_threshold);
    if (line.inner == 1)
        whole_rows(data_of<int64_t>(x), data_of<int64_t>(result), line);
    else
        scan_columns(SUM, data_of<int64_t>(x), data_of<int64_t>(result), line);
    return reinterpret_cast<PyObject*>(result);
}

PyObject* scanned(Scan scan, PyObject* object, PyObject* dim) {
    PyArrayObject* x = plain(object);
    int axis = 0;
    if (!x || PyArray_SIZE(x) == 0 || !as_axis(dim, PyArray_NDIM(x), axis)) return nullptr;
    if (PyArray_DESCR(x) == float_descr) return typed<float>(scan, x, axis);
    if (PyArray_DESCR(x) == int64_descr) return scan == SUM ? whole_sums(x, axis) : nullptr;
    return PyArray_DESCR(x) == double_descr ? typed<double>(scan, x, axis) : nullptr;
}
// (self, dim, dtype)
template <Scan scan> PyObject* of_card(Call args) {
    return args[2] == Py_None ? scanned(scan, args[0], args[1]) : nullptr;
}
// (self, dim)
PyObject* cumsum_reversed(Call args) { return scanned(SUM_BACK, args[0], args[1]); }
// (grad, dim): the gradient may have any strides
PyObject* cumsum_rule(Call args) {
    if (!PyArray_CheckExact(args[0])) return nullptr;
    Owned grad(as_contiguous(args[0], PyArray_DESCR(reinterpret_cast<PyArrayObject*>(args[0]))));
    return grad ? scanned(SUM_BACK, reinterpret_cast<PyObject*>(grad.get()), args[1]) : nullptr;
}

Methods scan_methods({
    WENGERT_ENTRY(cumsum, "(self, dim, dtype)", on_contiguous<widened<direct<3, of_card<SUM>>>>),
    WENGERT_ENTRY(cumprod, "(self, dim, dtype)", on_contiguous<widened<direct<3, of_card<PRODUCT>>>>),
    WENGERT_ENTRY(cumsum_reversed, "(self, dim)", on_contiguous<direct<2, cumsum_reversed>>),
    WENGERT_ENTRY(cumsum_rule, "(grad, dim): the gradient of cumsum", on_contiguous<direct<2, cumsum_rule>>),
});

}  // namespace
}  // namespace wengert
