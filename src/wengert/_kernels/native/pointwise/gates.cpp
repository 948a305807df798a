// Activations with a second operand: a gate along a dimension, a weight for each channel. For the dispatcher only.
#include "binding/broadcast.hpp"
#include "binding/memory_order.hpp"
#include "pointwise/pairs.hpp"

#include <algorithm>

namespace wengert {
namespace {

using Call = PyObject* const*;

// An array whose halves along a dimension are a value and its gate: `outer` times `half` elements of each.
struct Gated {
    PyArrayObject* x = nullptr;
    npy_intp outer = 1, half = 1;
    npy_intp shape[most_dims];  // of one half

    bool find(PyObject* self, PyObject* dim, PyArray_Descr* descr) {
        x = row_major_only(self, descr);
        int axis = 0;
        if (!x || PyArray_SIZE(x) == 0 || PyArray_NDIM(x) > most_dims || !as_axis(dim, PyArray_NDIM(x), axis))
            return false;
        std::copy_n(PyArray_DIMS(x), PyArray_NDIM(x), shape);
        const npy_intp length = PyArray_DIM(x, axis);
        if (length % 2) return false;
        shape[axis] = length / 2;
        const Line line = line_of(shape, PyArray_NDIM(x), axis);
        outer = line.outer, half = line.length * line.inner;
        return true;
    }
    static constexpr npy_intp most = 512;  // elements of a piece
    // body(offset of a value, offset of its half, number): pieces of values that lie side by side. Gates lie `half`
    // behind.
    template <class Body> void for_each_piece(const Body& body) const {
        const npy_intp pieces = (half + most - 1) / most, length = half;
        parallel_for(outer * pieces, std::min(half, most) * 8, [=](npy_intp first, npy_intp last) {
            for (npy_intp at = first; at < last; ++at) {
                const npy_intp o = at / pieces, begin = at % pieces * most;
                body(2 * o * length + begin, o * length + begin, std::min(most, length - begin));
            }
        });
    }
};

// glu(self, dim): the first half times the sigmoid of the second
template <class T> PyObject* glu(Call args) {
    Gated gated;
    if (!gated.find(args[0], args[1], descr_of<T>())) return nullptr;
    Owned result(new_array(descr_of<T>(), PyArray_NDIM(gated.x), gated.shape));
    if (!result) return nullptr;
    const npy_intp half = gated.half;
    const T* input = data_of<T>(gated.x);
    T* out = data_of<T>(result.get());
    ReleaseGil unlocked(PyArray_SIZE(gated.x) >= thread_threshold);
    gated.for_each_piece([=](npy_intp value, npy_intp at, npy_intp count) {
        loops<T>().unary[SIGMOID](input + value + half, out + at, count);
        loops<T>().binary[MULTIPLY](input + value, 1, out + at, 1, out + at, count);
    });
    return result.give();
}

// glu_backward(grad, self, dim): the gradient times the gates, and times the values and the derivatives of the gates
template <class T> PyObject* glu_backward(Call args) {
    Gated gated;
    Operand grad;
    if (!gated.find(args[1], args[2], descr_of<T>()) || !read_gradient(args[0], descr_of<T>(), grad)) return nullptr;
    if (PyArray_NDIM(grad.array) != PyArray_NDIM(gated.x) ||
        !std::equal(gated.shape, gated.shape + PyArray_NDIM(gated.x), PyArray_DIMS(grad.array)))
        return nullptr;
    Owned result(new_array(descr_of<T>(), PyArray_NDIM(gated.x), PyArray_DIMS(gated.x)));
    if (!result) return nullptr;
    const npy_intp half = gated.half, step = grad.repeated ? 0 : 1;
    const T *input = data_of<T>(gated.x), *grads = data_of<T>(grad.array);
    T* out = data_of<T>(result.get());
    ReleaseGil unlocked(PyArray_SIZE(gated.x) >= thread_threshold);
    gated.for_each_piece([=](npy_intp value, npy_intp at, npy_intp count) {
        T gates[Gated::most], products[Gated::most];
        const auto multiply = loops<T>().binary[MULTIPLY];
        loops<T>().unary[SIGMOID](input + value + half, gates, count);
        multiply(grads + at * step, step, gates, 1, out + value, count);
        multiply(grads + at * step, step, input + value, 1, products, count);
        loops<T>().binary[SIGMOID_BACKWARD](products, 1, gates, 1, out + value + half, count);
    });
    return result.give();
}

// prelu_kernel(self, weight): the weight one value, or one of each channel
template <class T> PyObject* prelu(Call args) {
    PyArrayObject *x = row_major_only(args[0], descr_of<T>()), *weight = row_major_only(args[1], descr_of<T>());
    Layout layout;
    if (!x || !weight || PyArray_SIZE(x) == 0 || PyArray_SIZE(weight) == 0) return nullptr;
    const bool elementwise = same_shape(x, weight);
    if (!elementwise && !block_layout(x, weight, layout)) return nullptr;
    if (elementwise) layout = {x, 1, PyArray_SIZE(x), 1};
    Owned result(new_array(descr_of<T>(), PyArray_NDIM(x), PyArray_DIMS(x)));
    if (!result) return nullptr;
    const T *input = data_of<T>(x), *weights = data_of<T>(weight);
    T* out = data_of<T>(result.get());
    ReleaseGil unlocked(PyArray_SIZE(x) >= thread_threshold);
    run(loops<T>().binary[PRELU], 1, input, weights, out, true, elementwise, layout);
    return result.give();
}

// prelu(input, weight) where the weight need not be reshaped: of vectors
PyObject* prelu_of_vector(Call args) {
    for (int k = 0; k < 2; ++k)
        if (!PyArray_CheckExact(args[k]) || PyArray_NDIM(reinterpret_cast<PyArrayObject*>(args[k])) != 1)
            return nullptr;
    return PyArray_SIZE(reinterpret_cast<PyArrayObject*>(args[1])) == 1 ? by_element<prelu<float>, prelu<double>>(args)
                                                                        : nullptr;
}

Methods gate_methods({
    WENGERT_ENTRY(glu, "(self, dim)", on_contiguous<direct<2, by_element<glu<float>, glu<double>>>, few_with_gaps>),
    WENGERT_ENTRY(glu_backward, "(grad, self, dim)",
                  on_contiguous<direct<3, by_element<glu_backward<float>, glu_backward<double>>>, few_with_gaps>),
    WENGERT_ENTRY(prelu_kernel, "(self, weight)", in_operand_order<direct<2, by_element<prelu<float>, prelu<double>>>>),
    WENGERT_ENTRY(prelu, "(input, weight)", on_contiguous<direct<2, prelu_of_vector>>),
});

}  // namespace
}  // namespace wengert
