// Sums of an array and a multiple of others, in one pass: addcmul, addcdiv, lerp. For the dispatcher only.
#include "broadcast.hpp"
#include "direct.hpp"

#include <cmath>

namespace wengert {
namespace {

using Call = PyObject* const*;

// join(a, b, c) of three arrays that broadcast, of which the last may be a number.
template <class T, class Join>
PyObject* joined(Call args, const Join& join) {
    Operand operands[3];
    T number = 0;
    for (int k = 0; k < 3; ++k) {
        operands[k].array = plain(args[k], descr_of<T>());
        if (!operands[k].array && (k < 2 || PyArray_Check(args[k]) || !weak_value(args[k], number))) return nullptr;
    }
    Broadcast<3> shape;
    if (!shape.find(operands)) return nullptr;
    Owned result(shape.new_result(descr_of<T>()));
    if (!result) return nullptr;
    const T *a = data_of<T>(operands[0].array), *b = data_of<T>(operands[1].array);
    const T* c = operands[2].array ? data_of<T>(operands[2].array) : &number;
    T* out = data_of<T>(result.get());
    ReleaseGil unlocked(shape.size() >= thread_threshold);
    shape.run(1, [&](npy_intp to, const npy_intp* from, npy_intp count) {
        const npy_intp x = shape.inner(0), y = shape.inner(1), z = shape.inner(2);
        const T *first = a + from[0], *second = b + from[1], *third = c + from[2];
        T* made = out + to;
        if (x && y && z) {
            for (npy_intp i = 0; i < count; ++i) made[i] = join(first[i], second[i], third[i]);
        } else if (x && y) {
            const T same = *third;
            for (npy_intp i = 0; i < count; ++i) made[i] = join(first[i], second[i], same);
        } else {
            for (npy_intp i = 0; i < count; ++i) made[i] = join(first[i * x], second[i * y], third[i * z]);
        }
    });
    return result.give();
}
template <class MakeJoin>
PyObject* of_three(Call args, const MakeJoin& make) {
    if (!PyArray_CheckExact(args[0])) return nullptr;
    PyArray_Descr* descr = PyArray_DESCR(reinterpret_cast<PyArrayObject*>(args[0]));
    if (descr == float_descr) return joined<float>(args, make(float()));
    return descr == double_descr ? joined<double>(args, make(double())) : nullptr;
}

// (self, tensor1, tensor2, value)
PyObject* addcmul(Call args) {
    double value = 1;
    if (!as_number(args[3], value) || !PyArray_Check(args[2])) return nullptr;
    return of_three(args, [=](auto zero) {
        using T = decltype(zero);
        return [factor = static_cast<T>(value)](T self, T one, T other) { return self + one * other * factor; };
    });
}
PyObject* addcdiv(Call args) {
    double value = 1;
    if (!as_number(args[3], value) || !PyArray_Check(args[2])) return nullptr;
    return of_three(args, [=](auto zero) {
        using T = decltype(zero);
        return [factor = static_cast<T>(value)](T self, T one, T other) { return self + one * factor / other; };
    });
}
// (self, end, weight): from the end that is nearer
PyObject* lerp(Call args) {
    return of_three(args, [](auto zero) {
        using T = decltype(zero);
        return [](T self, T end, T weight) {
            const T apart = end - self, by_self = self + weight * apart, by_end = end - apart * (1 - weight);
            return std::fabs(weight) < T(0.5) ? by_self : by_end;
        };
    });
}

PyMethodDef mixed_methods[] = {
    direct_method("direct_addcmul", direct<4, addcmul>, "addcmul(self, tensor1, tensor2, value), or NotImplemented"),
    direct_method("direct_addcdiv", direct<4, addcdiv>, "addcdiv(self, tensor1, tensor2, value), or NotImplemented"),
    direct_method("direct_lerp", direct<3, lerp>, "lerp(self, end, weight), or NotImplemented"),
    {nullptr, nullptr, 0, nullptr},
};
MethodList mixed_list(mixed_methods);

}  // namespace
}  // namespace wengert
