// Sums of an array and a multiple of others, in one pass: addcmul, addcdiv, lerp, new or in place of the array. For the
// dispatcher only.
#include "binding/broadcast.hpp"
#include "binding/memory_order.hpp"
#include "binding/elements.hpp"
#include "binding/work.hpp"

namespace wengert {
namespace {

using Call = PyObject* const*;

// Whether an array may be read while `target` is written: it has the same elements, or disjoint memory.
bool may_be_read(PyArrayObject* array, PyArrayObject* target) {
    return !array || (PyArray_DATA(array) == PyArray_DATA(target) && same_shape(array, target)) ||
           are_disjoint(array, target);
}

// Three arrays, each of which is a line or one element, and the result. The last one is no array if there is a `number`.
template <class T>
void perform_line(MixedLoop<T> loop, const npy_intp (&steps)[3], const T* number, T value, const T* const (&data)[4],
                  npy_intp count) {
    constexpr npy_intp size = sizeof(T);
    const T third = number ? *number : T(0);
    const bool is_number = number != nullptr;
    const npy_intp first_step = steps[0], second_step = steps[1], third_step = steps[2];
    const auto elements = [=](char* const* at, npy_intp some) {
        loop(elements_at<T>(at[0]), first_step, elements_at<T>(at[1]), second_step,
             is_number ? &third : elements_at<T>(at[2]), third_step, value, elements_at<T>(at[3]), some);
    };
    perform_on_many(count, 1, elements,
                    {{data[0], first_step * size},
                     {data[1], second_step * size},
                     {is_number ? nullptr : data[2], third_step * size},
                     {data[3], size}});
}
// Three arrays that broadcast, of which the last may be a number; `in_place` of the first one, which is returned.
template <class T, bool in_place> PyObject* joined(Mixed op, Call args, double value) {
    Operand operands[3];
    T number = 0;
    for (int k = 0; k < 3; ++k) {
        operands[k].array = plain(args[k], descr_of<T>());
        if (!operands[k].array && (k < 2 || PyArray_Check(args[k]) || !weak_value(args[k], number))) return nullptr;
    }
    PyArrayObject *self = operands[0].array, *first = operands[1].array, *second = operands[2].array;
    Broadcast<3> shape;
    if (!shape.find(operands)) return nullptr;
    if (in_place && !(shape.is_like(self) && writeable(self) && may_be_read(first, self) && may_be_read(second, self)))
        return nullptr;
    Owned result(in_place ? reinterpret_cast<PyArrayObject*>(Py_NewRef(args[0])) : shape.new_result(descr_of<T>()));
    if (!result) return nullptr;
    const T *a = data_of<T>(self), *b = data_of<T>(first), *c = second ? data_of<T>(second) : &number;
    T* out = data_of<T>(result.get());
    const MixedLoop<T> loop = loops<T>().mixed[op];
    if (shape.is_line()) {
        const npy_intp steps[] = {shape.inner(0), shape.inner(1), shape.inner(2)};
        perform_line(loop, steps, second ? nullptr : &number, static_cast<T>(value), {a, b, c, out}, shape.size());
        return result.give();
    }
    ReleaseGil unlocked(shape.size() >= thread_threshold);
    shape.run(1, [&](npy_intp to, const npy_intp* from, npy_intp count) {
        loop(a + from[0], shape.inner(0), b + from[1], shape.inner(1), c + from[2], shape.inner(2),
             static_cast<T>(value), out + to, count);
    });
    return result.give();
}
template <bool in_place> PyObject* of_three(Mixed op, Call args, double value) {
    if (!PyArray_CheckExact(args[0])) return nullptr;
    PyArray_Descr* descr = PyArray_DESCR(reinterpret_cast<PyArrayObject*>(args[0]));
    PyObject* result = nullptr;
    if (descr == float_descr) result = joined<float, in_place>(op, args, value);
    if (descr == double_descr) result = joined<double, in_place>(op, args, value);
    if (!in_place || !result) return result;
    Py_DECREF(result);
    Py_RETURN_NONE;
}

// addcmul and addcdiv(self, tensor1, tensor2, value), lerp(self, end, weight)
template <Mixed op, bool in_place> PyObject* scaled(Call args) {
    double value = 1;
    return as_number(args[3], value) && PyArray_Check(args[2]) ? of_three<in_place>(op, args, value) : nullptr;
}
template <bool in_place> PyObject* lerp(Call args) { return of_three<in_place>(MIXTURE, args, 0); }

Methods mixed_methods({
    WENGERT_REPEATABLE(addcmul, "(self, tensor1, tensor2, value)",
                       in_operand_order<direct<4, scaled<ADD_PRODUCT, false>>>),
    WENGERT_REPEATABLE(addcdiv, "(self, tensor1, tensor2, value)",
                       in_operand_order<direct<4, scaled<ADD_QUOTIENT, false>>>),
    WENGERT_REPEATABLE(lerp, "(self, end, weight)", in_operand_order<direct<3, lerp<false>>>),
    WENGERT_REPEATABLE(addcmul_, "(self, tensor1, tensor2, value): None", direct<4, scaled<ADD_PRODUCT, true>>),
    WENGERT_REPEATABLE(addcdiv_, "(self, tensor1, tensor2, value): None", direct<4, scaled<ADD_QUOTIENT, true>>),
    WENGERT_REPEATABLE(lerp_, "(self, end, weight): None", direct<3, lerp<true>>),
});

}  // namespace
}  // namespace wengert
