#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

TEST(LowerUnary, OneInvocationOwnsOneVector) {
  const RecordingSink sink =
      LoweredNode(Op::tanh).input({5, 7}, DType::f16).output({5, 7}, DType::f16).lower();
  EXPECT_EQ(sink.dispatch().shader, "unary_f16");
  EXPECT_EQ(sink.dispatch().threads, (vulkan::Size3{5, 1, 1}));
  EXPECT_EQ(push_word(sink.dispatch(), 0), 5u);  // vectors of 8 fp16 values, for 35
}

// On a CPU driver, as long as enough invocations remain; uses texels if views cover any tensor.
TEST(LowerUnary, TakesSeveralVectorsPerInvocationOnSoftware) {
  const auto dispatch = [](int64_t elements, uint64_t texels) {
    LoweredNode node(Op::tanh);
    node.plan.is_software = true;
    node.plan.quad_operations = true;
    node.plan.max_texels = texels;
    node.plan.max_storage_range = uint64_t{1} << 27;
    return node.input({elements}).output({elements}).lower().dispatch();
  };
  constexpr uint64_t kAll = 1 << 23, kFew = 65536;
  constexpr size_t kStep = 3;
  EXPECT_EQ(dispatch(1 << 20, kFew).shader, "unary_f32");
  EXPECT_EQ(dispatch(1 << 20, kAll).shader, "unary_f32_texels");
  EXPECT_EQ(dispatch(1 << 20, kAll).threads, (vulkan::Size3{(1 << 18) / 8, 1, 1}));
  EXPECT_EQ(push_word(dispatch(1 << 20, kAll), kStep), (1u << 18) / 8);
  EXPECT_EQ(push_word(dispatch(4096, kAll), kStep), 512u);
  EXPECT_EQ(push_word(dispatch(400, kAll), kStep), 100u);
}

TEST(LowerUnary, OperatorIsASpecializationConstant) {
  const RecordingSink sink = LoweredNode(Op::cos).input({3}).output({3}).lower();
  EXPECT_EQ(sink.dispatch().constants, std::vector<uint32_t>{79});
}

TEST(LowerUnary, ApproximateGeluIsAnOperatorOfItsOwn) {
  const auto number = [](bool approximate) {
    return LoweredNode(Op::gelu)
        .input({3})
        .output({3})
        .integer(Attr::approximate, {approximate ? 1.0 : 0.0})
        .lower()
        .dispatch()
        .constants;
  };
  EXPECT_EQ(number(false), std::vector<uint32_t>{uint32_t(Op::gelu)});
  EXPECT_EQ(number(true), std::vector<uint32_t>{uint32_t(Op::gelu) + 0x10000});
}

TEST(LowerUnary, LeakyReluPassesItsSlope) {
  const RecordingSink sink =
      LoweredNode(Op::leaky_relu).input({3}).output({3}).real(Attr::slope, 0.25).lower();
  EXPECT_EQ(push_word<float>(sink.dispatch(), 1), 0.25f);
}

TEST(LowerUnary, TruncatesAndSaturatesInt32ClipBounds) {
  const RecordingSink sink = LoweredNode(Op::clip)
                                 .input({3}, DType::i32)
                                 .output({3}, DType::i32)
                                 .real(Attr::min, -1.75)
                                 .real(Attr::max, std::numeric_limits<double>::infinity())
                                 .lower();
  EXPECT_EQ(push_word<int32_t>(sink.dispatch(), 1), -1);
  EXPECT_EQ(push_word<int32_t>(sink.dispatch(), 2), std::numeric_limits<int32_t>::max());
}

TEST(LowerUnary, ExpFoldsBaseIntoExponent) {
  const RecordingSink sink = LoweredNode(Op::exp)
                                 .input({3})
                                 .output({3})
                                 .real(Attr::base, 2)
                                 .real(Attr::scale, 3)
                                 .real(Attr::shift, 5)
                                 .lower();
  EXPECT_FLOAT_EQ(push_word<float>(sink.dispatch(), 1), 3 * 0.69314718f);
  EXPECT_FLOAT_EQ(push_word<float>(sink.dispatch(), 2), 5 * 0.69314718f);
}

TEST(LowerUnary, QuantizedIsATableOfValues) {
  const Quant half{{0.5}, {10}};
  const Quant quarter{{0.25}, {-128}};
  const RecordingSink sink =
      LoweredNode(Op::relu).input({7}, DType::i8, half).output({7}, DType::i8, quarter).lower();
  const Bytes& table = sink.constants.at("lookup");
  EXPECT_EQ(sink.dispatch().shader, "lookup");
  EXPECT_EQ(table.size(), 256u);
  EXPECT_EQ(int8_t(table[12]), -124);             // dequantized 1
  EXPECT_EQ(int8_t(table[uint8_t(-100)]), -128);  // negative
  EXPECT_EQ(int8_t(table[127]), 106);             // dequantized 58.5
}

TEST(LowerUnary, QuantizedRsqrtOfZeroSaturates) {
  const Quant quant{{0.5}, {0}};
  const RecordingSink sink =
      LoweredNode(Op::rsqrt).input({7}, DType::i8, quant).output({7}, DType::i8, quant).lower();
  EXPECT_EQ(int8_t(sink.constants.at("lookup")[0]), 127);
}

TEST(LowerUnary, LogicalNotReadsAnyByteAsTrue) {
  const RecordingSink sink =
      LoweredNode(Op::logical_not).input({7}, DType::boolean).output({7}, DType::boolean).lower();
  const Bytes& table = sink.constants.at("lookup");
  EXPECT_EQ(table[0], std::byte{1});
  EXPECT_EQ(table[1], std::byte{0});
  EXPECT_EQ(table[200], std::byte{0});
}

TEST(LowerUnary, BitsAndSignsOfBytesAreTables) {
  for (const DType dtype : {DType::i8, DType::u8}) {
    const RecordingSink sink = LoweredNode(Op::bitwise_not).input({7}, dtype).output({7}, dtype).lower();
    EXPECT_EQ(sink.constants.at("lookup")[0xf0], std::byte{0x0f});
  }
  const RecordingSink sink = LoweredNode(Op::sign).input({7}, DType::i8).output({7}, DType::i8).lower();
  const Bytes& table = sink.constants.at("lookup");
  EXPECT_EQ(int8_t(table[0]), 0);
  EXPECT_EQ(int8_t(table[127]), 1);
  EXPECT_EQ(int8_t(table[128]), -1);
}

TEST(LowerUnary, TwoElementsOfTwoWordsAreOneVector) {
  const RecordingSink sink = LoweredNode(Op::ceil).input({7}, DType::f64).output({7}, DType::f64).lower();
  EXPECT_EQ(sink.dispatch().shader, "unary_f64");
  EXPECT_EQ(push_word(sink.dispatch(), 0), 4u);
}

}  // namespace
}  // namespace nnrt::test
