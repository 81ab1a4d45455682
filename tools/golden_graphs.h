// The golden cases as graphs of core.
#pragma once

#include "core/graph.h"

#include <string>
#include <vector>

// The graphs of all cases of a folder that are expected to run. Throws std::runtime_error where the folder
// cannot be read or a case is none.
std::vector<nnrt::GraphPtr> load_golden_graphs(const std::string& folder);
