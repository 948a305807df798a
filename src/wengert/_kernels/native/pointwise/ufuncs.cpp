// Functions of NumPy's and SciPy's that work element by element, by their inner loops alone: for the dispatcher only.
// The numbers are those of the bodies, which call the same loops.
#include "pointwise/ufuncs.hpp"
#include "binding/memory_order.hpp"
#include "pointwise/pointwise.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace wengert {

bool Ufunc::find() {
    if (object) return true;
    static const bool ready = _import_umath() == 0;
    PyObject* text = ready ? PyUnicode_FromString(module) : nullptr;
    PyObject* loaded = text ? PyImport_GetModule(text) : nullptr;
    PyObject* function = loaded ? PyObject_GetAttrString(loaded, name) : nullptr;
    Py_XDECREF(text);
    Py_XDECREF(loaded);
    PyErr_Clear();
    if (function && Py_TYPE(function) == &PyUFunc_Type)
        object = reinterpret_cast<PyUFuncObject*>(function);  // kept, as its loops are
    else
        Py_XDECREF(function);
    return object != nullptr;
}

bool InnerLoop::find(Ufunc& ufunc, int operands, int type) {
    if (!ufunc.find() || ufunc.object->nin != operands || ufunc.object->nout != 1 || ufunc.object->core_enabled)
        return false;
    for (npy_intp at = 0; at < ufunc.object->ntypes; ++at) {
        const char* types = ufunc.object->types + at * (operands + 1);
        bool fits = true;
        for (int i = 0; i < operands; ++i) fits = fits && types[i] == type;
        if (!fits) continue;
        function = ufunc.object->functions[at];
        data = ufunc.object->data ? ufunc.object->data[at] : nullptr;
        result_type = types[operands];
        // Of NumPy's only integers raised to integers may be refused by their loop.
        quiet = std::strcmp(ufunc.module, "numpy") == 0 &&
                !(PyTypeNum_ISINTEGER(type) && std::strcmp(ufunc.name, "power") == 0);
        return function && (result_type == type || result_type == NPY_BOOL);
    }
    return false;
}

namespace {

using Call = PyObject* const*;
constexpr npy_intp few = few_for_loops;

// The operands of a card: one array, two, or an array and an array or a number.
enum Operands { UNARY, BINARY, WITH_NUMBERS };

// The names of the rows of base/pointwise.inc; of those bound as SCIPY, also those of the functions in scipy.special.
constexpr const char* unary_names[] = {
#define WENGERT_UNARY(op, name, ...) name,
#include "base/pointwise.inc"
};

// Types whose elements have the byte order that loops expect. Few cards support larger unsigned integers.
bool is_known(PyArrayObject* array) {
    const int type = PyArray_TYPE(array);
    const bool integer = type == NPY_UBYTE || PyTypeNum_ISSIGNED(type);
    return (type == NPY_BOOL || integer || type == NPY_FLOAT || type == NPY_DOUBLE) && PyArray_ISNOTSWAPPED(array);
}
PyArrayObject* operand(PyObject* object) {
    PyArrayObject* array = plain(object);
    return array && is_known(array) && PyArray_SIZE(array) > 0 ? array : nullptr;
}
PyArrayObject* few_of(PyObject* object) {
    PyArrayObject* array = operand(object);
    return array && PyArray_SIZE(array) <= few ? array : nullptr;
}
PyArrayObject* new_of_type(int type, PyArrayObject* like) {
    PyArray_Descr* descr = PyArray_DescrFromType(type);
    PyArrayObject* result = descr ? new_array(descr, PyArray_NDIM(like), PyArray_DIMS(like)) : nullptr;
    Py_XDECREF(descr);
    return result;
}

PyObject* of_one(Ufunc& ufunc, PyObject* object) {
    PyArrayObject* x = operand(object);
    InnerLoop loop;
    return x && loop.find(ufunc, 1, PyArray_TYPE(x)) ? run_one(loop, x) : nullptr;
}

// A Python number as an element of the dtype of an array; false where it has none, or the card decides.
struct Number {
    union {
        float single;
        double wide;
        int64_t integer;
    };
    bool read(PyObject* object, PyArray_Descr* descr) {
        if (descr == float_descr) return weak_value(object, single);
        if (descr == double_descr) return weak_value(object, wide);
        switch (descr->type_num) {
            case NPY_INT64: return weak_value(object, integer);
            case NPY_INT32: return read_short<int32_t>(object);
            case NPY_INT16: return read_short<int16_t>(object);
            case NPY_INT8: return read_short<int8_t>(object);
            case NPY_UINT8: return read_short<uint8_t>(object);
        }
        return false;
    }

private:
    template <class T> bool read_short(PyObject* object) {
        int64_t number;
        if (!weak_value(object, number)) return false;
        const T value = static_cast<T>(number);
        std::memcpy(this, &value, sizeof value);
        return value == number;
    }
};

}  // namespace

PyObject* run_one(const InnerLoop& loop, PyArrayObject* x) {
    Owned result(loop.serves(PyArray_SIZE(x)) ? new_of_type(loop.result_type, x) : nullptr);
    if (!result) return nullptr;
    char* const elements[] = {PyArray_BYTES(x), PyArray_BYTES(result.get())};
    const npy_intp steps[] = {PyArray_ITEMSIZE(x), PyArray_ITEMSIZE(result.get())};
    return loop.spread(elements, steps, PyArray_SIZE(x)) ? result.give() : nullptr;
}

PyObject* run_two(const InnerLoop& loop, PyArrayObject* first, char* second, npy_intp step) {
    Owned result(loop.serves(PyArray_SIZE(first)) ? new_of_type(loop.result_type, first) : nullptr);
    if (!result) return nullptr;
    char* const elements[] = {PyArray_BYTES(first), second, PyArray_BYTES(result.get())};
    const npy_intp steps[] = {PyArray_ITEMSIZE(first), step, PyArray_ITEMSIZE(result.get())};
    return loop.spread(elements, steps, PyArray_SIZE(first)) ? result.give() : nullptr;
}

PyObject* of_two(Ufunc& ufunc, PyObject* first, PyObject* second, bool numbers) {
    PyArrayObject *a = operand(first), *b = PyArray_CheckExact(second) ? plain(second) : nullptr;
    InnerLoop loop;
    Number number;
    if (!a || !loop.find(ufunc, 2, PyArray_TYPE(a))) return nullptr;
    const bool fits =
        b ? PyArray_DESCR(b) == PyArray_DESCR(a) && same_shape(a, b) : numbers && number.read(second, PyArray_DESCR(a));
    if (!fits) return nullptr;
    return b ? run_two(loop, a, PyArray_BYTES(b), PyArray_ITEMSIZE(b))
             : run_two(loop, a, reinterpret_cast<char*>(&number), 0);
}

namespace {

template <Operands operands> PyObject* called(Ufunc& ufunc, Call args) {
    if constexpr (operands == UNARY)
        return of_one(ufunc, args[0]);
    else
        return of_two(ufunc, args[0], args[1], operands == WITH_NUMBERS);
}
#define WENGERT_UFUNC(operands, module, name) \
    PyObject* card_##name(Call args) { \
        static Ufunc ufunc{module, #name}; \
        return called<operands>(ufunc, args); \
    }
#include "pointwise/ufuncs.inc"

// A function with a loop of our own for float32.
template <Unary op> PyObject* special_function(Call args) {
    static Ufunc ufunc{"scipy.special", unary_names[op]};
    PyObject* result = direct_unary(op, args[0]);
    return result || PyErr_Occurred() ? result : called<UNARY>(ufunc, args);
}

// Which of two operands are not 0: of many elements by the loops of comparisons.
template <class T, class Combine> PyObject* truths(PyArrayObject* a, PyArrayObject* b, Combine combine) {
    Owned result(new_array(bool_descr, PyArray_NDIM(a), PyArray_DIMS(a)));
    if (!result) return nullptr;
    const T *first = data_of<T>(a), *second = data_of<T>(b);
    auto* out = data_of<uint8_t>(result.get());
    const npy_intp count = PyArray_SIZE(a);
    ReleaseGil unlocked(count >= thread_threshold);
    parallel_for(count, 1, [=](npy_intp begin, npy_intp end) {
        constexpr npy_intp piece = 4096;
        bool left[piece], right[piece];
        const T zero = 0;
        for (npy_intp at = begin; at < end; at += piece) {
            const npy_intp some = std::min(piece, end - at);
            loops<T>().compare[NOT_EQUAL](first + at, 1, &zero, 0, left, some);
            loops<T>().compare[NOT_EQUAL](second + at, 1, &zero, 0, right, some);
            for (npy_intp i = 0; i < some; ++i)
                out[at + i] = combine(static_cast<uint8_t>(left[i]), static_cast<uint8_t>(right[i]));
        }
    });
    return result.give();
}
template <class Combine> PyObject* logical(Ufunc& ufunc, Call args, Combine combine) {
    PyArrayObject *a = plain(args[0]), *b = a ? plain(args[1], PyArray_DESCR(a)) : nullptr;
    if (b && PyArray_SIZE(a) > 64 && same_shape(a, b)) {
        if (PyArray_DESCR(a) == float_descr) return truths<float>(a, b, combine);
        if (PyArray_DESCR(a) == double_descr) return truths<double>(a, b, combine);
        if (PyArray_DESCR(a) == int64_descr) return truths<int64_t>(a, b, combine);
    }
    return of_two(ufunc, args[0], args[1], false);
}
PyObject* logical_and(Call args) {
    static Ufunc ufunc{"numpy", "logical_and"};
    return logical(ufunc, args, [](uint8_t a, uint8_t b) { return static_cast<uint8_t>(a & b); });
}
PyObject* logical_or(Call args) {
    static Ufunc ufunc{"numpy", "logical_or"};
    return logical(ufunc, args, [](uint8_t a, uint8_t b) { return static_cast<uint8_t>(a | b); });
}
PyObject* logical_xor(Call args) {
    static Ufunc ufunc{"numpy", "logical_xor"};
    return logical(ufunc, args, [](uint8_t a, uint8_t b) { return static_cast<uint8_t>(a ^ b); });
}

// Of two arrays, or, with `numbers`, of an array and a number.
PyObject* of_pair(Binary op, Ufunc& ufunc, Call args, bool numbers) {
    const bool arrays = PyArray_CheckExact(args[0]) && (numbers || PyArray_CheckExact(args[1]));
    PyObject* result = arrays ? pointwise_binary(op, args[0], args[1], nullptr) : nullptr;
    return result || PyErr_Occurred() ? result : of_two(ufunc, args[0], args[1], numbers);
}
PyObject* copysign(Call args) {
    static Ufunc ufunc{"numpy", "copysign"};
    return of_pair(COPYSIGN, ufunc, args, true);
}
PyObject* nextafter(Call args) {
    static Ufunc ufunc{"numpy", "nextafter"};
    return of_pair(NEXTAFTER, ufunc, args, false);
}
// logaddexp2(self, other): of many doubles the body takes passes that are faster.
PyObject* logaddexp2(Call args) {
    static Ufunc ufunc{"numpy", "logaddexp2"};
    PyArrayObject* x = plain(args[0]);
    return x && (PyArray_DESCR(x) == float_descr || PyArray_SIZE(x) < 512) ? of_pair(LOGADDEXP2, ufunc, args, false)
                                                                           : nullptr;
}

constexpr npy_intp joining = 32;  // the work of one logaddexp, in additions
// logcumsumexp(self, dim): each element is combined with the result of those before it, as by NumPy's accumulate
PyObject* logcumsumexp(Call args) {
    static Ufunc ufunc{"numpy", "logaddexp"};
    PyArrayObject* x = operand(args[0]);
    int axis = 0;
    InnerLoop loop;
    if (!x || !as_axis(args[1], PyArray_NDIM(x), axis) || !loop.find(ufunc, 2, PyArray_TYPE(x)) || !loop.quiet)
        return nullptr;
    Owned result(new_copy(x));
    if (!result) return nullptr;
    const Line line = line_of(PyArray_DIMS(x), PyArray_NDIM(x), axis);
    const npy_intp size = PyArray_ITEMSIZE(x), step = line.inner * size, count = line.length - 1,
                   steps[] = {step, step, step};
    char *from = PyArray_BYTES(x), *to = PyArray_BYTES(result.get());
    ReleaseGil unlocked(PyArray_SIZE(x) >= thread_threshold);
    parallel_for(line.outer * line.inner, line.length * joining, [=](npy_intp begin, npy_intp end) {
        for (npy_intp at = begin; at < end; ++at) {
            const npy_intp position = (at / line.inner * line.length * line.inner + at % line.inner) * size;
            char* elements[] = {to + position, from + position + step, to + position + step};
            loop.function(elements, &count, steps, loop.data);
        }
    });
    return result.give();
}

// ---- the derivatives of digamma -----------------------------------------------------------------------------------
// Of positive, finite floats by a loop of our own; null for others.
PyObject* polygamma_of_positive(npy_intp order, PyArrayObject* x) {
    const float* values = data_of<float>(x);
    const npy_intp count = PyArray_SIZE(x);
    bool fits = order <= POLYGAMMA_3 - POLYGAMMA_1 + 1;
    for (npy_intp i = 0; fits && i < count; ++i) fits = values[i] > 0 && values[i] <= std::numeric_limits<float>::max();
    if (!fits) return nullptr;
    Owned result(new_array(float_descr, PyArray_NDIM(x), PyArray_DIMS(x)));
    if (!result) return nullptr;
    const auto loop = loops<float>().shaped[POLYGAMMA_1 + order - 1];
    float* out = data_of<float>(result.get());
    ReleaseGil unlocked(count >= thread_threshold);
    parallel_for(count, 32,
                 [=](npy_intp begin, npy_intp end) { loop(values + begin, Shape(), out + begin, end - begin); });
    return result.give();
}

// polygamma(n, self): (-1)^(n + 1) n! zeta(n + 1, self), in double precision.
template <class T> PyObject* polygamma_of(npy_intp order, PyArrayObject* x) {
    static Ufunc gamma{"scipy.special", "gamma"}, zeta{"scipy.special._ufuncs", "_zeta"};
    InnerLoop factorial, sums;
    if (!factorial.find(gamma, 1, NPY_DOUBLE) || !sums.find(zeta, 2, NPY_DOUBLE)) return nullptr;
    Owned result(new_array(PyArray_DESCR(x), PyArray_NDIM(x), PyArray_DIMS(x)));
    if (!result) return nullptr;
    const npy_intp count = PyArray_SIZE(x), steps[] = {0, sizeof(double), sizeof(double)};
    const T* values = data_of<T>(x);
    std::vector<double> wide(values, values + count), computed(static_cast<size_t>(count));
    double above = static_cast<double>(order) + 1, factor = 0;
    char* of_gamma[] = {reinterpret_cast<char*>(&above), reinterpret_cast<char*>(&factor)};
    char* of_zeta[] = {reinterpret_cast<char*>(&above), reinterpret_cast<char*>(wide.data()),
                       reinterpret_cast<char*>(computed.data())};
    if (!factorial.run(of_gamma, steps, 1) || !sums.run(of_zeta, steps, count)) return nullptr;
    if (order % 2 == 0) factor = -factor;
    T* out = data_of<T>(result.get());
    for (npy_intp i = 0; i < count; ++i) out[i] = static_cast<T>(factor * computed[static_cast<size_t>(i)]);
    return result.give();
}
PyObject* polygamma(Call args) {
    npy_intp order = -1;
    PyArrayObject* x = as_index(args[0], order) && order > 0 ? plain(args[1]) : nullptr;
    if (x && PyArray_DESCR(x) == float_descr && PyArray_SIZE(x) > 0) {
        PyObject* result = polygamma_of_positive(order, x);
        if (result || PyErr_Occurred()) return result;
    }
    x = x ? few_of(args[1]) : nullptr;
    if (!x) return nullptr;
    if (PyArray_DESCR(x) == float_descr) return polygamma_of<float>(order, x);
    return PyArray_DESCR(x) == double_descr ? polygamma_of<double>(order, x) : nullptr;
}

#define WENGERT_UFUNC(operands, module, name) \
    direct_method("direct_" #name, in_operand_order<direct<operands == UNARY ? 1 : 2, card_##name>>, \
                  #name ", or NotImplemented"),
// What a row of base/pointwise.inc becomes, by its binding.
#define WENGERT_METHOD_OF_SCIPY(op, name) \
    direct_method("direct_" name, in_operand_order<direct<1, special_function<op>>>, name "(self), or NotImplemented"),
#define WENGERT_METHOD_OF_TWIN(op, name)
#define WENGERT_METHOD_OF_DIRECT(op, name)
#define WENGERT_METHOD_OF_INNER(op, name)
Methods ufunc_methods({
#define WENGERT_UNARY(op, name, cost, binding, ...) WENGERT_METHOD_OF_##binding(op, name)
#include "base/pointwise.inc"
#include "pointwise/ufuncs.inc"
    WENGERT_ENTRY(logical_and, "(self, other)", in_operand_order<direct<2, logical_and>>),
    WENGERT_ENTRY(logical_or, "(self, other)", in_operand_order<direct<2, logical_or>>),
    WENGERT_ENTRY(logical_xor, "(self, other)", in_operand_order<direct<2, logical_xor>>),
    WENGERT_ENTRY(copysign, "(self, other)", in_operand_order<direct<2, copysign>>),
    WENGERT_ENTRY(nextafter, "(self, other)", in_operand_order<direct<2, nextafter>>),
    WENGERT_ENTRY(logaddexp2, "(self, other)", in_operand_order<direct<2, logaddexp2>>),
    WENGERT_ENTRY(logcumsumexp, "(self, dim)", on_contiguous<direct<2, logcumsumexp>>),
    WENGERT_ENTRY(polygamma, "(n, self)", in_operand_order<direct<2, polygamma>>),
});

}  // namespace
}  // namespace wengert
