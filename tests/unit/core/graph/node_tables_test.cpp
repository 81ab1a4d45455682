#include "tests/unit/core/graph/node_tables.h"

namespace nnrt::testing_support {

TEST_P(NodeShapes, AreInferred) {
  const auto& [name, made, inferred] = GetParam();
  OneNode node = made;
  ASSERT_EQ(node.outputs.size(), inferred.size());
  for (size_t k = 0; k < inferred.size(); ++k) node.outputs[k].shape = Shape(inferred[k].size(), kUnknown);
  const auto shapes = node.infer().value();
  EXPECT_EQ(shapes, inferred);
}

TEST_P(NodeComplaints, NameTheNumbers) { EXPECT_EQ(GetParam().node.complaint(), GetParam().text); }

}  // namespace nnrt::testing_support
