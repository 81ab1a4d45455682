// The images of examples/digits as a folder of samples.
#pragma once

#include "tests/tool/run_tool.h"

namespace tool_tests {

// Writes the first test images, one folder per class: "3/017.bmp".
void write_digits(const Folder& folder, size_t count);

}  // namespace tool_tests
