// Shapes that follow from overridden inputs or that a file lacks; models without inputs, and outputs that are
// not computed.
#include "tests/import/tflite_writer.h"
#include "tools/import/model_builder.h"
#include "tools/import/tflite/tflite_reader.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace nnrt::test {
namespace {

using enum BuiltinOperator;

std::vector<double> numbers(size_t count) {
  std::vector<double> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = double(i);
  return values;
}

// y = reshape(x, [shape(abs(x))[0], -1]), as Keras writes Flatten: arithmetic on the shape of a computed
// tensor.
Bytes flatten() {
  TfliteWriter writer;
  const int32_t x = writer.input(floats({1, 2, 3}, {}), "x"), positive = writer.tensor(floats({1, 2, 3}, {})),
                shape = writer.tensor(ints({3}, {})), batch = writer.tensor(ints({}, {})),
                target = writer.tensor(ints({2}, {})), y = writer.tensor(floats({1, 6}, {}), "y");
  writer.add(ABS, {x}, {positive});
  writer.add(SHAPE, {positive}, {shape});
  const int32_t zero = writer.tensor(constant(ints({1}, {0}))), one = writer.tensor(constant(ints({1}, {1}))),
                rest = writer.tensor(constant(ints({}, {-1})));
  format::StridedSliceOptionsT slice;
  slice.shrink_axis_mask = 1;
  writer.add(STRIDED_SLICE, {shape, zero, one, one}, {batch}, with(slice));
  format::PackOptionsT pack;
  pack.values_count = 2;
  writer.add(PACK, {batch, rest}, {target}, with(pack));
  writer.add(RESHAPE, {positive, target}, {y});
  writer.output(y);
  return writer.finish();
}

std::string refusal_of_model(const Bytes& file) {
  const auto network = import::read_tflite(file, {});
  if (!network.ok()) return "not read: " + network.error().message;
  const auto model = import::make_model(network.value());
  return model.ok() ? "" : model.error().message;
}

}  // namespace

TEST(TfliteShapes, ArithmeticOfShapesFollowsAGivenShape) {
  const import::Options options{.input_shapes = {{"x", {4, 5, 3}}}};
  const Operand x = floats({4, 5, 3}, numbers(60)), y = floats({4, 15}, numbers(60));
  check_run(flatten(), {x}, {y}, options);
  const import::Network network = network_of(flatten(), options);
  EXPECT_EQ(operations(network), (std::vector{Op::abs, Op::reshape}));
  EXPECT_EQ(network.tensors.at(network.outputs.at(0)).shape, (Shape{4, 15}));
}

TEST(TfliteShapes, ComputedShapesMayDecideABroadcast) {
  TfliteWriter writer;
  const int32_t x = writer.input(floats({2, 1}, {}), "x"), positive = writer.tensor(floats({2, 1}, {})),
                shape = writer.tensor(ints({2}, {})), factors = writer.tensor(constant(ints({2}, {1, 3}))),
                target = writer.tensor(ints({2}, {})), y = writer.tensor(floats({2, 3}, {}), "y");
  writer.add(ABS, {x}, {positive});
  writer.add(SHAPE, {positive}, {shape});
  writer.add(MUL, {shape, factors}, {target});
  writer.add(BROADCAST_TO, {positive, target}, {y});
  writer.output(y);
  const Operand fed = floats({3, 1}, {1, 2, 3}), expected = floats({3, 3}, {1, 1, 1, 2, 2, 2, 3, 3, 3});
  check_run(writer.finish(), {fed}, {expected}, {.input_shapes = {{"x", {3, 1}}}});
}

TEST(TfliteShapes, ResizingFollowsAGivenShape) {
  TfliteWriter writer;
  const int32_t x = writer.input(floats({1, 2, 2, 1}, {}), "x"),
                positive = writer.tensor(floats({1, 2, 2, 1}, {})),
                size = writer.tensor(constant(ints({2}, {2, 4}))),
                y = writer.tensor(floats({1, 2, 4, 1}, {}), "y");
  writer.add(ABS, {x}, {positive});
  writer.add(RESIZE_NEAREST_NEIGHBOR, {positive, size}, {y}, with(format::ResizeNearestNeighborOptionsT()));
  writer.output(y);
  const Operand fed = floats({1, 1, 2, 1}, {1, 2}), expected = floats({1, 2, 4, 1}, {1, 1, 2, 2, 1, 1, 2, 2});
  check_run(writer.finish(), {fed}, {expected}, {.input_shapes = {{"x", {1, 1, 2, 1}}}});
}

TEST(TfliteShapes, RefusesContradictoryShapes) {
  TfliteWriter writer;
  const int32_t x = writer.input(floats({2, 3}, {}), "x"), target = writer.tensor(constant(ints({1}, {6}))),
                y = writer.tensor(floats({6}, {}));
  writer.add(RESHAPE, {x, target}, {y});
  writer.output(y);
  const std::string message = refusal(writer.finish(), {.input_shapes = {{"x", {2, 4}}}});
  EXPECT_NE(message.find("While reading RESHAPE (operator 0)."), std::string::npos) << message;
}

TEST(TfliteShapes, AnOutputOfUnknownRankGetsIt) {
  TfliteWriter writer;
  const int32_t x = writer.input(floats({2, 3}, {}), "x"),
                target = writer.tensor(constant(ints({3}, {3, 1, 2}))),
                between = writer.tensor(floats({}, {})), y = writer.tensor(floats({}, {}), "y");
  writer.add(RESHAPE, {x, target}, {between});
  writer.add(ABS, {between}, {y});
  writer.output(y);
  const Operand fed = floats({2, 3}, numbers(6)), expected = floats({3, 1, 2}, numbers(6));
  check_run(writer.finish(), {fed}, {expected});
}

// The shape operand is an empty tensor without data.
TEST(TfliteShapes, AnEmptyShapeMakesAScalar) {
  TfliteWriter writer;
  const int32_t x = writer.input(floats({1, 1}, {}), "x"), target = writer.tensor(ints({0}, {}), "shape"),
                y = writer.tensor(floats({}, {}), "y");
  writer.add(RESHAPE, {x, target}, {y});
  writer.output(y);
  const Bytes file = writer.finish();
  const import::Network network = network_of(file);
  EXPECT_EQ(network.tensors.at(network.outputs.at(0)).shape, Shape{});
  const Operand fed = floats({1, 1}, {5}), expected = floats({}, {5});
  check_run(file, {fed}, {expected});
}

// Old files store no rank for scalars.
TEST(TfliteShapes, AScalarStaysOne) {
  TfliteWriter writer;
  const int32_t x = writer.input(floats({2, 3}, {}), "x"), axes = writer.tensor(constant(ints({2}, {0, 1}))),
                y = writer.tensor(floats({}, {}), "y");
  writer.add(SUM, {x, axes}, {y}, with(format::ReducerOptionsT()));
  writer.output(y);
  check_run(writer.finish(), {floats({2, 3}, numbers(6))}, {floats({}, {15})});
}

TEST(TfliteShapes, OutputsMayBeInputsAndConstants) {
  TfliteWriter writer;
  const Operand retained = floats({3}, {7, 8, 9}), fed = floats({2}, {1, -2}), made = floats({2}, {1, 2});
  const int32_t x = writer.input(fed, "x"), c = writer.tensor(constant(retained), "c"),
                y = writer.tensor(made, "y");
  writer.add(ABS, {x}, {y});
  for (const int32_t tensor : {x, c, y, y}) writer.output(tensor);
  check_run(writer.finish(), {fed}, {fed, retained, made, made});
}

TEST(TfliteShapes, AModelNeedsInputsAndOutputs) {
  TfliteWriter writer;
  const int32_t c = writer.tensor(constant(floats({1}, {1}))), y = writer.tensor(floats({1}, {}));
  writer.add(ABS, {c}, {y});
  writer.output(y);
  EXPECT_EQ(refusal_of_model(writer.finish()),
            "The model has 0 inputs, but OH_NN supports 1 to 200 of them.");
  TfliteWriter mute;
  mute.add(ABS, {mute.input(floats({1}, {}))}, {mute.tensor(floats({1}, {}))});
  EXPECT_EQ(refusal_of_model(mute.finish()), "The model has 0 outputs, but OH_NN supports 1 to 200 of them.");
}

TEST(TfliteShapes, SegmentSlicesMayBeDynamic) {
  TfliteWriter writer;
  Operand x = floats({1, 1}, {}), ids = ints({1}, {}), y = floats({2, 1}, {});
  x.signature = {-1, -1};
  ids.signature = {-1};
  y.signature = {2, -1};
  const int32_t data = writer.input(x, "x"), numbers_of = writer.input(ids, "ids"),
                count = writer.tensor(constant(ints({}, {2}))), sums = writer.tensor(y, "y");
  writer.add(UNSORTED_SEGMENT_SUM, {data, numbers_of, count}, {sums});
  writer.output(sums);
  const Bytes file = writer.finish();
  for (const int32_t width : {1, 3}) {
    const auto size = static_cast<size_t>(width);
    std::vector<double> expected(2 * size);
    for (size_t i = 0; i < size; ++i) expected[size + i] = 3 * double(i) + 3 * double(size);
    check_run(file, {floats({3, width}, numbers(3 * size)), ints({3}, {1, 1, 1})},
              {floats({2, width}, expected)});
  }
}

TEST(TfliteShapes, ChannelsOfOperandsOf16BitsAreRefused) {
  const Operand wide{TensorType::INT16, {2}, {}, {0.5f, 0.25f}, {0, 0}},
      one{TensorType::INT16, {2}, {}, {1}, {0}};
  EXPECT_EQ(refusal(one_operator(ADD, {}, {wide, wide}, {one})),
            "ADD (operator 0) has 16-bit values with several scales.");
}

}  // namespace nnrt::test
