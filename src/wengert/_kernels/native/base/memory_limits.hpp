// How much memory this process may have: less than the machine has where a container or the process itself is limited.
// No Python here.
#pragma once

#include <cstddef>

namespace wengert {

// In bytes, 0 where nothing is known. `root`: the folder in which /proc and /sys lie, "" but for tests.
size_t available_memory(const char* root);

// Whether the machine has so many bytes; true where nothing is known. What is false here is refused by the Python
// bodies.
bool machine_has(size_t bytes);

}  // namespace wengert
