// A .ms file that is nearly all weights.
#pragma once

#include "mindspore/schema/enumerations.h"
#include "tests/support/sanitized.h"
#include "tools/import/mindspore/writer/ms_serializer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>

namespace nnrt::test {

// y = x w for x of [1, 1024], with `rows` x 1024 equal weights.
inline Bytes product_file(int64_t rows, float weight) {
  constexpr int64_t kColumns = 1024;
  mindspore::SourceGraph graph;
  const auto add = [&](std::string name, Shape dims) {
    mindspore::SourceTensor tensor;
    tensor.name = std::move(name);
    tensor.type_id = mindspore::kTypeFloat32;
    tensor.dims = std::move(dims);
    graph.tensors.push_back(std::move(tensor));
  };
  add("x", {1, kColumns});
  add("w", {rows, kColumns});
  add("y", {1, rows});
  Bytes weights(size_t(rows * kColumns) * sizeof weight);
  for (size_t at = 0; at < weights.size(); at += sizeof weight)
    std::memcpy(weights.data() + at, &weight, sizeof weight);
  graph.tensors[1].data = std::make_shared<const Bytes>(std::move(weights));
  mindspore::SourceNode node;
  node.primitive.emplace(mindspore::PrimitiveType::full_connection);
  node.inputs = {0, 1};
  node.outputs = {2};
  graph.nodes = {std::move(node)};
  graph.inputs = {0};
  graph.outputs = {2};
  return import::mindspore::serialize(graph).value();
}

// Checks that `memory_of(rows)`, the peak memory of using a product_file(), is that of its weights.
inline void expect_weights_once(int64_t rows, size_t (*memory_of)(int64_t rows)) {
  if (kSanitized) GTEST_SKIP() << "Sanitizers keep memory that was freed.";
  const size_t weights = static_cast<size_t>(rows) * 1024 * sizeof(float);
  memory_of(rows / 16);  // the first use of the code loads it into memory
  const size_t taken = memory_of(rows);
  EXPECT_GT(taken, weights * 9 / 10);
  EXPECT_LT(taken, weights * 11 / 10);
}

}  // namespace nnrt::test
