#include "tests/import/onnx/onnx_model_writer.h"

#include <neural_network_runtime/nnrt_operators.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace nnrt::test {
namespace {

using Types = std::vector<Op>;

int64_t reduction_of(const import::Network& network) {
  return network.operations.at(0).attributes.integer(Attr::reduction);
}

const import::Tensor& output_of(const import::Network& network) {
  return network.tensors[network.outputs.at(0)];
}

OnnxModel scatter(const std::string& type, const std::string& reduction) {
  return OnnxModel(18)
      .input("x", {3, 4})
      .input("i", {2, 1}, OnnxModel::kInt64)
      .input("u", {2, type == "ScatterND" ? 4 : 1})
      .node(type, {"x", "i", "u"}, {"y"})
      .with("reduction", reduction);
}

TEST(OnnxElementIndices, ReductionsAreParameters) {
  const std::pair<const char*, int8_t> reductions[] = {
      {"none", 0}, {"add", 1}, {"mul", 2}, {"min", 3}, {"max", 4}};
  for (const auto& [name, number] : reductions) {
    const import::Network slices = scatter("ScatterND", name).network();
    EXPECT_EQ(operations(slices), Types{Op::scatter_nd_update});
    EXPECT_EQ(reduction_of(slices), number);
    const import::Network elements = scatter("ScatterElements", name).network();
    EXPECT_EQ(operations(elements), Types{Op::scatter_elements});
    EXPECT_EQ(reduction_of(elements), number);
  }
  EXPECT_EQ(message(scatter("ScatterND", "mean").read()).find("Reduction mean is not supported."), 0u);
}

TEST(OnnxElementIndices, ScatterOntoZerosBecomesScatterNd) {
  const import::Network network = OnnxModel()
                                      .floats("x", {3}, {0, 0, 0})
                                      .integers("flat", {0, 2})
                                      .integers("axis", {1})
                                      .node("Unsqueeze", {"flat", "axis"}, {"i"})
                                      .input("u", {2})
                                      .node("ScatterND", {"x", "i", "u"})
                                      .network();
  EXPECT_EQ(operations(network), Types{Op::scatter_nd});
}

TEST(OnnxElementIndices, OpenDimensionsStayOpen) {
  const import::Network gathered = OnnxModel()
                                       .input("x", {-1, 4})
                                       .input("i", {-1, 2}, OnnxModel::kInt64)
                                       .node("GatherElements", {"x", "i"})
                                       .network();
  EXPECT_EQ(output_of(gathered).shape, (import::Shape{-1, 2}));
  const import::Network found = OnnxModel().input("x", {3, 4}).node("NonZero", {"x"}).network();
  EXPECT_EQ(output_of(found).shape, (import::Shape{2, -1}));
  EXPECT_EQ(output_of(found).type, OH_NN_INT64);
}

TEST(OnnxElementIndices, FoldsConstants) {
  const import::Network network = OnnxModel()
                                      .floats("x", {2, 2}, {0, 1, 2, 0})
                                      .input("z", {2, 2}, OnnxModel::kInt64)
                                      .node("NonZero", {"x"}, {"n"})
                                      .node("Add", {"n", "z"})
                                      .network();
  EXPECT_EQ(operations(network), Types{Op::add});
}

TEST(OnnxElementIndices, SelectingNoBoxesGivesNoRows) {
  const import::Network network =
      OnnxModel().input("b", {1, 6, 4}).input("s", {1, 1, 6}).node("NonMaxSuppression", {"b", "s"}).network();
  const std::vector<Op> made = operations(network);
  EXPECT_EQ(std::ranges::count(made, Op::non_max_suppression), 0);
  EXPECT_EQ(made.front(), Op::broadcast_to);
}

}  // namespace
}  // namespace nnrt::test
