// Sequences of tensors, which the reader resolves.
#include "tests/import/onnx/onnx_runs.h"

#include <gtest/gtest.h>

namespace nnrt::test {
namespace {

using Floats = std::vector<float>;

const Value kX = value_of({2, 5}, Floats{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});

OnnxModel of_x() { return OnnxModel(17).input("x", {2, 5}); }

OnnxModel& split(OnnxModel& model, const Names& inputs) {
  return model.node("SplitToSequence", inputs, {"s"}).with("axis", int64_t{1});
}

void add_scalar(OnnxModel& model, const std::string& name, int64_t number) {
  model.integers(name, {number})
      .graph()
      .mutable_initializer(model.graph().initializer_size() - 1)
      ->clear_dims();
}

void expect(OnnxModel& model, const import::Shape& shape, const Floats& want) {
  const List<Value> made = results_of(model, {kX}, {shape});
  EXPECT_EQ(made[0].shape, shape);
  EXPECT_EQ(elements_of<float>(made[0]), want);
}

}  // namespace

TEST(OnnxSequences, SplitIntoPartsOfOneLength) {
  OnnxModel model = of_x();
  add_scalar(model, "two", 2);
  add_scalar(model, "last", -1);
  split(model, {"x", "two"}).node("SequenceAt", {"s", "last"});
  expect(model, {2, 1}, {4, 9});
}

TEST(OnnxSequences, SplitIntoGivenParts) {
  OnnxModel model = of_x();
  add_scalar(model, "first", 0);
  split(model.integers("parts", {3, 2}), {"x", "parts"}).node("SequenceAt", {"s", "first"});
  expect(model, {2, 3}, {0, 1, 2, 5, 6, 7});
}

TEST(OnnxSequences, SplitIntoSlicesWithoutTheAxis) {
  OnnxModel model = of_x();
  add_scalar(model, "third", 2);
  split(model, {"x"}).with("keepdims", int64_t{0}).node("SequenceAt", {"s", "third"});
  expect(model, {2}, {2, 7});
}

TEST(OnnxSequences, ChangeAndJoin) {
  for (const bool is_new : {false, true}) {
    OnnxModel model = of_x();
    add_scalar(model, "zero", 0);
    model.node("Neg", {"x"}, {"n"})
        .node("SequenceEmpty", {}, {"s"})
        .node("SequenceInsert", {"s", "x"}, {"t"});
    model.node("SequenceInsert", {"t", "n", "zero"}, {"u"}).node("SequenceInsert", {"u", "x"}, {"v"});
    model.node("SequenceErase", {"v"}, {"w"}).node("ConcatFromSequence", {"w"}).with("axis", int64_t{0});
    model.with("new_axis", int64_t{is_new});
    const import::Shape shape = is_new ? import::Shape{2, 2, 5} : import::Shape{4, 5};
    expect(model, shape, {-0.0f, -1, -2, -3, -4, -5, -6, -7, -8, -9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  }
}

TEST(OnnxSequences, HaveALength) {
  OnnxModel model = of_x();
  model.node("SequenceConstruct", {"x", "x", "x"}, {"s"}).node("SequenceLength", {"s"}, {"n"});
  model.node("Cast", {"n"}, {"c"}).with("to", OnnxModel::kFloat32).node("Add", {"x", "c"});
  expect(model, {2, 5}, {3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
}

TEST(OnnxSequences, RejectInvalidIndices) {
  OnnxModel outside = of_x();
  add_scalar(outside, "three", 3);
  outside.node("SequenceConstruct", {"x", "x", "x"}, {"s"}).node("SequenceAt", {"s", "three"});
  EXPECT_EQ(message(outside.read()),
            "The position is outside the sequence of 3 elements. While converting SequenceAt (node 1).");
  OnnxModel no_tensor = of_x();
  no_tensor.node("SequenceConstruct", {"x"}, {"s"}).node("Neg", {"s"});
  EXPECT_EQ(message(no_tensor.read()),
            "A sequence where a tensor is expected is not supported. While converting Neg (node 1).");
  OnnxModel no_sequence = of_x();
  EXPECT_EQ(message(no_sequence.node("SequenceLength", {"x"}).read()),
            "Input 0 is not a sequence. While converting SequenceLength (node 0).");
}

TEST(OnnxSequences, AreOutputsOneByOne) {
  OnnxModel model = of_x();
  const import::Network network = split(model, {"x"}).node("Identity", {"s"}).network();
  ASSERT_EQ(network.outputs.size(), 5u);
  EXPECT_EQ(network.tensors[network.outputs[3]].name, "y[3]");
}

}  // namespace nnrt::test
