// Golden cases as core graphs.
#pragma once

#include "case.h"
#include "core/graph/graph.h"

#include <string_view>

namespace nnrt::test {

// A case composed call by call, as a client would: the graph, or the first call that failed.
struct Composed {
  GraphPtr graph;
  std::string_view call;  // "add_operation"
  Error error;
};
Composed compose(const conformance::Case& golden);

}  // namespace nnrt::test
