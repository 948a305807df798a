// Element-wise functions of one and two operands, each also as `direct_<name>` for the dispatcher.
#include "binding/broadcast.hpp"
#include "binding/memory_order.hpp"
#include "binding/dense.hpp"
#include "binding/halves.hpp"
#include "binding/work.hpp"
#include "pointwise/pairs.hpp"
#include "pointwise/pointwise.hpp"
#include "binding/promoted.hpp"

#include <algorithm>
#include <type_traits>

namespace wengert {
namespace {

// Null without a Python error: unknown.
PyArrayObject* binary_result(PyArrayObject* a, PyArrayObject* b, PyObject* out, const Layout& layout) {
    if (!out || out == Py_None)
        return new_array(PyArray_DESCR(layout.shape_of), PyArray_NDIM(layout.shape_of), PyArray_DIMS(layout.shape_of));
    PyArrayObject* result = plain(out, PyArray_DESCR(layout.shape_of));
    if (!result || !writeable(result) || !same_shape(result, layout.shape_of)) return nullptr;
    if ((a && !safe_in_place(result, a)) || (b && !safe_in_place(result, b))) return nullptr;
    Py_INCREF(result);
    return result;
}
// Operands of which neither has the shape of the result, as a row and a column, or that are repeated along some
// dimensions; what is no array is a number.
template <class T>
PyObject* crossed(BinaryLoop<T> loop, npy_intp cost, const Operand (&operands)[2], const T (&numbers)[2]) {
    Broadcast<2> shape;
    if (!shape.find(operands)) return nullptr;
    PyArrayObject* result = shape.new_result(descr_of<T>());
    if (!result) return nullptr;
    const T* left = operands[0].array ? data_of<T>(operands[0].array) : numbers;
    const T* right = operands[1].array ? data_of<T>(operands[1].array) : numbers + 1;
    T* out = data_of<T>(result);
    ReleaseGil unlocked(shape.size() >= thread_threshold);
    shape.run(cost, [&](npy_intp to, const npy_intp* from, npy_intp count) {
        // Loops know one operand that stays where it is, not two: both are repeated along a row.
        const npy_intp different = shape.inner(0) || shape.inner(1) ? count : 1;
        loop(left + from[0], shape.inner(0), right + from[1], shape.inner(1), out + to, different);
        std::fill(out + to + different, out + to + count, out[to]);
    });
    return reinterpret_cast<PyObject*>(result);
}

// Whether integers may be divided by these: by a zero among them the twin refuses it.
template <class T> bool divides(PyArrayObject* divisors) {
    const T* first = data_of<T>(divisors);
    const npy_intp count = is_in_rows(divisors) ? PyArray_SIZE(divisors) : 1;
    return std::find(first, first + count, T{0}) == first + count;
}

// Two operands, of which one without data is a number, and memory for the result.
template <class T> struct BinaryCall {
    BinaryLoop<T> loop;
    npy_intp cost;
    const T *a_data, *b_data;
    T a_value, b_value;
    bool a_large, b_large;
    T* data;

    void perform_all(const Layout& layout) const {
        const npy_intp count = layout.outer * layout.middle * layout.inner;
        const std::initializer_list<const void*> pointers = {a_data ? a_data : data, b_data ? b_data : data, data};
        const BinaryCall call = *this;
        if (a_large != b_large && layout.middle != 1) {
            perform(
                count,
                [=] {
                    run(call.loop, call.cost, call.a_data, call.b_data, call.data, call.a_large, call.b_large, layout);
                },
                pointers);
        } else if (count < many_elements) {
            do_work([=] { call.run_loop(call.a_data, call.b_data, call.data, count); }, pointers);
        } else {
            const auto elements = [=](char* const* at, npy_intp some) {
                call.run_loop(elements_at<T>(at[0]), elements_at<T>(at[1]), elements_at<T>(at[2]), some);
            };
            constexpr npy_intp step = sizeof(T);
            perform_on_many(count, cost, elements,
                            {{a_data, a_large ? step : 0}, {b_data, b_large ? step : 0}, {data, step}});
        }
    }
    void run_loop(const T* left, const T* right, T* out, npy_intp count) const {
        loop(a_data ? left : &a_value, a_large, b_data ? right : &b_value, b_large, out, count);
    }
};

template <class T>
PyObject* typed(Binary op, PyArrayObject* a, PyArrayObject* b, PyObject* a_object, PyObject* b_object, PyObject* out) {
    const BinaryLoop<T> loop = loops<T>().binary[op];
    if (!loop) return nullptr;
    const bool checks = std::is_integral_v<T> && (op == FLOOR_DIVIDE || op == REMAINDER);
    if (checks && b && !divides<T>(b)) return nullptr;
    Layout layout;
    T a_value{}, b_value{};
    bool a_large = a != nullptr, b_large = b != nullptr;
    if (a && b) {
        if (!arrange(a, b, layout, a_large, b_large)) {
            const bool in_rows = is_in_rows(a) && is_in_rows(b);
            return absent(out) && in_rows ? crossed<T>(loop, cost_of(op), {{a}, {b}}, {}) : nullptr;
        }
    } else {
        PyArrayObject* array = a ? a : b;
        if (!is_in_rows(array)) return nullptr;
        if (!(a ? weak_value(b_object, b_value) : weak_value(a_object, a_value))) return nullptr;
        if (checks && a && b_value == 0) return nullptr;
        layout = {array, 1, 1, PyArray_SIZE(array)};
    }
    if (!(a_large && b_large) && layout.outer * layout.middle * layout.inner == 0)
        return nullptr;  // no row-major strides
    PyArrayObject* result = binary_result(a, b, out, layout);
    if (!result) return nullptr;
    if (checks) end_replayed_call();  // what the divisors are is checked above, in each call
    const BinaryCall<T> call{
        loop,    cost_of(op), a ? data_of<T>(a) : nullptr, b ? data_of<T>(b) : nullptr, a_value, b_value,
        a_large, b_large,     data_of<T>(result)};
    call.perform_all(layout);
    return reinterpret_cast<PyObject*>(result);
}

// An operand: in row-major order, or one element repeated, as a gradient that was expanded.
PyArrayObject* operand(PyObject* object) {
    PyArrayObject* array = plain(object);
    if (array || !PyArray_CheckExact(object)) return array;
    array = reinterpret_cast<PyArrayObject*>(object);
    return is_repeated(array) ? array : nullptr;
}

// A row-major copy of an operand with gaps and few elements, or of one of another order that is small compared with the
// other, such as a column; null for others.
PyArrayObject* small_copy(PyObject* object, PyArrayObject* other) {
    constexpr npy_intp few = 256;
    if (!PyArray_CheckExact(object)) return nullptr;
    auto* array = reinterpret_cast<PyArrayObject*>(object);
    const npy_intp count = PyArray_SIZE(array);
    // A repeated operand has more elements than its memory, and is not copied.
    const bool beside = other && count <= PyArray_SIZE(other) / 8 && !is_expanded(array);
    if (!beside && (count == 0 || count > few || !is_row_major_with_gaps(array))) return nullptr;
    if (other && PyArray_DESCR(array) != PyArray_DESCR(other)) return nullptr;
    if (!(PyArray_FLAGS(array) & NPY_ARRAY_ALIGNED) || PyArray_ISBYTESWAPPED(array) ||
        !PyTypeNum_ISNUMBER(PyArray_TYPE(array)))
        return nullptr;
    return reinterpret_cast<PyArrayObject*>(PyArray_NewCopy(array, NPY_CORDER));
}

// Of operands that are repeated along some of their dimensions, as gradients of sums are.
template <class T> PyObject* typed_expanded(Binary op, PyObject* const (&objects)[2]) {
    const BinaryLoop<T> loop = loops<T>().binary[op];
    Operand operands[2];
    T numbers[2];
    bool any = false;
    for (int k = 0; k < 2; ++k) {
        if (!(PyArray_Check(objects[k]) ? read_expanded(objects[k], descr_of<T>(), operands[k])
                                        : weak_value(objects[k], numbers[k])))
            return nullptr;
        any = any || operands[k].expanded;
    }
    return any && loop ? crossed<T>(loop, cost_of(op), operands, numbers) : nullptr;
}
PyObject* compute_expanded(Binary op, PyObject* a, PyObject* b) {
    PyObject* const objects[] = {a, b};
    PyObject* result = typed_expanded<float>(op, objects);
    return result || PyErr_Occurred() ? result : typed_expanded<double>(op, objects);
}

// The result, or null: with a Python error set, or unknown.
PyObject* compute(Binary op, PyObject* a_object, PyObject* b_object, PyObject* out) {
    PyArrayObject* a = operand(a_object);
    PyArrayObject* b = operand(b_object);
    const Owned a_copy(a ? nullptr : small_copy(a_object, b)), b_copy(b ? nullptr : small_copy(b_object, a));
    if (a_copy) a = a_copy.get();
    if (b_copy) b = b_copy.get();
    if (PyErr_Occurred()) return nullptr;
    if ((!a && PyArray_Check(a_object)) || (!b && PyArray_Check(b_object)))
        return absent(out) ? compute_expanded(op, a_object, b_object) : nullptr;
    if (!a && !b) return nullptr;
    PyArray_Descr* descr = PyArray_DESCR(a ? a : b);
    if (a && b && PyArray_DESCR(b) != descr) return nullptr;
    if (descr == float_descr) return typed<float>(op, a, b, a_object, b_object, out);
    if (descr == double_descr) return typed<double>(op, a, b, a_object, b_object, out);
    if (descr == int64_descr) return typed<int64_t>(op, a, b, a_object, b_object, out);
    return a && b && absent(out) ? of_complex(op, a, b) : nullptr;
}

const char* const operand_names[] = {"a", "b", "out"};
const char* const result_names[] = {"grad", "result", "out"};
const char* const input_names[] = {"grad", "x", "out"};
const char* const unary_names[] = {"x", "out"};

constexpr const char* const* names_of(Binary op) {
    const OperandKind operands = binary_rows[op].operands;
    if (operands == OperandKind::GRAD_AND_RESULT) return result_names;
    return operands == OperandKind::GRAD_AND_INPUT ? input_names : operand_names;
}

// `add` and `sub` multiply their second operand by `alpha`, which is nearly always 1.
constexpr bool takes_alpha(Binary op) { return op == ADD || op == SUBTRACT; }
// Of many doubles NumPy's loops may be vectorised, as the C library's functions, which ours call, are not.
template <class T> constexpr bool too_many(Unary op, npy_intp count) {
    return sizeof(T) == 8 && unary_rows[op].doubles == Doubles::LIBRARY && count > 256;
}
bool is_one(PyObject* number) {
    npy_intp value = 0;
    return !PyBool_Check(number) && as_index(number, value) && value == 1;
}

// The second operand multiplied by a number first, piece by piece.
template <class T> PyObject* scaled(Binary op, PyArrayObject* a, PyArrayObject* b, PyObject* alpha, PyObject* out) {
    T factor;
    if (!weak_value(alpha, factor)) return nullptr;
    PyArrayObject* result = binary_result(a, b, out, {a, 1, PyArray_SIZE(a), 1});
    if (!result) return nullptr;
    const BinaryLoop<T> multiply = loops<T>().binary[MULTIPLY], loop = loops<T>().binary[op];
    const T *left = data_of<T>(a), *right = data_of<T>(b);
    T* to = data_of<T>(result);
    const npy_intp size = PyArray_SIZE(a);
    const auto elements = [=](char* const* at, npy_intp some) {
        constexpr npy_intp piece = 1024;
        T terms[piece];
        for (npy_intp begin = 0; begin < some; begin += piece) {
            const npy_intp count = std::min(piece, some - begin);
            multiply(elements_at<T>(at[1]) + begin, 1, &factor, 0, terms, count);
            loop(elements_at<T>(at[0]) + begin, 1, terms, 1, elements_at<T>(at[2]) + begin, count);
        }
    };
    const auto few = [=] {
        char* const at[] = {reinterpret_cast<char*>(const_cast<T*>(left)),
                            reinterpret_cast<char*>(const_cast<T*>(right)), reinterpret_cast<char*>(to)};
        elements(at, size);
    };
    constexpr npy_intp step = sizeof(T);
    if (size >= many_elements)
        perform_on_many(size, 2, elements, {{left, step}, {right, step}, {to, step}});
    else
        do_work(few, {left, right, to});
    return reinterpret_cast<PyObject*>(result);
}
PyObject* compute_scaled(Binary op, PyObject* a_object, PyObject* b_object, PyObject* alpha, PyObject* out) {
    PyArrayObject *a = plain(a_object), *b = plain(b_object);
    if (a && b && PyArray_DESCR(a) == PyArray_DESCR(b) && same_shape(a, b) && PyArray_SIZE(a) > 0) {
        if (PyArray_DESCR(a) == float_descr) return scaled<float>(op, a, b, alpha, out);
        if (PyArray_DESCR(a) == double_descr) return scaled<double>(op, a, b, alpha, out);
    }
    PyObject* product =
        PyArray_Check(b_object) && !PyBool_Check(alpha) ? compute(MULTIPLY, b_object, alpha, nullptr) : nullptr;
    if (!product) return nullptr;
    PyObject* result = compute(op, a_object, product, out);
    Py_DECREF(product);
    return result;
}

// Operands of the same strides that are not row-major, or one beside a number; the result has their strides.
template <class T>
PyObject* typed_dense(Binary op, PyArrayObject* a, PyArrayObject* b, PyObject* a_object, PyObject* b_object) {
    const BinaryLoop<T> loop = loops<T>().binary[op];
    T a_value, b_value;
    if (!loop || !(a || weak_value(a_object, a_value)) || !(b || weak_value(b_object, b_value))) return nullptr;
    PyArrayObject* result = new_dense(a ? a : b);
    if (!result) return nullptr;
    const T *left = a ? data_of<T>(a) : &a_value, *right = b ? data_of<T>(b) : &b_value;
    T* to = data_of<T>(result);
    const npy_intp count = PyArray_SIZE(result), a_step = a != nullptr, b_step = b != nullptr;
    ReleaseGil unlocked(count >= thread_threshold);
    parallel_for_elements(count, cost_of(op), [=](npy_intp begin, npy_intp end) {
        loop(left + begin * a_step, a_step, right + begin * b_step, b_step, to + begin, end - begin);
    });
    return reinterpret_cast<PyObject*>(result);
}
PyObject* compute_dense(Binary op, PyObject* a_object, PyObject* b_object) {
    PyArrayObject *a = dense(a_object), *b = dense(b_object);
    if ((!a && (!b || PyArray_Check(a_object))) || (!b && PyArray_Check(b_object))) return nullptr;
    PyArray_Descr* descr = PyArray_DESCR(a ? a : b);
    if (a && b && (PyArray_DESCR(b) != descr || !same_shape(a, b) || !same_strides(a, b))) return nullptr;
    if (descr == float_descr) return typed_dense<float>(op, a, b, a_object, b_object);
    return descr == double_descr ? typed_dense<double>(op, a, b, a_object, b_object) : nullptr;
}
// Cases beyond row-major arrays. (The rule of mish has several steps, of which halves round each.)
PyObject* compute_other(Binary op, PyObject* a, PyObject* b) {
    PyObject* result = of_other_numbers(op, a, b);
    if (!result && !PyErr_Occurred() && op != MISH_BACKWARD) result = half_binary(op, cost_of(op), a, b);
    if (!result && !PyErr_Occurred()) result = compute_dense(op, a, b);
    return result || PyErr_Occurred() ? result : row_binary(op, cost_of(op), a, b);
}

template <Binary op> struct BinaryMethod {
    static Twin twin;
    static bool fit(PyObject* a, PyObject* b) {
        if (arrays_only(op)) return PyArray_Check(a) && PyArray_Check(b);
        return op != FMOD || PyArray_Check(a);
    }
    static PyObject* call(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
        PyObject* slots[3];
        if (nargs == 2 && !kwnames) {
            slots[0] = args[0], slots[1] = args[1], slots[2] = nullptr;
        } else if (!spread(args, nargs, kwnames, names_of(op), 2, 3, slots)) {
            return twin.call(args, nargs, kwnames);
        }
        PyObject* result = compute(op, slots[0], slots[1], slots[2]);
        if (!result && !PyErr_Occurred()) result = row_binary_into(op, cost_of(op), slots[0], slots[1], slots[2]);
        return result || PyErr_Occurred() ? result : twin.call(args, nargs, kwnames);
    }
    static PyObject* direct(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
        if ((nargs == 2 || (takes_alpha(op) && nargs == 3)) && fit(args[0], args[1])) {
            const bool alone = nargs == 2 || is_one(args[2]);
            PyObject* result =
                alone ? direct_binary(op, args[0], args[1]) : compute_scaled(op, args[0], args[1], args[2], nullptr);
            if (result || PyErr_Occurred()) return result;
        }
        Py_RETURN_NOTIMPLEMENTED;
    }
};
template <class T> PyObject* typed_unary(Unary op, PyArrayObject* x, PyObject* out) {
    const UnaryLoop<T> loop = loops<T>().unary[op];
    const npy_intp count = PyArray_SIZE(x);
    if (!loop || too_many<T>(op, count)) return nullptr;
    PyArrayObject* result = is_in_rows(x) ? result_like(x, out) : new_dense(x);
    if (!result) return nullptr;
    const T* input = data_of<T>(x);
    T* output = data_of<T>(result);
    const auto elements = [=](char* const* at, npy_intp some) {
        loop(elements_at<T>(at[0]), elements_at<T>(at[1]), some);
    };
    constexpr npy_intp step = sizeof(T);
    perform_on_elements(count, cost_of(op), elements, {input, step}, {output, step});
    return reinterpret_cast<PyObject*>(result);
}

PyObject* compute_unary(Unary op, PyObject* object, PyObject* out) {
    PyArrayObject* x = plain(object);
    if (!x && absent(out) && op != LOG_SIGMOID) x = dense(object);  // whose result is always row-major
    if (!x) return nullptr;
    PyArray_Descr* descr = PyArray_DESCR(x);
    if (descr == float_descr) return typed_unary<float>(op, x, out);
    if (descr == double_descr) return typed_unary<double>(op, x, out);
    if (descr == int64_descr) return typed_unary<int64_t>(op, x, out);
    return nullptr;
}

template <Unary op> struct UnaryMethod {
    static Twin twin;
    static PyObject* call(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
        PyObject* slots[2];
        if (!spread(args, nargs, kwnames, unary_names, 1, 2, slots)) return twin.call(args, nargs, kwnames);
        PyObject* result = compute_unary(op, slots[0], slots[1]);
        if (result || PyErr_Occurred()) return result;
        return twin.call(args, nargs, kwnames);
    }
    static PyObject* direct(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
        if (nargs == 1) {
            PyObject* result = direct_unary(op, args[0]);
            if (result || PyErr_Occurred()) return result;
        }
        Py_RETURN_NOTIMPLEMENTED;
    }
};
// The rule of what is subtracted, given the gradient and `alpha`.
PyObject* negated_rule(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    PyObject* result = nargs == 2 && is_one(args[1]) ? compute_unary(NEGATIVE, args[0], nullptr) : nullptr;
    if (result || PyErr_Occurred()) return result;
    Py_RETURN_NOTIMPLEMENTED;
}

// max and min with the arguments (self, other, keepdim): of two arrays, element by element.
template <Binary op> PyObject* of_pair(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
    if (nargs == 3 && args[2] == Py_False) return BinaryMethod<op>::direct(self, args, 2);
    Py_RETURN_NOTIMPLEMENTED;
}

// rsub(self, other, alpha): the operands of a difference exchanged.
PyObject* rsub(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    PyObject* result = nargs == 3 && is_one(args[2]) && PyArray_Check(args[0])
                           ? compute(SUBTRACT, args[1], args[0], nullptr)
                           : nullptr;
    if (result || PyErr_Occurred()) return result;
    Py_RETURN_NOTIMPLEMENTED;
}

// add_scaled(a, b, factor, out=None)
Twin add_scaled_twin("add_scaled");
const char* const add_scaled_names[] = {"a", "b", "factor", "out"};
PyObject* add_scaled(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<4>(add_scaled_twin, add_scaled_names, 3, args, nargs, kwnames,
                         [](PyObject** slots) { return compute_scaled(ADD, slots[0], slots[1], slots[2], slots[3]); });
}

// The twin that a row names, by its binding.
#define WENGERT_TWIN(Method) template <> Twin Method::twin
#define WENGERT_TWIN_OF_TWIN(Method, name) WENGERT_TWIN(Method)(name);
#define WENGERT_TWIN_OF_SCALED(Method, name) WENGERT_TWIN(Method)(name);
#define WENGERT_TWIN_OF_WRITTEN(Method, name) WENGERT_TWIN(Method)(name);
#define WENGERT_TWIN_OF_DIRECT(Method, name)
#define WENGERT_TWIN_OF_DIRECT_WRITTEN(Method, name)
#define WENGERT_TWIN_OF_SCIPY(Method, name)
#define WENGERT_TWIN_OF_INNER(Method, name)
#define WENGERT_UNARY(op, name, cost, binding, ...) WENGERT_TWIN_OF_##binding(UnaryMethod<op>, name)
#define WENGERT_BINARY(op, name, cost, binding, ...) WENGERT_TWIN_OF_##binding(BinaryMethod<op>, name)
#include "base/pointwise.inc"

// What brings operands to one dtype first; of other functions the cards know dtypes of their own.
template <Binary op> constexpr DirectFunction in_one_dtype() {
    if constexpr (is_promoted(op))
        return promoted<BinaryMethod<op>::direct, op != SUBTRACT>;
    else
        return BinaryMethod<op>::direct;
}

PyCFunction as_method(PyObject* (*function)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*)) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(function));
}

template <Binary op> constexpr DirectFunction direct_of() {
    return in_operand_order<in_one_dtype<op>(), op == RELU_BACKWARD>;
}
template <Unary op> constexpr DirectFunction direct_of() {
    if constexpr (op == LOG_SIGMOID)
        return on_contiguous<UnaryMethod<op>::direct>;
    else
        return in_operand_order<UnaryMethod<op>::direct>;
}

// pointwise_table(): a row for each function in Python: name, how many operands, binding, cost.
PyObject* pointwise_table(PyObject*, PyObject*) {
    struct Row {
        const char* name;
        int operands;
        const char* binding;
        npy_intp cost;
    };
    static const Row rows[] = {
#define WENGERT_UNARY(op, name, cost, binding, ...) {name, 1, #binding, cost},
#define WENGERT_BINARY(op, name, cost, binding, ...) {name, 2, #binding, cost},
#include "base/pointwise.inc"
    };
    PyObject* table = PyList_New(0);
    for (const Row& row : rows) {
        PyObject* item = table ? Py_BuildValue("(sisn)", row.name, row.operands, row.binding, row.cost) : nullptr;
        if (table && (!item || PyList_Append(table, item) < 0)) Py_CLEAR(table);
        Py_XDECREF(item);
    }
    return table;
}

// The methods of a row, by its binding.
#define WENGERT_CALLED(Method, name, takes) \
    {name, as_method(Method::call), METH_FASTCALL | METH_KEYWORDS, name takes ", out=None)"},
#define WENGERT_DIRECT(op, name, takes) \
    repeatable_method("direct_" name, direct_of<op>(), name takes "), or NotImplemented"),
#define WENGERT_METHODS_OF_DIRECT(Method, op, name, takes) WENGERT_DIRECT(op, name, takes)
#define WENGERT_METHODS_OF_TWIN(Method, op, name, takes) \
    WENGERT_CALLED(Method<op>, name, takes) WENGERT_DIRECT(op, name, takes)
#define WENGERT_METHODS_OF_SCALED(Method, op, name, takes) WENGERT_METHODS_OF_TWIN(Method, op, name, takes)
#define WENGERT_METHODS_OF_WRITTEN(Method, op, name, takes) WENGERT_METHODS_OF_TWIN(Method, op, name, takes)
#define WENGERT_METHODS_OF_DIRECT_WRITTEN(Method, op, name, takes) WENGERT_DIRECT(op, name, takes)
#define WENGERT_METHODS_OF_SCIPY(Method, op, name, takes)
#define WENGERT_METHODS_OF_INNER(Method, op, name, takes)
#define WENGERT_UNARY(op, name, cost, binding, ...) WENGERT_METHODS_OF_##binding(UnaryMethod, op, name, "(x")
#define WENGERT_BINARY(op, name, cost, binding, ...) WENGERT_METHODS_OF_##binding(BinaryMethod, op, name, "(a, b")
Methods pointwise_methods({
#include "base/pointwise.inc"
    WENGERT_FUNCTION(add_scaled, "(a, b, factor, out=None)", add_scaled),
    {"pointwise_table", pointwise_table, METH_NOARGS,
     "pointwise_table(): rows of base/pointwise.inc: (name, operands, binding, cost)."},
    repeatable_method("direct_max_pair", in_operand_order<of_pair<MAXIMUM>>,
                      "max(self, other, keepdim), or NotImplemented"),
    repeatable_method("direct_min_pair", in_operand_order<of_pair<MINIMUM>>,
                      "min(self, other, keepdim), or NotImplemented"),
    WENGERT_REPEATABLE(rsub, "(self, other, alpha)", in_operand_order<rsub, true>),
    WENGERT_REPEATABLE(negated_rule, "(grad, alpha)", in_operand_order<negated_rule>),
});

}  // namespace

PyObject* pointwise_unary(Unary op, PyObject* x, PyObject* out) { return compute_unary(op, x, out); }
PyObject* pointwise_binary(Binary op, PyObject* a, PyObject* b, PyObject* out) { return compute(op, a, b, out); }
PyObject* pointwise_scaled(Binary op, PyObject* a, PyObject* b, PyObject* alpha, PyObject* out) {
    return is_one(alpha) ? compute(op, a, b, out) : compute_scaled(op, a, b, alpha, out);
}
PyObject* direct_unary(Unary op, PyObject* x) {
    PyObject* result = compute_unary(op, x, nullptr);
    if (!result && !PyErr_Occurred()) result = half_unary(op, cost_of(op), x);
    if (!result && !PyErr_Occurred()) result = of_other_numbers(op, x);
    return result || PyErr_Occurred() ? result : row_unary(op, cost_of(op), x);
}

PyObject* direct_binary(Binary op, PyObject* a, PyObject* b) {
    PyObject* result = compute(op, a, b, nullptr);
    return result || PyErr_Occurred() ? result : compute_other(op, a, b);
}

}  // namespace wengert
