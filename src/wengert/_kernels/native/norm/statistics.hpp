// Mean and 1 / standard deviation of a row.
#pragma once
#include "base/simd.hpp"

#include <cmath>

namespace wengert {

template <class T> void find_statistics(const T* row, index_t width, double eps, T& mean, T& invstd) {
    const double centre = loops<T>().row_sum_double(row, width) / static_cast<double>(width);
    const double variance = loops<T>().row_square_distance(row, width, centre) / static_cast<double>(width);
    mean = static_cast<T>(centre);
    invstd = static_cast<T>(1 / std::sqrt(variance + eps));
}

}  // namespace wengert
