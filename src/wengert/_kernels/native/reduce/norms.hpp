// Norms of numbers whose powers overflow or underflow: by their sizes relative to the largest.
#pragma once

#include "binding/common.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace wengert {

// Which norms of an order were computed of sums that are normal numbers; NaN counts as one. Those of order 1 and
// infinity need no powers.
template <class T> struct Normal {
    T least = 0, most = std::numeric_limits<T>::infinity();

    explicit Normal(double order) {
        if (order == 1 || !(order > 0) || std::isinf(order)) return;
        const double sum = static_cast<double>(std::numeric_limits<T>::min()) / std::numeric_limits<T>::epsilon();
        least = static_cast<T>(std::pow(sum, 1 / order)), most = std::numeric_limits<T>::max();
    }
    bool holds(T norm) const { return norm != norm || (norm >= least && norm <= most); }
};

// The norm of order `order`, above 0 and finite, of `count` numbers of which `size(k)` gives the sizes.
template <class T, class Size> T scaled_norm(npy_intp count, double order, Size size) {
    T largest = 0;
    for (npy_intp k = 0; k < count; ++k) {
        const T element = size(k);
        if (element != element) return element;
        largest = std::max(largest, element);
    }
    if (largest == 0 || std::isinf(largest)) return largest;
    T sum = 0;
    for (npy_intp k = 0; k < count; ++k) {
        const T ratio = size(k) / largest;
        sum += order == 2 ? ratio * ratio : std::pow(ratio, static_cast<T>(order));
    }
    return largest * (order == 2 ? std::sqrt(sum) : std::pow(sum, static_cast<T>(1 / order)));
}

}  // namespace wengert
