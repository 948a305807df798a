// Products of elements, of all or along dimensions: for the dispatcher only.
#include "binding/block.hpp"
#include "binding/complex_products.hpp"
#include "binding/promoted.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

namespace wengert {
namespace {

using Call = PyObject* const*;

template <class T> struct ComplexFactor {
    T real, imaginary;
    ComplexFactor& operator=(int value) { return real = static_cast<T>(value), imaginary = 0, *this; }
    void operator*=(const ComplexFactor& by) {
        const T before = real;
        real = real * by.real - imaginary * by.imaginary, imaginary = before * by.imaginary + imaginary * by.real;
    }
};
template <class T, class Factor> PyObject* typed_product(PyArrayObject* x, const Block& block) {
    Owned result(new_array(PyArray_DESCR(x), block.ndim, block.shape));
    if (!result) return nullptr;
    const auto* rows = reinterpret_cast<const Factor*>(data_of<T>(x));
    auto* out = reinterpret_cast<Factor*>(data_of<T>(result.get()));
    for (npy_intp o = 0; o < block.outer; ++o, rows += block.reduced * block.inner, out += block.inner) {
        for (npy_intp j = 0; j < block.inner; ++j) out[j] = 1;
        for (npy_intp i = 0; i < block.reduced; ++i)
            for (npy_intp j = 0; j < block.inner; ++j) out[j] *= rows[i * block.inner + j];
    }
    return result.give();
}
// Of many numbers those of rows; a long row in pieces that do not depend on the number of threads: few, for in each the
// lanes' products pass through the numbers next to zero, with which processors multiply slowly.
template <class T> PyObject* row_products(PyArrayObject* x, const Block& block) {
    constexpr npy_intp piece = 262144;
    if (block.inner != 1) return nullptr;
    Owned result(new_array(PyArray_DESCR(x), block.ndim, block.shape));
    if (!result) return nullptr;
    const T* input = data_of<T>(x);
    const npy_intp length = block.reduced, pieces = (length + piece - 1) / piece;
    std::vector<double> part(static_cast<size_t>(block.outer * pieces));
    double* parts = part.data();
    ReleaseGil unlocked(PyArray_SIZE(x) >= thread_threshold);
    parallel_for(block.outer * pieces, length < piece ? length : piece, [=](npy_intp begin, npy_intp end) {
        for (npy_intp i = begin; i < end; ++i) {
            const npy_intp at = i % pieces * piece, count = length - at < piece ? length - at : piece;
            parts[i] = loops<T>().row_product(input + i / pieces * length + at, count);
        }
    });
    for (npy_intp o = 0; o < block.outer; ++o) {
        double product = 1;
        for (npy_intp k = 0; k < pieces; ++k) product *= parts[o * pieces + k];
        data_of<T>(result.get())[o] = static_cast<T>(product);
    }
    return result.give();
}
// Of many numbers those of columns, strip by strip; each is formed row by row.
template <class T> PyObject* column_products(PyArrayObject* x, const Block& block) {
    constexpr npy_intp strip = 512;
    Owned result(new_array(PyArray_DESCR(x), block.ndim, block.shape));
    if (!result) return nullptr;
    const T* input = data_of<T>(x);
    T* out = data_of<T>(result.get());
    const npy_intp inner = block.inner, length = block.reduced, strips = (inner + strip - 1) / strip;
    ReleaseGil unlocked(PyArray_SIZE(x) >= thread_threshold);
    parallel_for(block.outer * strips, length * std::min(inner, strip), [=](npy_intp begin, npy_intp end) {
        for (npy_intp i = begin; i < end; ++i) {
            const npy_intp at = i % strips * strip, count = std::min(inner - at, strip);
            const T* from = input + i / strips * length * inner + at;
            T* to = out + i / strips * inner + at;
            std::copy_n(from, count, to);
            for (npy_intp row = 1; row < length; ++row)
                loops<T>().binary[MULTIPLY](to, 1, from + row * inner, 1, to, count);
        }
    });
    return result.give();
}
template <class T> PyObject* many_products(PyArrayObject* x, const Block& block) {
    if (block.reduced == 0) return nullptr;
    return block.inner == 1 ? row_products<T>(x, block) : column_products<T>(x, block);
}
// Of integers, which wrap around, so that their order does not matter: four lanes, as a multiplication takes so long.
PyObject* whole_product(PyArrayObject* x) {
    std::atomic<uint64_t> product{1};
    const auto* input = data_of<const uint64_t>(x);
    {
        ReleaseGil unlocked(PyArray_SIZE(x) >= thread_threshold);
        parallel_for(PyArray_SIZE(x), 1, [&](npy_intp begin, npy_intp end) {
            uint64_t lanes[4] = {1, 1, 1, 1};
            npy_intp i = begin;
            for (; i + 4 <= end; i += 4)
#pragma GCC unroll 4
                for (int lane = 0; lane < 4; ++lane) lanes[lane] *= input[i + lane];
            for (; i < end; ++i) lanes[0] *= input[i];
            const uint64_t block_product = lanes[0] * lanes[1] * lanes[2] * lanes[3];
            uint64_t before = product.load();
            while (!product.compare_exchange_weak(before, before * block_product)) {}
        });
    }
    Owned result(new_array(int64_descr, 0, nullptr));
    if (result) *data_of<uint64_t>(result.get()) = product;
    return result.give();
}
// (self, dim, keepdim, dtype); many integers along a dimension are left to NumPy, whose loops multiply in several lanes
PyObject* product(PyObject*, Call args, Py_ssize_t nargs) {
    return answer([=]() -> PyObject* {
        if (nargs != 4 || args[3] != Py_None ||
            !((args[1] == Py_None && args[2] == Py_False) || PyLong_CheckExact(args[1])))
            return nullptr;
        Block block;
        PyArrayObject* x = reduced_along(args[0], args[1], args[2], block);
        if (!x) return nullptr;
        PyArray_Descr* descr = PyArray_DESCR(x);
        const bool rows = block.inner == 1 && block.reduced >= 32;
        if (descr == int64_descr && args[1] == Py_None && rows) return whole_product(x);
        if ((rows && descr != int64_descr) || PyArray_SIZE(x) > 1024) {
            if (descr == float_descr) return many_products<float>(x, block);
            return descr == double_descr ? many_products<double>(x, block) : nullptr;
        }
        if (descr == float_descr) return typed_product<float, float>(x, block);
        if (descr == double_descr) return typed_product<double, double>(x, block);
        if (descr == int64_descr) return typed_product<int64_t, uint64_t>(x, block);
        if (!is_complex(x)) return nullptr;
        return PyArray_TYPE(x) == NPY_CFLOAT ? typed_product<float, ComplexFactor<float>>(x, block)
                                             : typed_product<double, ComplexFactor<double>>(x, block);
    });
}

Methods prod_methods({
    WENGERT_ENTRY(prod, "(self, dim, keepdim, dtype)", on_contiguous<widened<product>>),
});

}  // namespace
}  // namespace wengert
