// Tables of models of one node: the shapes of their results, and what is said of invalid ones.
#pragma once

#include "tests/unit/core/graph/one_node_model.h"

#include <gtest/gtest.h>

namespace nnrt::testing_support {

// Only the outputs' ranks are declared, so the shapes are those of the operator's rule.
struct ShapeCase {
  const char* name;
  OneNode node;
  std::vector<Shape> inferred;
};
class NodeShapes : public testing::TestWithParam<ShapeCase> {};

struct Complaint {
  const char* name;
  OneNode node;
  const char* text;
};
class NodeComplaints : public testing::TestWithParam<Complaint> {};

constexpr auto kCaseName = [](const auto& row) { return std::string(row.param.name); };

}  // namespace nnrt::testing_support
