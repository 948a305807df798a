// Convolutions of real numbers, by ways that conv/conv.cpp chooses, and how calls name their shapes and settings.
#pragma once

#include "binding/common.hpp"
#include "conv/core.hpp"

namespace wengert {

// out (N, O, ...) from x (N, C, ...), weight (O, C / groups, ...) and bias (O,) or null.
template <class T> void convolve(const Geometry& g, const T* x, const T* weight, const T* bias, T* out);

// out (N, C, ...) from grad (N, O, ...) and weight, all of whose elements are finite: they meet zeros that are none of
// grad.
template <class T> void convolve_backward_input(const Geometry& g, const T* grad, const T* weight, T* out);

// out (O, C / groups, ...) from grad and x; false where it is not to be had.
template <class T> bool convolve_backward_weight(const Geometry& g, const T* grad, const T* x, T* out);

// New arrays, for (x, weight, bias), (grad, weight, shape of x) and (grad, x, shape of weight), each followed by
// stride, padding, dilation, groups; null without an error for what is unknown.
template <class T> PyObject* convolution_of(PyObject** slots);
template <class T> PyObject* input_slopes_of(PyObject** slots);
template <class T> PyObject* weight_slopes_of(PyObject** slots);

// The shape (N, C, depth, height, width) that stands for one of signals, planes or volumes.
inline bool as_volumes(int ndim, const npy_intp* shape, index_t* volumes) {
    if (ndim < 3 || ndim > 2 + axes) return false;
    for (int i = 0; i < 2; ++i) volumes[i] = shape[i];
    for (int a = 0; a < axes; ++a) volumes[2 + a] = a < axes + 2 - ndim ? 1 : shape[ndim - axes + a];
    return true;
}
// An integer for each of the last `count` axes.
inline bool as_steps(PyObject* object, int count, index_t* value) {
    if (!PyTuple_CheckExact(object) || PyTuple_GET_SIZE(object) != count) return false;
    for (int i = 0; i < count; ++i)
        if (!as_index(PyTuple_GET_ITEM(object, i), value[axes - count + i])) return false;
    return true;
}

}  // namespace wengert
