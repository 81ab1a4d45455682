// Android's suite also checks constraints between operands when an operation is added.
#include "tests/unit/nnapi/single_operation.h"

namespace nnapi_tests {
namespace {

constexpr int32_t kBytes[] = {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
                              ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED};

Type quant(int32_t code, std::vector<uint32_t> dims, float scale = 1, int32_t zero_point = 0) {
  return Type(code, std::move(dims), scale, zero_point);
}

Type ints(std::vector<uint32_t> dims) { return Type(ANEURALNETWORKS_TENSOR_INT32, std::move(dims)); }

int pack(const std::vector<Type>& parts, const Type& result) {
  OneOperation pack(ANEURALNETWORKS_PACK);
  pack.constant(0);
  for (const Type& part : parts) pack.input(part);
  pack.output(result);
  return pack.add();
}

TEST(OperandConstraints, PackTakesPartsOfOneQuantization) {
  for (const int32_t code : kBytes) {
    const Type part = quant(code, {1, 1, 2}), result = quant(code, {3, 1, 1, 2});
    const std::vector<uint32_t> dims = part.dimensions;
    EXPECT_EQ(pack({part, part, part}, result), kOk);
    EXPECT_EQ(pack({part, quant(code, dims, 2), part}, result), kData);
    EXPECT_EQ(pack({part, part, quant(code, dims, 1, 5)}, result), kData);
    EXPECT_EQ(pack({quant(code, dims, 2), part, part}, result), kData);
    EXPECT_EQ(pack({part, part, part}, quant(code, result.dimensions, 2)), kData);
    EXPECT_EQ(pack({part, part, part}, quant(code, result.dimensions, 1, 5)), kData);
  }
}

TEST(OperandConstraints, PackAddsADimension) {
  EXPECT_EQ(pack({floats({1, 2}), floats({1, 2})}, floats({2, 1, 2})), kOk);
  EXPECT_EQ(pack({floats({1, 2}), floats({})}, floats({2, 1, 2})), kOk) << "a rank is not known";
  EXPECT_EQ(pack({floats({}), floats({})}, floats({2, 1, 2})), kOk);
  EXPECT_EQ(pack({floats({1, 2}), floats({1, 2})}, floats({})), kOk);
  EXPECT_EQ(pack({floats({1, 2}), floats({2})}, floats({2, 1, 2})), kData);
  EXPECT_EQ(pack({floats({}), floats({2}), floats({2, 1})}, floats({})), kData);
  EXPECT_EQ(pack({floats({1, 2}), floats({1, 2})}, floats({2, 2})), kData);
  EXPECT_EQ(pack({floats({}), floats({1, 2})}, floats({2, 1, 1, 2})), kData);
}

int reverse(const Type& x, const Type& axis, const Type& result) {
  OneOperation reverse(ANEURALNETWORKS_REVERSE);
  reverse.input(x);
  reverse.input(axis);
  reverse.output(result);
  return reverse.add();
}

TEST(OperandConstraints, ReverseKeepsQuantizationAndRank) {
  for (const int32_t code : kBytes) {
    const Type x = quant(code, {2, 1, 2});
    EXPECT_EQ(reverse(x, ints({1}), x), kOk);
    EXPECT_EQ(reverse(x, ints({1}), quant(code, {})), kOk);
    EXPECT_EQ(reverse(x, ints({1}), quant(code, {2, 1, 2}, 2)), kData);
    EXPECT_EQ(reverse(x, ints({1}), quant(code, {2, 1, 2}, 1, 5)), kData);
    EXPECT_EQ(reverse(x, ints({1}), quant(code, {2, 1})), kData);
    EXPECT_EQ(reverse(x, ints({1}), quant(code, {2, 1, 2, 7})), kData);
    EXPECT_EQ(reverse(x, ints({0}), x), kOk);
    EXPECT_EQ(reverse(x, ints({2}), x), kData) << "two axes";
    EXPECT_EQ(reverse(x, ints({1, 7}), x), kData);
  }
}

int mirror_pad(const Type& x, const Type& paddings, const Type& result) {
  OneOperation pad(ANEURALNETWORKS_MIRROR_PAD);
  pad.input(x);
  pad.input(paddings);
  pad.constant(0);
  pad.output(result);
  return pad.add();
}

TEST(OperandConstraints, MirrorPadKeepsQuantizationAndRank) {
  for (const int32_t code : kBytes) {
    const Type x = quant(code, {2, 3}), result = quant(code, {4, 5});
    EXPECT_EQ(mirror_pad(x, ints({2, 2}), result), kOk);
    EXPECT_EQ(mirror_pad(x, ints({0, 0}), quant(code, {})), kOk);
    EXPECT_EQ(mirror_pad(quant(code, {}), ints({5, 2}), quant(code, {})), kOk);
    EXPECT_EQ(mirror_pad(x, ints({2, 2}), quant(code, {4, 5}, 2)), kData);
    EXPECT_EQ(mirror_pad(x, ints({2, 2}), quant(code, {4, 5}, 1, 5)), kData);
    EXPECT_EQ(mirror_pad(x, ints({2, 2}), quant(code, {4, 5, 1})), kData);
    EXPECT_EQ(mirror_pad(x, ints({3, 2}), result), kData);
    EXPECT_EQ(mirror_pad(x, ints({2, 3}), result), kData);
  }
}

int mul(const Type& a, const Type& b, const Type& result) {
  OneOperation mul(ANEURALNETWORKS_MUL);
  mul.input(a);
  mul.input(b);
  mul.constant(0);
  mul.output(result);
  return mul.add();
}

TEST(OperandConstraints, MulWantsAScaleAboveTheProduct) {
  for (const int32_t code : kBytes) {
    const auto of = [&](float scale) { return quant(code, {2}, scale); };
    EXPECT_EQ(mul(of(1), of(1), of(1.5f)), kOk);
    EXPECT_EQ(mul(of(1), of(1), of(1)), kData);
    EXPECT_EQ(mul(of(1), of(1), of(0.5f)), kData);
    EXPECT_EQ(mul(of(0.5f), of(0.25f), of(0.126f)), kOk);
    EXPECT_EQ(mul(of(0.5f), of(0.25f), of(0.125f)), kData);
  }
  EXPECT_EQ(mul(floats({2}), floats({2}), floats({2})), kOk);
  EXPECT_EQ(mul(ints({2}), ints({2}), ints({2})), kOk);
}

struct Convolution {
  int32_t code;
  std::vector<uint32_t> filter;  // length 4 in each dimension that may be the channels
  uint32_t channels;             // the channel dimension
  std::vector<int32_t> before_layout;
};

const std::vector<Convolution>& convolutions() {
  static const std::vector<Convolution> all{
      {ANEURALNETWORKS_CONV_2D, {4, 1, 1, 4}, 0, {1, 1, 1, 0}},
      {ANEURALNETWORKS_DEPTHWISE_CONV_2D, {1, 4, 4, 4}, 3, {1, 1, 1, 1, 0}},
      {ANEURALNETWORKS_GROUPED_CONV_2D, {4, 1, 1, 4}, 0, {1, 1, 1, 1, 0}},
      {ANEURALNETWORKS_TRANSPOSE_CONV_2D, {4, 1, 1, 4}, 0, {0, 0, 0, 0, 1, 1, 0}}};
  return all;
}

// The filter's scales are set before or after the operation. Returns the first error.
int convolve(const Convolution& of, uint32_t channels, bool is_late) {
  OneOperation conv(of.code);
  conv.input(quant(kBytes[0], {1, 4, 4, 4}));
  const int32_t filter = conv.input(Type(ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, of.filter));
  conv.constant<int32_t>(ints({4}), {0, 0, 0, 0});
  for (const int32_t value : of.before_layout) conv.constant(value);
  conv.constant<uint8_t>(Type(ANEURALNETWORKS_BOOL), {0});
  conv.output(quant(kBytes[0], {}));
  const float scales[] = {1, 2, 3, 4};
  const ANeuralNetworksSymmPerChannelQuantParams params{channels, 4, scales};
  const auto set = [&] {
    EXPECT_EQ(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(conv.get(), filter, &params), kOk);
  };
  if (!is_late) set();
  if (const int code = conv.add(); code != kOk) return code;
  if (is_late) set();
  return conv.end({0, 1});
}

TEST(OperandConstraints, FiltersHaveTheirScalesByOutputChannels) {
  for (const Convolution& of : convolutions()) {
    for (uint32_t dimension = 0; dimension < 4; ++dimension) {
      if (of.filter[dimension] == 1) continue;
      for (const bool is_late : {false, true})
        EXPECT_EQ(convolve(of, dimension, is_late), dimension == of.channels ? kOk : kData)
            << of.code << " " << dimension << " " << is_late;
    }
  }
}

int fully_connect(std::vector<uint32_t> x, std::vector<uint32_t> filter, std::vector<uint32_t> bias) {
  OneOperation full(ANEURALNETWORKS_FULLY_CONNECTED);
  for (const auto& dims : {x, filter, bias}) full.input(floats(dims));
  full.constant(0);
  full.output(floats({}));
  return full.add();
}

TEST(OperandConstraints, CheckFullyConnectedShapes) {
  EXPECT_EQ(fully_connect({2, 3, 2}, {5, 6}, {5}), kOk);
  EXPECT_EQ(fully_connect({2, 3}, {5, 6}, {5}), kOk) << "one row";
  EXPECT_EQ(fully_connect({2, 4}, {5, 6}, {5}), kData);
  EXPECT_EQ(fully_connect({0, 4}, {5, 6}, {5}), kOk) << "the batch is not known";
  EXPECT_EQ(fully_connect({2, 3}, {5, 6}, {4}), kData);
  EXPECT_EQ(fully_connect({2, 3}, {0, 6}, {4}), kOk);
  EXPECT_EQ(fully_connect({2, 3}, {5, 0}, {}), kOk);
  EXPECT_EQ(fully_connect({}, {}, {}), kOk);
}

OneOperation with(int32_t code, const std::vector<Type>& inputs, const std::vector<int32_t>& numbers,
                  const Type& result) {
  OneOperation operation(code);
  for (const Type& input : inputs) operation.input(input);
  for (const int32_t number : numbers) operation.constant(number);
  operation.output(result);
  return operation;
}

OneOperation gather(const Type& x, uint32_t indices, const Type& result) {
  OneOperation operation(ANEURALNETWORKS_GATHER);
  operation.input(x);
  operation.constant(0);
  operation.input(ints(std::vector<uint32_t>(indices, 1)));
  operation.output(result);
  return operation;
}

OneOperation fill(uint32_t rank) {
  OneOperation operation(ANEURALNETWORKS_FILL);
  operation.input(ints({rank}));
  operation.constant<float>(Type(ANEURALNETWORKS_FLOAT32), {1});
  operation.output(floats({}));
  return operation;
}

void finish_with(const OneOperation& operation, const std::vector<uint32_t>& inputs) {
  ASSERT_EQ(operation.add(), kOk);
  ASSERT_EQ(operation.end(inputs), kOk);
}

// Android takes operations of any rank.
TEST(OperandConstraints, LimitRankToEight) {
  const auto expect_refused = [](const OneOperation& operation, const std::vector<uint32_t>& inputs) {
    finish_with(operation, inputs);
    expect_that_nobody_runs_it(operation.model());
  };
  const Type open = floats({}), eight = floats(std::vector<uint32_t>(8, 1));
  for (const uint32_t length : {0u, 1u}) {  // unknown and known
    const Type nine = floats(std::vector<uint32_t>(9, length));
    expect_refused(with(ANEURALNETWORKS_ABS, {nine}, {}, open), {0});
    expect_refused(with(ANEURALNETWORKS_ABS, {nine}, {}, nine), {0});
    expect_refused(with(ANEURALNETWORKS_ABS, {open}, {}, nine), {0});
    expect_refused(gather(eight, 2, nine), {0, 2});
    expect_refused(gather(nine, 1, nine), {0, 2});
  }
  expect_refused(gather(eight, 2, open), {0, 2});
  expect_refused(with(ANEURALNETWORKS_EXPAND_DIMS, {eight}, {0}, open), {0});
  expect_refused(with(ANEURALNETWORKS_RESHAPE, {floats({1}), ints({9})}, {}, open), {0, 1});
  expect_refused(fill(9), {0});
  OneOperation pack(ANEURALNETWORKS_PACK);
  pack.constant(0);
  pack.input(eight);
  pack.output(open);
  expect_refused(pack, {1});
}

TEST(OperandConstraints, TheReferenceRunsEightDimensions) {
  const auto expect_run = [](const OneOperation& operation, const std::vector<uint32_t>& inputs) {
    finish_with(operation, inputs);
    const ANeuralNetworksDevice* const reference = devices().back();
    bool supported = false;
    EXPECT_EQ(
        ANeuralNetworksModel_getSupportedOperationsForDevices(operation.get(), &reference, 1, &supported),
        kOk);
    EXPECT_TRUE(supported);
    EXPECT_EQ(ANeuralNetworksCompilation_finish(open_for_device(operation.model()).get()), kOk);
  };
  const Type open = floats({}), eight = floats(std::vector<uint32_t>(8, 1));
  const Type nine = floats(std::vector<uint32_t>(9, 1));
  expect_run(with(ANEURALNETWORKS_ABS, {eight}, {}, eight), {0});
  expect_run(with(ANEURALNETWORKS_EXPAND_DIMS, {floats(std::vector<uint32_t>(7, 1))}, {0}, open), {0});
  expect_run(gather(eight, 1, open), {0, 2});
  expect_run(with(ANEURALNETWORKS_RESHAPE, {floats({1}), ints({8})}, {}, open), {0, 1});
  expect_run(fill(8), {0});
  expect_run(with(ANEURALNETWORKS_MIRROR_PAD, {nine, ints({9, 2})}, {0}, nine), {0, 1});
}

// After an operation of any rank, the rank is only known at compilation.
TEST(OperandConstraints, LongRanksOfResultsFailInTheCompilation) {
  const std::vector<uint32_t> dims(9, 2);
  const Model model = new_model();
  for (const Type& type :
       {floats(dims), Type(ANEURALNETWORKS_TENSOR_INT32, {9, 2}), int_scalar(), floats({}), floats({})})
    EXPECT_EQ(add_operand(model, type), kOk);
  const std::vector<int32_t> paddings(18, 0), mode{0};
  EXPECT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 1, paddings.data(), 72), kOk);
  EXPECT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 2, mode.data(), 4), kOk);
  EXPECT_EQ(add_operation(model, ANEURALNETWORKS_MIRROR_PAD, {0, 1, 2}, {3}), kOk);
  EXPECT_EQ(add_operation(model, ANEURALNETWORKS_ABS, {3}, {4}), kOk);
  EXPECT_EQ(identify(model, {0}, {4}), kOk);
  EXPECT_EQ(finish(model), kOk);
  const Compilation compilation = open_compilation(model);
  EXPECT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kData);
}

}  // namespace
}  // namespace nnapi_tests
