// Activations with a second operand: a gate along a dimension, a slope of each channel. For the dispatcher only.
#include "laid.hpp"
#include "pairs.hpp"

#include <algorithm>

namespace wengert {
namespace {

using Call = PyObject* const*;

// glu(self, dim): the first half times the sigmoid of the second
template <class T>
PyObject* glu(Call args) {
    PyArrayObject* x = rows_only(args[0], descr_of<T>());
    int axis = 0;
    if (!x || PyArray_SIZE(x) == 0 || PyArray_NDIM(x) > most_dims || !as_axis(args[1], PyArray_NDIM(x), axis)) return nullptr;
    npy_intp shape[most_dims];
    std::copy_n(PyArray_DIMS(x), PyArray_NDIM(x), shape);
    if (shape[axis] % 2) return nullptr;
    const Line line = line_of(shape, PyArray_NDIM(x), axis);
    shape[axis] /= 2;
    Owned result(new_array(descr_of<T>(), PyArray_NDIM(x), shape));
    if (!result) return nullptr;
    const npy_intp half = line.length / 2 * line.inner;
    const T* input = data_of<T>(x);
    T* out = data_of<T>(result.get());
    ReleaseGil unlocked(PyArray_SIZE(x) >= thread_threshold);
    parallel_for(line.outer, half * 8, [=](npy_intp first, npy_intp last) {
        for (npy_intp i = first; i < last; ++i) {
            loops<T>().unary[SIGMOID](input + (2 * i + 1) * half, out + i * half, half);
            loops<T>().binary[MULTIPLY](input + 2 * i * half, 1, out + i * half, 1, out + i * half, half);
        }
    });
    return result.give();
}

// prelu_kernel(self, weight): the weight one value, or one of each channel
template <class T>
PyObject* prelu(Call args) {
    PyArrayObject *x = rows_only(args[0], descr_of<T>()), *weight = rows_only(args[1], descr_of<T>());
    Layout layout;
    if (!x || !weight || PyArray_SIZE(x) == 0 || PyArray_SIZE(weight) == 0 || !block_layout(x, weight, layout)) return nullptr;
    Owned result(new_array(descr_of<T>(), PyArray_NDIM(x), PyArray_DIMS(x)));
    if (!result) return nullptr;
    const T *input = data_of<T>(x), *slopes = data_of<T>(weight);
    T* out = data_of<T>(result.get());
    // A row has one slope, or, where the channels lie innermost, one for each element.
    const npy_intp middle = layout.inner == 1 ? 1 : layout.middle, inner = layout.inner == 1 ? layout.middle : layout.inner;
    const npy_intp step = layout.inner == 1;
    ReleaseGil unlocked(PyArray_SIZE(x) >= thread_threshold);
    parallel_for(layout.outer * middle, inner, [=](npy_intp first, npy_intp last) {
        const auto loop = loops<T>().binary[PRELU];
        for (npy_intp row = first; row < last; ++row) loop(input + row * inner, 1, slopes + row % middle, step, out + row * inner, inner);
    });
    return result.give();
}

// prelu(input, weight) where the weight need not be reshaped: of vectors
PyObject* prelu_of_vector(Call args) {
    for (int k = 0; k < 2; ++k)
        if (!PyArray_CheckExact(args[k]) || PyArray_NDIM(reinterpret_cast<PyArrayObject*>(args[k])) != 1) return nullptr;
    return PyArray_SIZE(reinterpret_cast<PyArrayObject*>(args[1])) == 1 ? by_element<prelu<float>, prelu<double>>(args) : nullptr;
}

PyMethodDef gate_methods[] = {
    direct_method("direct_glu", laid<direct<2, by_element<glu<float>, glu<double>>>, few_with_gaps>, "glu(self, dim), or NotImplemented"),
    direct_method("direct_prelu_kernel", iterated<direct<2, by_element<prelu<float>, prelu<double>>>>, "prelu_kernel(self, weight), or NotImplemented"),
    direct_method("direct_prelu", laid<direct<2, prelu_of_vector>>, "prelu(input, weight), or NotImplemented"),
    {nullptr, nullptr, 0, nullptr},
};
MethodList gate_list(gate_methods);

}  // namespace
}  // namespace wengert
