// Golden cases as .ms files.
#pragma once

#include "case.h"
#include "core/graph/graph.h"

#include <optional>
#include <vector>

namespace nnrt::test {

// All cases, which the first call reads.
const std::vector<conformance::Case>& golden_cases();

// Who wrote the tables: MindSpore's converter, or OpenHarmony's builder functions.
enum class Origin { converter, builders };

// Empty if MindSpore's tables cannot express the graph.
std::optional<Bytes> file_of(const Graph& graph, Origin origin);

}  // namespace nnrt::test
