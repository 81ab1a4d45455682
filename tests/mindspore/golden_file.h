// Golden cases as .ms files.
#pragma once

#include "core/graph/graph.h"

#include <optional>

namespace nnrt::test {

// Who wrote the tables: MindSpore's converter, or OpenHarmony's builder functions.
enum class Origin { converter, builders };

// Empty if MindSpore's tables cannot express the graph.
std::optional<Bytes> file_of(const Graph& graph, Origin origin);

}  // namespace nnrt::test
