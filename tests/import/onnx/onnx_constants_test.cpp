// Constants that are sparse or strings.
#include "tests/import/onnx/onnx_runs.h"

#include <gtest/gtest.h>

namespace nnrt::test {
namespace {

using Floats = std::vector<float>;

constexpr int32_t kString = 8;

// The values 5 and 7 in a tensor of shape [2, 3].
OnnxModel sparse(const Dimensions& indices, const Dimensions& shape) {
  OnnxModel model;
  onnx_file::SparseTensor& made = *model.graph().add_sparse_initializer();
  onnx_file::TensorProto& values = *made.mutable_values();
  values.set_name("c");
  values.set_data_type(OnnxModel::kFloat32);
  values.add_dims(2);
  for (const float value : {5.0f, 7.0f}) values.add_float_data(value);
  onnx_file::TensorProto& places = *made.mutable_indices();
  places.set_data_type(OnnxModel::kInt64);
  for (const int64_t length : shape) places.add_dims(length);
  for (const int64_t index : indices) places.add_int64_data(index);
  for (const int64_t length : {2, 3}) made.add_dims(length);
  return model.input("x", {2, 3}).node("Add", {"x", "c"});
}

TEST(OnnxConstants, SparseOnesBecomeDense) {
  const Value zeros = value_of({2, 3}, Floats(6));
  for (const auto& [indices, shape] :
       {std::pair{Dimensions{1, 5}, Dimensions{2}}, std::pair{Dimensions{0, 1, 1, 2}, Dimensions{2, 2}}}) {
    const List<Value> made = results_of(sparse(indices, shape), {zeros}, {{2, 3}});
    EXPECT_EQ(elements_of<float>(made[0]), (Floats{0, 5, 0, 0, 0, 7}));
  }
}

TEST(OnnxConstants, RejectsInvalidSparseTensors) {
  EXPECT_EQ(message(sparse({1, 6}, {2}).read()),
            "Index (6) of sparse element 1 is outside [0, 6). While reading sparse tensor c.");
  EXPECT_EQ(message(sparse({0, 1, 2, 0}, {2, 2}).read()),
            "Index (2) of sparse element 1 is outside [0, 2). While reading sparse tensor c.");
  EXPECT_EQ(message(sparse({1, 2, 3}, {3}).read()),
            "Sparse values of shape [2] do not have indices of shape [3]. While reading sparse tensor c.");
}

OnnxModel& add_strings(OnnxModel& model, const std::string& name, const Names& texts) {
  onnx_file::TensorProto& made = *model.graph().add_initializer();
  made.set_name(name);
  made.set_data_type(kString);
  made.add_dims(static_cast<int64_t>(texts.size()));
  for (const std::string& text : texts) made.add_string_data(text);
  return model;
}

OnnxModel cast(const Names& texts, int32_t type) {
  OnnxModel model;
  add_strings(model, "s", texts).node("Cast", {"s"}, {"c"}).with("to", int64_t{type});
  return model.input("x", {}, type).node("Add", {"c", "x"});
}

TEST(OnnxConstants, StringsSpellNumbers) {
  const List<Value> reals =
      results_of(cast({"1.5", "-2e3", "+4", "INF"}, OnnxModel::kFloat32), {value_of({}, Floats{0})}, {{4}});
  EXPECT_EQ(elements_of<float>(reals[0]), (Floats{1.5f, -2000, 4, std::numeric_limits<float>::infinity()}));
  const List<Value> integers = results_of(cast({"9007199254740993", "-1"}, OnnxModel::kInt64),
                                          {value_of({}, std::vector<int64_t>{0})}, {{2}});
  EXPECT_EQ(elements_of<int64_t>(integers[0]), (std::vector<int64_t>{9007199254740993, -1}));
  EXPECT_EQ(
      message(cast({"1.5x"}, OnnxModel::kFloat32).read()),
      "The string (1.5x) is not a number of the type that it is cast to. While converting Cast (node 0).");
}

TEST(OnnxConstants, StringsAreMovedAndCompared) {
  OnnxModel model;
  add_strings(model, "labels", {"cat", "dog", "cow"});
  add_strings(model, "wanted", {"dog"});
  model.input("i", {2}, OnnxModel::kInt64).node("Gather", {"labels", "i"}, {"chosen"});
  model.node("Equal", {"chosen", "wanted"});
  const List<Value> made = results_of(model, {value_of({2}, std::vector<int64_t>{1, 2})}, {{2}});
  EXPECT_EQ(elements_of<uint8_t>(made[0]), (std::vector<uint8_t>{1, 0}));
}

TEST(OnnxConstants, StringsAreNotComputedOrReturned) {
  OnnxModel computed;
  add_strings(computed, "s", {"a"}).node("Relu", {"s"});
  EXPECT_EQ(message(computed.read()), "Relu of strings is not supported. While converting Relu (node 0).");
  OnnxModel returned;
  add_strings(returned, "s", {"a"}).node("Identity", {"s"});
  EXPECT_EQ(message(returned.read()), "The output y has strings, which OH_NN lacks.");
  OnnxModel chosen;
  add_strings(chosen, "s", {"1", "2"}).input("i", {1}, OnnxModel::kInt64);
  chosen.node("Gather", {"s", "i"}, {"c"}).node("Cast", {"c"}).with("to", int64_t{1});
  EXPECT_EQ(message(chosen.read()),
            "A cast of strings that only a run chooses is not supported. While converting Cast (node 1).");
}

}  // namespace
}  // namespace nnrt::test
