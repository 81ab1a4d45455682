#include "tools/nnrt/session/layer_groups.h"

#include "tools/nnrt/session/layer_outputs.h"

#include <gtest/gtest.h>

namespace nnrt::tool {
namespace {

// One convolution as CAST and CONV2D, an ADD, a TRANSPOSE, and an output copy.
nnrt::import::Network network() {
  import::Network made;
  for (int i = 0; i < 6; ++i)
    made.tensors.push_back({"t", OH_NN_FLOAT32, OH_NN_FORMAT_NONE, {2, 3}, {}, nullptr});
  made.layers = {{"Conv", "c", {"Relu"}}, {"Add", "a", {}}, {"Transpose", "t", {}}};
  const auto add = [&](Op type, std::optional<uint32_t> layer) {
    const auto number = static_cast<uint32_t>(made.operations.size());
    made.operations.push_back({type, {number}, {number + 1}, {}, layer ? "" : "output y", layer});
  };
  add(Op::cast, 0);
  add(Op::conv2d, 0);
  add(Op::add, 1);
  add(Op::transpose, 2);
  add(Op::reshape, {});
  made.inputs = {0};
  made.outputs = {5};
  return made;
}

std::vector<std::string> labels(const std::vector<LayerGroup>& groups) {
  std::vector<std::string> all;
  for (const LayerGroup& group : groups) all.push_back(group.label);
  return all;
}

TEST(GroupByLayers, OperationsBelongToTheirOwnLayers) {
  const auto groups = group_by_layers(network(), {});
  EXPECT_EQ(labels(groups), (std::vector<std::string>{"Conv c + Relu", "Add a", "Transpose t", "output y"}));
  EXPECT_EQ(groups[0].operations, (std::vector<size_t>{0, 1}));
  EXPECT_EQ(groups_of_operations(groups, 5), (std::vector<size_t>{0, 0, 1, 2, 3}));
}

TEST(GroupByLayers, AssignsKernelsToTheirMainLayer) {
  const std::vector<std::vector<size_t>> kernels{{3, 1, 2}};
  const auto groups = group_by_layers(network(), kernels);
  EXPECT_EQ(labels(groups), (std::vector<std::string>{"Conv c + Relu + Add", "output y"}));
  EXPECT_EQ(groups[0].operators, "Conv + Relu + Add");
  EXPECT_EQ(groups[0].operations, (std::vector<size_t>{0, 1, 2, 3}));
}

TEST(GroupByLayers, NumbersOutsideOfTheModelAreLeftOut) {
  const std::vector<std::vector<size_t>> kernels{{99, 100}, {1, 99}};
  EXPECT_EQ(group_by_layers(network(), kernels).size(), 4u);
}

TEST(GroupByLayers, FilesWithoutNamesHaveNoLayers) {
  import::Network nameless = network();
  nameless.layers.clear();
  for (import::Operation& operation : nameless.operations) operation.layer.reset();
  EXPECT_TRUE(group_by_layers(nameless, {}).empty());
}

TEST(LayerOutputs, ListsLayerOutputs) {
  const auto outputs = layer_outputs(network());
  ASSERT_EQ(outputs.size(), 4u) << "all but the result of the CAST";
  EXPECT_EQ(outputs[0].layer, "Conv c + Relu");
  EXPECT_EQ(outputs[0].tensor, 2u);
  EXPECT_EQ(outputs[0].bytes, 24u);
  EXPECT_EQ(outputs[3].layer, "output y");
}

TEST(LayerOutputs, AreFloatsAndQuantizedValues) {
  import::Network typed = network();
  typed.tensors[2].type = OH_NN_INT32;
  typed.tensors[3].type = OH_NN_INT8;
  typed.tensors[4].type = OH_NN_INT8;
  typed.tensors[4].quantization = {{0.5}, {0}};
  const auto outputs = layer_outputs(typed);
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[0].layer, "Transpose t");
}

TEST(LayerOutputs, PartsAreBoundedInNumberAndBytes) {
  const std::vector<LayerOutput> small(130, LayerOutput{"l", 0, 4});
  const auto parts = in_parts(small);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].size(), 64u);
  EXPECT_EQ(parts[2].size(), 2u);
  const std::vector<LayerOutput> large(3, LayerOutput{"l", 0, uint64_t{200} << 20});
  EXPECT_EQ(in_parts(large).size(), 3u);
}

}  // namespace
}  // namespace nnrt::tool
