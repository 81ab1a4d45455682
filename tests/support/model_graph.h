// A model file as a core graph.
#pragma once

#include "core/graph/graph.h"

#include <filesystem>

namespace nnrt::test {

// Throws std::runtime_error if it cannot be read.
GraphPtr graph_of_file(const std::filesystem::path& path);

}  // namespace nnrt::test
