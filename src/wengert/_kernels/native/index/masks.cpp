// Reading and placing elements under a mask, positions of what is not zero: for the dispatcher only.
#include "binding/memory_order.hpp"
#include "index/masks.hpp"

#include <cstring>

namespace wengert {
namespace {

using Call = PyObject* const*;

// masked_select(self, mask), of one shape
PyObject* masked_select(Call args) {
    PyArrayObject *x = plain(args[0]), *mask = plain(args[1], bool_descr);
    return x && mask ? held_elements(x, mask) : nullptr;
}

// `values` where the mask holds, `base` (or zeros) elsewhere; null if there are fewer values than places.
PyObject* placed(PyArrayObject* values, PyArrayObject* base, PyArrayObject* mask, bool exactly) {
    const npy_intp count = PyArray_SIZE(mask);
    const Selected held(data_of<npy_bool>(mask), count);
    if (exactly ? held.total() != PyArray_SIZE(values) : held.total() > PyArray_SIZE(values)) return nullptr;
    return with_element(values, [&](auto element) -> PyObject* {
        using T = decltype(element);
        Owned result(new_array(PyArray_DESCR(values), PyArray_NDIM(mask), PyArray_DIMS(mask)));
        if (!result) return nullptr;
        {
            ReleaseGil unlocked(count >= thread_threshold);
            held.put(data_of<T>(values), base ? data_of<T>(base) : nullptr, data_of<T>(result.get()));
        }
        return result.give();
    });
}

// masked_select_backward(grad, shape, mask), the mask of that shape
PyObject* masked_select_backward(Call args) {
    PyArrayObject *grad = plain(args[0]), *mask = plain(args[2], bool_descr);
    npy_intp shape[most_dims];
    const int ndim = as_shape(args[1], shape);
    if (!grad || !mask || PyArray_NDIM(grad) != 1 || PyArray_SIZE(mask) == 0 || ndim != PyArray_NDIM(mask))
        return nullptr;
    if (!std::equal(shape, shape + ndim, PyArray_DIMS(mask))) return nullptr;
    return placed(grad, nullptr, mask, true);
}

// masked_scatter(self, mask, source), all of one dtype, the mask of the shape of the first
PyObject* masked_scatter(Call args) {
    PyArrayObject *x = plain(args[0]), *mask = plain(args[1], bool_descr),
                  *source = x ? plain(args[2], PyArray_DESCR(x)) : nullptr;
    if (!x || !mask || !source || PyArray_SIZE(x) == 0 || !same_shape(x, mask)) return nullptr;
    return placed(source, x, mask, false);
}

// Whether numbers are not zero, as a new reference; a mask as it is.
PyArrayObject* as_mask(PyArrayObject* x) {
    if (PyArray_DESCR(x) == bool_descr) return reinterpret_cast<PyArrayObject*>(Py_NewRef(x));
    if (!PyArray_ISINTEGER(x) && !PyArray_ISFLOAT(x)) return nullptr;
    Py_INCREF(bool_descr);  // the function takes one
    return reinterpret_cast<PyArrayObject*>(with_python([&] { return PyArray_CastToType(x, bool_descr, 0); }));
}

// nonzero_positions(self): rows of coordinates, stored column by column
PyObject* nonzero(Call args) {
    PyArrayObject* x = plain(args[0]);
    if (!x || PyArray_NDIM(x) == 0 || PyArray_SIZE(x) == 0) return nullptr;
    const Owned owned(as_mask(x));
    PyArrayObject* mask = owned.get();
    if (!mask) return nullptr;
    const int ndim = PyArray_NDIM(mask);
    const npy_intp count = PyArray_SIZE(mask), length = PyArray_DIM(mask, ndim - 1);
    const npy_bool* held = data_of<npy_bool>(mask);
    const Selected selected(held, count);
    const npy_intp total = selected.total(), result_shape[2] = {ndim, total};
    if (total == 0 || !(Size(total) * ndim * 8).fits()) return nullptr;
    Owned result(new_array(int64_descr, 2, result_shape));
    if (!result) return nullptr;
    int64_t* out = data_of<int64_t>(result.get());
    const npy_intp* shape = PyArray_DIMS(mask);
    {
        ReleaseGil unlocked(count >= thread_threshold);
        selected.for_each_piece([=](npy_intp begin, npy_intp end, npy_intp first, npy_intp last) {
            npy_intp k = first;
            for (npy_intp i = begin; i < end && k < last;) {
                int64_t position[NPY_MAXDIMS];  // of the first element of what is left of a row
                for (npy_intp dim = ndim - 1, rest = i; dim >= 0; rest /= shape[dim--])
                    position[dim] = rest % shape[dim];
                const npy_intp stop = std::min(end, i + length - static_cast<npy_intp>(position[ndim - 1]));
                for (; i < stop && k < last; ++i, ++position[ndim - 1]) {
                    for (int dim = 0; dim < ndim; ++dim) out[dim * total + k] = position[dim];
                    k += held[i] != 0;
                }
            }
            for (int dim = 0; dim < ndim; ++dim) std::fill(out + dim * total + k, out + dim * total + last, 0);
        });
    }
    return PyArray_Transpose(result.get(), nullptr);
}

Methods mask_methods({
    WENGERT_ENTRY(masked_select, "(self, mask)", on_contiguous<direct<2, masked_select>>),
    WENGERT_ENTRY(masked_select_backward, "(grad, shape, mask)", on_contiguous<direct<3, masked_select_backward>>),
    WENGERT_ENTRY(masked_scatter, "(self, mask, source)", on_contiguous<direct<3, masked_scatter>>),
    WENGERT_ENTRY(nonzero_positions, "(self)", on_contiguous<direct<1, nonzero>>),
});

}  // namespace
}  // namespace wengert
