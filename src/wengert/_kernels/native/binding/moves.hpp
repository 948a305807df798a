// Elements copied between memory of any strides.
#pragma once

#include "binding/common.hpp"

namespace wengert {

// Copies elements of `itemsize` bytes; of those written no two may share memory, nor any with one that is read. A
// stride of 0 in what is read repeats elements. By threads, and other Python threads run meanwhile, where there are
// many.
void move_elements(int ndim, const npy_intp* shape, char* to, const npy_intp* to_strides, const char* from,
                   const npy_intp* from_strides, npy_intp itemsize);

}  // namespace wengert
