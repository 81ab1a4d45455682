// Executes a data movement operator by its regions on tensors with numbered elements, and compares with the
// specification's formula. Fails if regions overlap or leave gaps in an output that is not filled.
#pragma once

#include "core/schema/data_movement/copy_regions.h"
#include "tests/unit/core/graph/one_node_model.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace nnrt::testing_support {

using Index = std::vector<int64_t>;
using Elements = std::vector<int64_t>;

inline constexpr int64_t kFill = -1;
inline constexpr int64_t kNextInput = 100000;  // elements of input k are numbered from k * kNextInput

// The number of the element of a tensor of this shape at this index.
inline int64_t at(const Shape& shape, const Index& index) {
  int64_t position = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    EXPECT_TRUE(index[d] >= 0 && index[d] < shape[d]) << to_string(index) << " in " << to_string(shape);
    position = position * shape[d] + index[d];
  }
  return position;
}

inline void copy(const CopyRegion& region, size_t d, int64_t from, int64_t to, Elements& output) {
  if (d == region.shape.size()) {
    ASSERT_TRUE(to >= 0 && to < int64_t(output.size())) << "writes outside the output";
    EXPECT_EQ(output[size_t(to)], kFill) << "element " << to << " is written twice";
    output[size_t(to)] = int64_t(region.input) * kNextInput + from;
    return;
  }
  for (int64_t i = 0; i < region.shape[d]; ++i) {
    copy(region, d + 1, from + i * region.from_strides[d], to + i * region.to_strides[d], output);
  }
}

// The elements of all outputs.
inline std::vector<Elements> moved(const OneNode& node) {
  const auto shapes = node.infer();
  const auto program = node.with_view(copy_program);
  EXPECT_TRUE(shapes.ok()) << shapes.error().message;
  EXPECT_TRUE(program.ok()) << program.error().message;
  std::vector<Elements> outputs;
  for (const Shape& shape : shapes.value()) outputs.emplace_back(size_t(*element_count(shape)), kFill);
  for (const CopyRegion& region : program.value().regions) {
    copy(region, 0, region.from_offset, region.to_offset, outputs[region.output]);
  }
  bool holes = false;
  for (const Elements& output : outputs) holes |= std::count(output.begin(), output.end(), kFill) > 0;
  EXPECT_EQ(holes, program.value().needs_fill);
  return outputs;
}

// The results of formula(index) for every index of the shape.
template <typename Formula>
Elements every(const Shape& shape, Formula formula) {
  Elements result;
  Index index(shape.size());
  for (int64_t left = *element_count(shape); left > 0; --left) {
    result.push_back(formula(index));
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
  return result;
}

// Compares the declared output shape with the inferred one, and the elements with the formula.
template <typename Formula>
void expect_moved(const OneNode& node, Formula formula) {
  EXPECT_EQ(moved(node)[0], every(node.outputs[0].shape, formula));
}

inline size_t region_count(const OneNode& node) {
  return node.with_view(copy_program).value().regions.size();
}

}  // namespace nnrt::testing_support
