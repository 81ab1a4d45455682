// The digits of the example as samples in a folder.
#pragma once

#include "tests/tool/run_tool.h"

namespace tool_tests {

// Writes the first pictures of the example's test set, a folder for each class: "3/017.bmp".
void write_digits(const Folder& folder, size_t count);

}  // namespace tool_tests
