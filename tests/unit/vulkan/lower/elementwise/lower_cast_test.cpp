#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

TEST(LowerCast, SameDtypeIsTheInputItself) {
  const RecordingSink sink = LoweredNode(Op::cast).input({7}).value({11}).output({7}).lower();
  EXPECT_TRUE(is_whole_copy(sink, 0, 28));
}

TEST(LowerCast, DtypesAreSpecializationConstants) {
  const RecordingSink sink = LoweredNode(Op::cast).input({7}).value({5}).output({7}, DType::i64).lower();
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{11, 4, 5, 8}));
  EXPECT_EQ(sink.dispatch().threads[0], 4u);  // two elements each
}

TEST(LowerCast, RefusesUint64) {
  EXPECT_EQ(LoweredNode(Op::cast).input({7}).value({9}).output({7}, DType::u64).refusal(),
            "UINT64 is not computed on the GPU.");
}

TEST(LowerCast, RefusesWhatItsIntegersWouldWrap) {
  const auto saturating = [](DType from, int64_t number, DType to) {
    return LoweredNode(Op::cast)
        .integer(Attr::saturate, {1})
        .input({7}, from)
        .value({int32_t(number)})
        .output({7}, to)
        .refusal();
  };
  EXPECT_EQ(saturating(DType::i32, 2, DType::i8), "Saturating integer casts are not supported on the GPU.");
  EXPECT_EQ(saturating(DType::i8, 6, DType::u8), "Saturating integer casts are not supported on the GPU.");
  EXPECT_FALSE(saturating(DType::f32, 2, DType::i8));
  EXPECT_FALSE(saturating(DType::i8, 4, DType::i32));
}

TEST(LowerQuantCast, PacksScaleAndZeroPointOfEachChannel) {
  const Quant quant{{0.5, 0.25, 2}, {1, 2, 3}};
  const RecordingSink sink =
      LoweredNode(Op::quant_dtype_cast).input({3, 5}, DType::i8, quant).output({3, 5}).lower();
  EXPECT_EQ(sink.dispatch().shader, "quantize_f32");
  EXPECT_EQ(sink.dispatch().constants, (std::vector<uint32_t>{0, 2}));
  EXPECT_EQ(push_words(sink.dispatch(), 0, 3), (std::vector<uint32_t>{15, 5, 3}));
  EXPECT_EQ(sink.constants.at("quantization").size(), 24u);
}

TEST(LowerQuantCast, QuantizedValuesWithoutParametersDifferBy128) {
  const RecordingSink sink =
      LoweredNode(Op::quant_dtype_cast).input({3}, DType::i8).output({3}, DType::u8).lower();
  EXPECT_EQ(sink.constants.at("lookup")[0], std::byte{128});
  EXPECT_EQ(sink.constants.at("lookup")[uint8_t(-128)], std::byte{0});
}

}  // namespace
}  // namespace nnrt::test
