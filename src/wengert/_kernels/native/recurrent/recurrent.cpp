// Recurrent networks: one direction of one layer over all steps, forward and backward. The contribution of the inputs
// to the gates is an argument, and the gradients of inputs and parameters are left to the caller: both are single
// products over all steps. Threads share the sequences, and none waits for another between steps.
#include "recurrent/recurrent.hpp"

namespace wengert {
namespace {

Twin rnn_twin("rnn_steps"), rnn_backward_twin("rnn_steps_backward"), gru_twin("gru_steps"),
    gru_backward_twin("gru_steps_backward"), lstm_twin("lstm_steps"), lstm_backward_twin("lstm_steps_backward");

// Calls body(element of the step, element of the state, products) for each sequence at each step in order, where
// `products` is the state times the weight in `panels`, that of all `gates`.
template <class T, class Body>
void walk_forward(const Recurrence& s, const Panels<T>& panels, const T* hidden, index_t gates, const Body& body) {
    s.steps.parallel_over_sequences(cost_of(s, gates), [&](index_t begin, index_t end) {
        std::vector<T> products(static_cast<size_t>((end - begin) * panels.width()));
        s.steps.walk(false, [&](index_t t) {
            const index_t count = s.steps.reaching(t, begin, end);
            panels.multiply(hidden + begin * s.width, s.width, count, products.data());
            for (index_t i = 0; i < count; ++i)
                body(s.steps.row(t, begin + i) * s.size, (begin + i) * s.width, products.data() + i * panels.width());
        });
    });
}

// ---- plain networks -------------------------------------------------------------------------------------------------

// rnn_steps(inputs, hidden, weight, relu, sizes, reverse): output, last state
template <class T> PyObject* rnn_forward(PyObject** slots) {
    PyArrayObject *input = matrix_of(slots[0], descr_of<T>(), -1, -1),
                  *state = matrix_of(slots[1], descr_of<T>(), -1, -1);
    Recurrence s;
    const T* weight;
    bool relu = false;
    if (!read_shape(input, state, 1, slots[4], slots[5], s) || s.width != s.size || !as_flag(slots[3], relu))
        return nullptr;
    if (!read_matrix(slots[2], s.size, s.width, weight)) return nullptr;
    Owned items[2] = {Owned(new_matrix<T>(s.rows, s.size)), Owned(copy_of(data_of<T>(state), s.batch, s.width))};
    if (!all_allocated(items)) return nullptr;
    const T* inputs = data_of<T>(input);
    T *out = data_of<T>(items[0].get()), *hidden = data_of<T>(items[1].get());
    {
        ReleaseGil unlocked(is_long(s, 1));
        const Panels<T> panels(weight, 1, s.width, s.width, s.size);
        walk_forward(s, panels, hidden, 1, [&](index_t at, index_t state_at, const T* products) {
            loops<T>().binary[ADD](inputs + at, 1, products, 1, out + at, s.size);
            loops<T>().unary[relu ? RELU : TANH](out + at, out + at, s.size);
            std::copy(out + at, out + at + s.size, hidden + state_at);
        });
    }
    return give_tuple(items, 2);
}

// rnn_steps_backward(grad, grad_last, output, weight, relu, batch, sizes, reverse): gradients of the inputs and of the
// first state
template <class T> PyObject* rnn_backward(PyObject** slots) {
    PyArrayObject *outputs = matrix_of(slots[2], descr_of<T>(), -1, -1),
                  *factor = matrix_of(slots[3], descr_of<T>(), -1, -1);
    Recurrence s;
    const T *grad, *grad_last;
    bool relu = false;
    if (!outputs || !factor || !as_flag(slots[4], relu) || !as_index(slots[5], s.batch)) return nullptr;
    s.rows = PyArray_DIM(outputs, 0), s.size = s.width = PyArray_DIM(outputs, 1);
    if (PyArray_DIM(factor, 0) != s.size || PyArray_DIM(factor, 1) != s.size) return nullptr;
    if (!read_steps(slots[6], slots[7], s.rows, s.batch, s.steps)) return nullptr;
    if (!read_optional(slots[0], s.rows, s.size, grad) || !read_optional(slots[1], s.batch, s.size, grad_last))
        return nullptr;
    Owned items[2] = {Owned(copy_of(grad, s.rows, s.size)), Owned(copy_of(grad_last, s.batch, s.width))};
    if (!all_allocated(items)) return nullptr;
    const T *output = data_of<T>(outputs), *weight = data_of<T>(factor);
    T *gate_grads = data_of<T>(items[0].get()), *carried = data_of<T>(items[1].get());
    {
        ReleaseGil unlocked(is_long(s, 1));
        const Panels<T> panels(weight, s.width, 1, s.size, s.width);
        s.steps.parallel_over_sequences(cost_of(s, 1), [&](index_t begin, index_t end) {
            std::vector<T> products(static_cast<size_t>((end - begin) * panels.width()));
            s.steps.walk(true, [&](index_t t) {
                const index_t count = s.steps.reaching(t, begin, end);
                for (index_t i = 0; i < count; ++i) {
                    const index_t at = s.steps.row(t, begin + i) * s.size;
                    add_row(carried + (begin + i) * s.width, gate_grads + at, s.size);
                    loops<T>().binary[relu ? RELU_BACKWARD : TANH_BACKWARD](gate_grads + at, 1, output + at, 1,
                                                                            gate_grads + at, s.size);
                }
                panels.multiply(gate_grads + s.steps.row(t, begin) * s.size, s.size, count, products.data());
                for (index_t i = 0; i < count; ++i)
                    std::copy_n(products.data() + i * panels.width(), s.width, carried + (begin + i) * s.width);
            });
        });
    }
    return give_tuple(items, 2);
}

// ---- gated recurrent units ------------------------------------------------------------------------------------------

// gru_steps(inputs, hidden, weight, bias, sizes, reverse): output, last state, gates, what the state contributed to
// candidates
template <class T> PyObject* gru_forward(PyObject** slots) {
    PyArrayObject *input = matrix_of(slots[0], descr_of<T>(), -1, -1),
                  *state = matrix_of(slots[1], descr_of<T>(), -1, -1);
    Recurrence s;
    const T *weight, *bias;
    if (!read_shape(input, state, 3, slots[4], slots[5], s) || s.width != s.size) return nullptr;
    if (!read_matrix(slots[2], 3 * s.size, s.width, weight) || !optional_data(slots[3], 3 * s.size, bias))
        return nullptr;
    const std::vector<T> none(bias ? 0 : static_cast<size_t>(3 * s.size));
    if (!bias) bias = none.data();
    Owned items[4] = {Owned(new_matrix<T>(s.rows, s.size)), Owned(copy_of(data_of<T>(state), s.batch, s.width)),
                      Owned(new_matrix<T>(s.rows, 3 * s.size)), Owned(new_matrix<T>(s.rows, s.size))};
    if (!all_allocated(items)) return nullptr;
    const T* inputs = data_of<T>(input);
    T *out = data_of<T>(items[0].get()), *hidden = data_of<T>(items[1].get());
    T *gates = data_of<T>(items[2].get()), *candidates = data_of<T>(items[3].get());
    {
        ReleaseGil unlocked(is_long(s, 3));
        const Panels<T> panels(weight, 1, s.width, s.width, 3 * s.size);
        walk_forward(s, panels, hidden, 3, [&](index_t at, index_t state_at, const T* products) {
            loops<T>().gru_row(inputs + 3 * at, products, bias, hidden + state_at, gates + 3 * at, candidates + at,
                               out + at, s.size);
        });
    }
    return give_tuple(items, 4);
}

// gru_steps_backward(grad, grad_last, gates, candidates, output, hidden, weight, sizes, reverse): gradients of what the
// inputs contributed, of what the state contributed, and of the first state
template <class T> PyObject* gru_backward(PyObject** slots) {
    PyArrayObject *gate_matrix = matrix_of(slots[2], descr_of<T>(), -1, -1),
                  *state = matrix_of(slots[5], descr_of<T>(), -1, -1);
    Recurrence s;
    const T *grad, *grad_last, *candidates, *output, *weight;
    if (!read_shape(gate_matrix, state, 3, slots[7], slots[8], s) || s.width != s.size) return nullptr;
    if (!read_optional(slots[0], s.rows, s.size, grad) || !read_optional(slots[1], s.batch, s.size, grad_last))
        return nullptr;
    if (!read_matrix(slots[3], s.rows, s.size, candidates) || !read_matrix(slots[4], s.rows, s.size, output))
        return nullptr;
    if (!read_matrix(slots[6], 3 * s.size, s.width, weight)) return nullptr;
    Owned items[3] = {Owned(new_matrix<T>(s.rows, 3 * s.size)), Owned(new_matrix<T>(s.rows, 3 * s.size)),
                      Owned(copy_of(grad_last, s.batch, s.width))};
    if (!all_allocated(items)) return nullptr;
    const T *gates = data_of<T>(gate_matrix), *hidden = data_of<T>(state);
    T *gate_grads = data_of<T>(items[0].get()), *inner = data_of<T>(items[1].get()),
      *carried = data_of<T>(items[2].get());
    {
        ReleaseGil unlocked(is_long(s, 3));
        const Panels<T> panels(weight, s.width, 1, 3 * s.size, s.width);
        s.steps.parallel_over_sequences(cost_of(s, 3), [&](index_t begin, index_t end) {
            std::vector<T> products(static_cast<size_t>((end - begin) * panels.width()));
            s.steps.walk(true, [&](index_t t) {
                const index_t count = s.steps.reaching(t, begin, end);
                for (index_t i = 0; i < count; ++i) {
                    const index_t at = s.steps.row(t, begin + i) * s.size, from = s.steps.before(t, begin + i);
                    T* own_grad = carried + (begin + i) * s.width;
                    add_row(grad ? grad + at : nullptr, own_grad, s.size);
                    const T* before = from < 0 ? hidden + (begin + i) * s.width : output + from * s.size;
                    loops<T>().gru_row_backward(own_grad, gates + 3 * at, candidates + at, before, gate_grads + 3 * at,
                                                inner + 3 * at, s.size);
                }
                panels.multiply(inner + s.steps.row(t, begin) * 3 * s.size, 3 * s.size, count, products.data());
                for (index_t i = 0; i < count; ++i)
                    add_row<T>(products.data() + i * panels.width(), carried + (begin + i) * s.width, s.width);
            });
        });
    }
    return give_tuple(items, 3);
}

// ---- long short-term memory -----------------------------------------------------------------------------------------

// The states of `count` sequences after step t, rows `pitch` apart: what the next step begins with, and what is shown.
template <class T>
void copy_states(const Recurrence& s, index_t t, index_t begin, index_t count, const T* rows, index_t pitch, T* hidden,
                 T* out) {
    for (index_t i = 0; i < count; ++i) {
        std::copy_n(rows + i * pitch, s.width, hidden + (begin + i) * s.width);
        std::copy_n(rows + i * pitch, s.width, out + s.steps.row(t, begin + i) * s.width);
    }
}

// lstm_steps(inputs, hidden, cell, weight, projection, sizes, reverse): output, last hidden state, last cell, gates,
// cells
template <class T> PyObject* lstm_forward(PyObject** slots) {
    PyArrayObject *input = matrix_of(slots[0], descr_of<T>(), -1, -1),
                  *state = matrix_of(slots[1], descr_of<T>(), -1, -1);
    Recurrence s;
    const T *first_cell, *weight, *projection;
    if (!read_shape(input, state, 4, slots[5], slots[6], s) || !read_matrix(slots[2], s.batch, s.size, first_cell))
        return nullptr;
    if (!read_matrix(slots[3], 4 * s.size, s.width, weight)) return nullptr;
    if (!read_optional(slots[4], s.width, s.size, projection) || (!projection && s.width != s.size)) return nullptr;
    Owned items[5] = {Owned(new_matrix<T>(s.rows, s.width)), Owned(copy_of(data_of<T>(state), s.batch, s.width)),
                      Owned(copy_of(first_cell, s.batch, s.size)), Owned(new_matrix<T>(s.rows, 4 * s.size)),
                      Owned(new_matrix<T>(s.rows, s.size))};
    if (!all_allocated(items)) return nullptr;
    const T* inputs = data_of<T>(input);
    T *out = data_of<T>(items[0].get()), *hidden = data_of<T>(items[1].get()), *cell = data_of<T>(items[2].get());
    T *gates = data_of<T>(items[3].get()), *cells = data_of<T>(items[4].get());
    {
        ReleaseGil unlocked(is_long(s, 4));
        const Panels<T> panels(weight, 1, s.width, s.width, 4 * s.size);
        std::unique_ptr<Panels<T>> last(projection ? new Panels<T>(projection, 1, s.size, s.size, s.width) : nullptr);
        const index_t pitch = last && last->width() > panels.width() ? last->width() : panels.width();
        s.steps.parallel_over_sequences(cost_of(s, 4), [&](index_t begin, index_t end) {
            std::vector<T> sums(static_cast<size_t>((end - begin) * pitch)),
                shown(static_cast<size_t>((end - begin) * s.size));
            s.steps.walk(false, [&](index_t t) {
                const index_t count = s.steps.reaching(t, begin, end);
                panels.multiply(hidden + begin * s.width, s.width, count, sums.data());
                for (index_t i = 0; i < count; ++i) {
                    const index_t at = s.steps.row(t, begin + i) * s.size;
                    loops<T>().lstm_row(inputs + 4 * at, sums.data() + i * panels.width(), cell + (begin + i) * s.size,
                                        gates + 4 * at, cells + at, shown.data() + i * s.size, s.size);
                }
                if (last) last->multiply(shown.data(), s.size, count, sums.data());
                const index_t row_pitch = last ? last->width() : s.size;
                copy_states(s, t, begin, count, last ? sums.data() : shown.data(), row_pitch, hidden, out);
            });
        });
    }
    return give_tuple(items, 5);
}

// The arrays of an LSTM's backward pass; `shown` is null without a projection.
template <class T> struct LstmGradients {
    const T *grad, *gates, *cells, *first_cell;
    T *gate_grads, *carried, *cell, *shown;

    // One step of `count` sequences from `begin` on; `products` is room for their products.
    void step(const Recurrence& s, index_t t, index_t begin, index_t count, const Panels<T>& panels,
              const Panels<T>* last, T* products) const {
        T* const state_grads = carried + begin * s.width;
        for (index_t i = 0; i < count; ++i) {
            const index_t at = s.steps.row(t, begin + i) * s.width;
            add_row(grad ? grad + at : nullptr, state_grads + i * s.width, s.width);
            if (last) std::copy_n(state_grads + i * s.width, s.width, shown + at);
        }
        if (last) last->multiply(state_grads, s.width, count, products);
        for (index_t i = 0; i < count; ++i) {
            const index_t at = s.steps.row(t, begin + i) * s.size, from = s.steps.before(t, begin + i);
            const T* above = last ? products + i * last->width() : state_grads + i * s.width;
            const T* before = from < 0 ? first_cell + (begin + i) * s.size : cells + from * s.size;
            loops<T>().lstm_row_backward(above, gates + 4 * at, cells + at, before, cell + (begin + i) * s.size,
                                         gate_grads + 4 * at, s.size);
        }
        panels.multiply(gate_grads + s.steps.row(t, begin) * 4 * s.size, 4 * s.size, count, products);
        for (index_t i = 0; i < count; ++i)
            std::copy_n(products + i * panels.width(), s.width, state_grads + i * s.width);
    }
};

// lstm_steps_backward(grad, grad_hidden, grad_cell, gates, cells, cell, weight, projection, sizes, reverse): gradients
// of what the inputs contributed, of the first hidden state and of the first cell; with a projection also those of what
// it gave, all steps
template <class T> PyObject* lstm_backward(PyObject** slots) {
    PyArrayObject *gate_matrix = matrix_of(slots[3], descr_of<T>(), -1, -1),
                  *state = matrix_of(slots[5], descr_of<T>(), -1, -1);
    PyArrayObject* factor = matrix_of(slots[6], descr_of<T>(), -1, -1);
    Recurrence s;
    const T *grad, *grad_hidden, *grad_cell, *cells, *weight, *projection;
    if (!factor || !read_shape(gate_matrix, state, 4, slots[8], slots[9], s) || s.width != s.size) return nullptr;
    s.width = PyArray_DIM(factor, 1);
    if (!read_optional(slots[0], s.rows, s.width, grad) || !read_optional(slots[1], s.batch, s.width, grad_hidden))
        return nullptr;
    if (!read_optional(slots[2], s.batch, s.size, grad_cell) || !read_matrix(slots[4], s.rows, s.size, cells))
        return nullptr;
    if (!read_matrix(slots[6], 4 * s.size, s.width, weight) || !read_optional(slots[7], s.width, s.size, projection))
        return nullptr;
    if (!projection && s.width != s.size) return nullptr;
    Owned items[4] = {Owned(new_matrix<T>(s.rows, 4 * s.size)), Owned(copy_of(grad_hidden, s.batch, s.width)),
                      Owned(copy_of(grad_cell, s.batch, s.size)),
                      Owned(projection ? new_matrix<T>(s.rows, s.width) : nullptr)};
    if (!items[0] || !items[1] || !items[2] || (projection && !items[3])) return nullptr;
    T *gate_grads = data_of<T>(items[0].get()), *carried = data_of<T>(items[1].get()),
      *cell = data_of<T>(items[2].get());
    T* const shown = projection ? data_of<T>(items[3].get()) : nullptr;
    const LstmGradients<T> parts = {grad, data_of<T>(gate_matrix), cells, data_of<T>(state), gate_grads, carried, cell,
                                    shown};
    {
        ReleaseGil unlocked(is_long(s, 4));
        const Panels<T> panels(weight, s.width, 1, 4 * s.size, s.width);
        std::unique_ptr<Panels<T>> last(projection ? new Panels<T>(projection, s.size, 1, s.width, s.size) : nullptr);
        const index_t pitch = last && last->width() > panels.width() ? last->width() : panels.width();
        s.steps.parallel_over_sequences(cost_of(s, 4), [&](index_t begin, index_t end) {
            std::vector<T> products(static_cast<size_t>((end - begin) * pitch));
            s.steps.walk(true, [&](index_t t) {
                parts.step(s, t, begin, s.steps.reaching(t, begin, end), panels, last.get(), products.data());
            });
        });
    }
    return give_tuple(items, projection ? 4 : 3);
}

// ---- the module's functions -----------------------------------------------------------------------------------------

template <int count, PyObject* (*for_float)(PyObject**), PyObject* (*for_double)(PyObject**), int at>
PyObject* by_dtype(const Twin& twin, const char* const* names, PyObject* const* args, Py_ssize_t nargs,
                   PyObject* kwnames) {
    return try_native<count>(twin, names, count, args, nargs, kwnames, [](PyObject** slots) {
        return plain(slots[at], float_descr) ? for_float(slots) : for_double(slots);
    });
}

const char* const rnn_names[] = {"inputs", "hidden", "weight", "relu", "sizes", "reverse"};
const char* const rnn_backward_names[] = {"grad", "grad_last", "output", "weight", "relu", "batch", "sizes", "reverse"};
const char* const gru_names[] = {"inputs", "hidden", "weight", "bias", "sizes", "reverse"};
const char* const gru_backward_names[] = {"grad",   "grad_last", "gates", "candidates", "output",
                                          "hidden", "weight",    "sizes", "reverse"};
const char* const lstm_names[] = {"inputs", "hidden", "cell", "weight", "projection", "sizes", "reverse"};
const char* const lstm_backward_names[] = {"grad", "grad_hidden", "grad_cell",  "gates", "cells",
                                           "cell", "weight",      "projection", "sizes", "reverse"};

PyObject* rnn_steps(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return by_dtype<6, rnn_forward<float>, rnn_forward<double>, 0>(rnn_twin, rnn_names, args, nargs, kwnames);
}
PyObject* rnn_steps_backward(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return by_dtype<8, rnn_backward<float>, rnn_backward<double>, 2>(rnn_backward_twin, rnn_backward_names, args, nargs,
                                                                     kwnames);
}
PyObject* gru_steps(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return by_dtype<6, gru_forward<float>, gru_forward<double>, 0>(gru_twin, gru_names, args, nargs, kwnames);
}
PyObject* gru_steps_backward(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return by_dtype<9, gru_backward<float>, gru_backward<double>, 2>(gru_backward_twin, gru_backward_names, args, nargs,
                                                                     kwnames);
}
PyObject* lstm_steps(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return by_dtype<7, lstm_forward<float>, lstm_forward<double>, 0>(lstm_twin, lstm_names, args, nargs, kwnames);
}
PyObject* lstm_steps_backward(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return by_dtype<10, lstm_backward<float>, lstm_backward<double>, 3>(lstm_backward_twin, lstm_backward_names, args,
                                                                        nargs, kwnames);
}

Methods recurrent_methods({
    WENGERT_FUNCTION(rnn_steps, "(inputs, hidden, weight, relu, sizes, reverse)", rnn_steps),
    WENGERT_FUNCTION(rnn_steps_backward, "(grad, grad_last, output, weight, relu, batch, sizes, reverse)",
                     rnn_steps_backward),
    WENGERT_FUNCTION(gru_steps, "(inputs, hidden, weight, bias, sizes, reverse)", gru_steps),
    WENGERT_FUNCTION(gru_steps_backward, "(grad, grad_last, gates, candidates, output, hidden, weight, sizes, reverse)",
                     gru_steps_backward),
    WENGERT_FUNCTION(lstm_steps, "(inputs, hidden, cell, weight, projection, sizes, reverse)", lstm_steps),
    WENGERT_FUNCTION(lstm_steps_backward,
                     "(grad, grad_hidden, grad_cell, gates, cells, cell, weight, projection, sizes, reverse)",
                     lstm_steps_backward),
});

}  // namespace
}  // namespace wengert
