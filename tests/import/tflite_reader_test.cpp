#include "tools/import/tflite/tflite_reader.h"

#include "tests/import/tflite_writer.h"
#include "tests/support/temporary_folder.h"
#include "tools/import/load_network.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>

namespace nnrt::test {
namespace {

using enum BuiltinOperator;

Bytes doubled(const Operand& x, const Operand& y) {
  TfliteWriter writer;
  const int32_t input = writer.input(x, "x"), output = writer.tensor(y, "y");
  writer.add(ADD, {input, input}, {output});
  writer.output(output);
  return writer.finish();
}

TEST(TfliteReader, NamesOperatorsAfterTheirOutputs) {
  const import::Network network = network_of(doubled(floats({2}, {}), floats({2}, {})));
  ASSERT_EQ(network.layers.size(), 1u);
  EXPECT_EQ(network.layers[0].op, "ADD");
  EXPECT_EQ(network.layers[0].name, "y");
}

TEST(TfliteReader, NamesUnsupportedOperators) {
  TfliteWriter writer;
  const int32_t x = writer.input(floats({1}, {}));
  std::vector<int32_t> made;
  for (int i = 0; i < 4; ++i) made.push_back(writer.tensor(floats({1}, {})));
  writer.add(UNIQUE, {x}, {made[0]});
  writer.add(ABS, {made[0]}, {made[1]});
  writer.add_custom("Mfcc", {made[1]}, {made[2]}, {});
  writer.add(BuiltinOperator(250), {made[2]}, {made[3]});
  writer.output(made[3]);
  EXPECT_EQ(refusal(writer.finish()),
            "The model has operators that OH_NN cannot express: UNIQUE (operator 0), custom Mfcc (operator "
            "2), operator "
            "code 250 (operator 3).");
}

TEST(TfliteReader, LocatesUnsupportedOperator) {
  format::SequenceRNNOptionsT options;
  options.activation = format::Activation::RELU6;
  const Operand one = constant(floats({1, 1}, {1}));
  EXPECT_EQ(refusal(one_operator(UNIDIRECTIONAL_SEQUENCE_RNN, with(options),
                                 {floats({1, 2, 1}, {}), one, one, constant(floats({1}, {0})), one},
                                 {floats({1, 2, 1}, {})})),
            "UNIDIRECTIONAL_SEQUENCE_RNN (operator 0) has an activation other than TANH or RELU.");
}

TEST(TfliteReader, RefusesFakeQuantOfIntegersOrOfNoRange) {
  format::FakeQuantOptionsT options;
  options.num_bits = 8;
  options.min = 0;
  options.max = 1;
  const Operand integers = ints({2}, {1, 2}), reals = floats({2}, {1, 2});
  EXPECT_EQ(refusal(one_operator(FAKE_QUANT, with(options), {integers}, {integers})),
            "FAKE_QUANT (operator 0) has an input that is not a float.");
  options.max = 1e-44f;
  EXPECT_EQ(refusal(one_operator(FAKE_QUANT, with(options), {reals}, {reals})),
            "FAKE_QUANT (operator 0) has limits that are too close.");
}

// Each would become as many entries as the operand has dimensions, beyond the bits of a mask.
TEST(TfliteReader, RefusesSeveralEllipses) {
  format::StridedSliceOptionsT options;
  options.ellipsis_mask = (1 << 12) - 1;
  const Operand list = constant(ints({12}, std::vector<double>(12, 0)));
  const Operand x = floats({1, 1, 1, 1, 1, 1, 1, 1}, {});
  EXPECT_EQ(refusal(one_operator(STRIDED_SLICE, with(options), {x, list, list, list}, {x})),
            "STRIDED_SLICE (operator 0) has several ellipses.");
}

TEST(TfliteReader, RefusesNumbersOfUnknownTypes) {
  const Operand text{TensorType::STRING, {2}, {}, {}, {}};
  EXPECT_EQ(refusal(one_operator(FLOOR_MOD, {}, {text, text}, {text})),
            "FLOOR_MOD (operator 0) computes on a type that OH_NN lacks.");
}

TEST(TfliteReader, ComputesInt16AsFloats) {
  const Operand wide{TensorType::INT16, {2}, {}, {0.5f}, {0}};
  const import::Network network = network_of(one_operator(TANH, {}, {wide}, {wide}));
  EXPECT_EQ(operations(network),
            (std::vector{Op::cast, Op::mul, Op::tanh, Op::div, Op::round, Op::clip, Op::cast}));
  for (const uint32_t id : {network.inputs.at(0), network.outputs.at(0)}) {
    EXPECT_EQ(network.tensors[id].type, OH_NN_INT16);
    EXPECT_TRUE(network.tensors[id].quantization.empty());
  }
}

TEST(TfliteReader, RefusesInt16Requantization) {
  const Operand wide{TensorType::INT16, {2}, {}, {0.5f}, {0}}, other{TensorType::INT16, {1, 2}, {}, {1}, {0}};
  EXPECT_EQ(refusal(one_operator(RESHAPE, {}, {wide, constant(ints({2}, {1, 2}))}, {other})),
            "RESHAPE (operator 0) moves 16-bit values to a tensor with another quantization.");
}

TEST(TfliteReader, KeepsUint8OutsideAndInt8Inside) {
  const Operand x = uint8({2}, {1, 2}, 0.5f, 3);
  const auto [tensors, operations, inputs, outputs, layers] = network_of(one_operator(RELU, {}, {x}, {x}));
  ASSERT_EQ(operations.size(), 3u);
  EXPECT_FALSE(operations[0].layer);
  EXPECT_EQ(layers.at(operations[1].layer.value()).op, "RELU");
  EXPECT_EQ(operations[0].type, Op::quant_dtype_cast);
  EXPECT_EQ(operations[2].type, Op::quant_dtype_cast);
  EXPECT_EQ(tensors[inputs[0]].type, OH_NN_UINT8);
  EXPECT_EQ(tensors[outputs[0]].quantization.zero_points[0], 3);
  EXPECT_EQ(tensors[operations[1].inputs[0]].type, OH_NN_INT8);
  EXPECT_EQ(tensors[operations[1].inputs[0]].quantization.zero_points[0], -125);
}

TEST(TfliteReader, TakesBatchesOfAnySize) {
  Operand x = floats({1, 2}, {}), y = x;
  x.signature = y.signature = {-1, 2};
  const Bytes file = doubled(x, y);
  for (const int32_t batch : {1, 3}) {
    const auto size = static_cast<size_t>(batch);
    const Operand fed = floats({batch, 2}, std::vector<double>(2 * size, 4));
    check_run(file, {fed}, {floats({batch, 2}, std::vector<double>(2 * size, 8))});
  }
}

TEST(TfliteReader, TakesOtherShapesThanTheFileHas) {
  const Bytes file = doubled(floats({1, 2}, {}), floats({1, 2}, {}));
  const Operand fed = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  check_run(file, {fed}, {floats({2, 3}, {2, 4, 6, 8, 10, 12})}, {.input_shapes = {{"x", {2, 3}}}});
}

// Keras flattens dynamic batches this way.
TEST(TfliteReader, ReshapesByComputedShape) {
  TfliteWriter writer;
  Operand x = floats({1, 2, 2}, {}), flat = floats({1, 4}, {});
  x.signature = {-1, 2, 2};
  flat.signature = {-1, 4};
  const int32_t input = writer.input(x), shape = writer.tensor(ints({3}, {})),
                batch = writer.tensor(ints({}, {}));
  const int32_t target = writer.tensor(ints({2}, {})), output = writer.tensor(flat);
  const auto list = [&](double value) { return writer.tensor(constant(ints({1}, {value}))); };
  format::StridedSliceOptionsT shrink;
  shrink.shrink_axis_mask = 1;
  writer.add(SHAPE, {input}, {shape});
  writer.add(STRIDED_SLICE, {shape, list(0), list(1), list(1)}, {batch}, with(shrink));
  writer.add(PACK, {batch, writer.tensor(constant(ints({}, {4})))}, {target});
  writer.add(RESHAPE, {input, target}, {output});
  writer.output(output);
  check_run(writer.finish(), {floats({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8})},
            {floats({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})});
}

TEST(TfliteReader, MakesFloatsOfHalfConstants) {
  TfliteWriter writer;
  const Operand half{TensorType::FLOAT16, {2}, {0x3C00, 0x4000}};  // 1 and 2
  const int32_t x = writer.input(floats({2}, {})), wide = writer.tensor(floats({2}, {})),
                y = writer.tensor(floats({2}, {}));
  writer.add(DEQUANTIZE, {writer.tensor(constant(half))}, {wide});
  writer.add(MUL, {x, wide}, {y});
  writer.output(y);
  check_run(writer.finish(), {floats({2}, {5, 7})}, {floats({2}, {5, 14})});
}

TEST(TfliteReader, CountsARangeOfConstants) {
  TfliteWriter writer;
  const int32_t x = writer.input(floats({3}, {})), range = writer.tensor(floats({3}, {})),
                y = writer.tensor(floats({3}, {}));
  const auto number = [&](double value) { return writer.tensor(constant(floats({}, {value}))); };
  writer.add(RANGE, {number(1), number(4), number(1)}, {range});
  writer.add(ADD, {x, range}, {y});
  writer.output(y);
  check_run(writer.finish(), {floats({3}, {10, 20, 30})}, {floats({3}, {11, 22, 33})});
}

TEST(TfliteReader, UnpacksFilters4BitsWide) {
  Operand filter{TensorType::INT4, {1, 2}, {0xF7}, {0.5f}, {0}};  // 7 and -1
  const Operand x = floats({1, 2}, {2, 4});
  check_run(one_operator(FULLY_CONNECTED, {}, {x, constant(filter)}, {floats({1, 1}, {})}), {x},
            {floats({1, 1}, {5})});
}

TEST(TfliteReader, RejectsTruncatedFile) {
  Bytes file = doubled(floats({2}, {}), floats({2}, {}));
  for (size_t size = 0; size < file.size(); ++size) {
    const auto network = import::read_tflite(std::span(file).first(size), {});
    EXPECT_FALSE(network.ok()) << size;
  }
}

TEST(TfliteReader, RejectsInvalidTensorIndices) {
  TfliteWriter writer;
  const int32_t x = writer.input(floats({2}, {}));
  writer.add(ABS, {x}, {7});
  writer.output(x);
  EXPECT_EQ(refusal(writer.finish()), "The file refers to a tensor that does not exist.");
}

TEST(TfliteReader, RejectsUndefinedOperand) {
  TfliteWriter writer;
  writer.input(floats({2}, {}));
  const int32_t lost = writer.tensor(floats({2}, {})), y = writer.tensor(floats({2}, {}));
  writer.add(ABS, {lost}, {y});
  writer.output(y);
  EXPECT_EQ(refusal(writer.finish()), "ABS (operator 0) reads a tensor before it is written.");
}

TEST(TfliteReader, RejectsShortConstant) {
  Operand short_one = constant(floats({3}, {1, 2}));
  EXPECT_EQ(refusal(one_operator(ADD, {}, {floats({3}, {}), short_one}, {floats({3}, {})})),
            "A constant has 8 bytes, but its shape needs 12.");
}

TEST(TfliteReader, RefusesGivenShapesOfAnotherRank) {
  const Bytes file = doubled(floats({2}, {}), floats({2}, {}));
  const auto network = import::read_tflite(file, {.input_shapes = {{"x", {2, 2}}}});
  ASSERT_FALSE(network.ok());
  EXPECT_EQ(network.error().code, Code::invalid_parameter);
  EXPECT_EQ(network.error().message, "The rank of the given shape [2, 2] of input x is not that of [2].");
}

TEST(Load, DetectsFormatBySignature) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "nnrt_load_test.bin";
  const Bytes bytes = doubled(floats({2}, {}), floats({2}, {}));
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  EXPECT_TRUE(import::load(path).ok());
  const auto missing = import::load(path, {.input_shapes = {{"z", {2}}}});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().message, "The model has no input of the given name (z).");
  std::filesystem::remove(path);
}

TEST(Load, NamesMissingFile) {
  const auto network = import::load("no_such_file.tflite");
  ASSERT_FALSE(network.ok());
  EXPECT_EQ(network.error().code, Code::invalid_path);
}

constexpr int32_t kCount = 3 << 18;  // 3 MiB of floats, in huge pages

// A TFLite file with one large constant: y = x + w.
class LoadNetwork : public testing::Test {
 protected:
  LoadNetwork() : weights_(kCount) {
    std::iota(weights_.begin(), weights_.end(), 0.0);
    const Operand x = floats({kCount}, {}), w = constant(floats({kCount}, weights_));
    file_ = one_operator(BuiltinOperator::ADD, {}, {x, w}, {floats({kCount}, {})});
    write(file_);
  }

  std::string path() const { return folder_.file("model.tflite"); }
  void write(ByteView bytes) const {
    std::ofstream(path(), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
  }
  void expect_weights(const import::Network& network) const {
    for (const import::Tensor& tensor : network.tensors) {
      if (!tensor.data || tensor.data->size() != kCount * sizeof(float)) continue;
      const std::vector<float> wanted(weights_.begin(), weights_.end());
      EXPECT_EQ(std::memcmp(tensor.data->data(), wanted.data(), tensor.data->size()), 0);
      return;
    }
    ADD_FAILURE() << "There is no such constant.";
  }

  const TemporaryFolder folder_;
  std::vector<double> weights_;
  Bytes file_;
};

TEST_F(LoadNetwork, ConstantsOutliveTheFile) {
  const auto network = import::load(path()).value();
  write(Bytes(file_.size(), std::byte{0xff}));
  expect_weights(network);
  std::filesystem::resize_file(path(), 10);
  expect_weights(network);
  std::filesystem::remove(path());
  expect_weights(network);
}

TEST_F(LoadNetwork, ConstantsOutliveTheBuffer) {
  Bytes buffer = file_;
  const auto network = import::load(buffer, {}).value();
  std::ranges::fill(buffer, std::byte{0xff});
  expect_weights(network);
}

// Flatbuffers align data only within the file.
TEST_F(LoadNetwork, ConstantsOfAnUnalignedBufferAreAligned) {
  Bytes buffer(file_.size() + 1);
  std::ranges::copy(file_, buffer.begin() + 1);
  const auto network = import::load(ByteView(buffer).subspan(1), {}).value();
  expect_weights(network);
}

TEST_F(LoadNetwork, ATruncatedFileIsRefused) {
  for (const size_t size : {size_t{0}, size_t{7}, size_t{8}, file_.size() / 2}) {
    std::filesystem::resize_file(path(), size);
    const auto network = import::load(path());
    ASSERT_FALSE(network.ok()) << size;
    EXPECT_EQ(network.error().code, Code::invalid_file) << size;
    write(file_);
  }
}

}  // namespace
}  // namespace nnrt::test
