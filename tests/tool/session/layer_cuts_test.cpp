#include "tools/nnrt/session/layer_cuts.h"

#include <gtest/gtest.h>

namespace nnrt::tool {
namespace {

// x -> a -> b -> sum -> y, where sum also reads a; branch c is another output.
ModelFile branching() {
  import::Network network;
  for (const char* name : {"x", "a", "b", "c", "sum", "y"}) {
    import::Tensor tensor;
    tensor.name = name;
    tensor.type = OH_NN_FLOAT32;
    tensor.shape = {4};
    network.tensors.push_back(tensor);
  }
  const auto add = [&](std::vector<import::TensorId> inputs, import::TensorId output) {
    import::Operation operation;
    operation.inputs = std::move(inputs);
    operation.outputs = {output};
    operation.origin = network.tensors[output].name;
    network.operations.push_back(std::move(operation));
  };
  add({0}, 1);
  add({1}, 2);
  add({0}, 3);
  add({1, 2}, 4);
  add({4}, 5);
  network.inputs = {0};
  network.outputs = {5, 3};
  ModelFile file;
  file.network = std::move(network);
  return file;
}

std::string names_of(const std::vector<LayerOutput>& outputs) {
  std::string names;
  for (const LayerOutput& output : outputs) names += output.layer + ' ';
  return names;
}

TEST(LayerCuts, KeepTensorsReadLater) {
  const ModelFile file = branching();
  const std::vector<LayerOutput> all = layer_outputs(*file.network);
  ASSERT_EQ(names_of(all), "a b c sum y ");
  EXPECT_EQ(names_of(left_behind(*file.network, all, 0)), "a ");
  EXPECT_EQ(names_of(left_behind(*file.network, all, 1)), "a b ");
  EXPECT_EQ(names_of(left_behind(*file.network, all, 2)), "a b c ");
  EXPECT_EQ(names_of(left_behind(*file.network, all, 3)), "c sum ");
  EXPECT_EQ(names_of(left_behind(*file.network, all, 4)), "c y ");
}

TEST(LayerCuts, ContainOnlyNeededOperations) {
  const ModelFile file = branching();
  const std::vector<LayerOutput> all = layer_outputs(*file.network);
  const auto operations = [&](size_t layer) {
    std::string names;
    const ModelFile cut = cut_at(file, std::vector{all[layer]});
    for (const import::Operation& operation : cut.network->operations) names += operation.origin + ' ';
    return names;
  };
  EXPECT_EQ(operations(1), "a b ");
  EXPECT_EQ(operations(2), "c ");
  EXPECT_EQ(operations(4), "a b sum y ");
  EXPECT_EQ(cut_at(file, std::vector{all[2]}).network->outputs, std::vector<import::TensorId>{3});
}

}  // namespace
}  // namespace nnrt::tool
