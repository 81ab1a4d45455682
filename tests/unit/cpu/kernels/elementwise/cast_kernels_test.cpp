#include "backends/cpu/base/scalar_arithmetic.h"
#include "backends/cpu/simd/isa.h"
#include "tests/support/node_maker.h"

#include <limits>

namespace nnrt::cpu {
namespace {

using test::NodeMaker;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <typename To, typename From>
std::vector<To> cast(const std::vector<From>& x) {
  const Shape shape{int64_t(x.size())};
  return NodeMaker(Op::cast)
      .input(shape, x)
      .template input<int32_t>({1}, {int32_t(kDTypeOf<To>)})
      .output(kDTypeOf<To>, shape)
      .template run_for<To>();
}

TEST(Cast, FloatsTruncateAndSaturate) {
  const std::vector<float> x{-1.9f, 1.9f, kInf, -kInf, kNan, 3e9f, -3e9f};
  EXPECT_EQ(cast<int32_t>(x),
            (std::vector<int32_t>{-1, 1, 2147483647, -2147483647 - 1, 0, 2147483647, -2147483647 - 1}));
  EXPECT_EQ(cast<uint8_t>(x), (std::vector<uint8_t>{0, 1, 255, 0, 0, 255, 0}));
  EXPECT_EQ(cast<int8_t>(std::vector<double>{-128.9, 127.9, 300.0}), (std::vector<int8_t>{-128, 127, 127}));
  EXPECT_EQ(cast<int64_t>(std::vector<float>{9.3e18f, -9.3e18f}),
            (std::vector<int64_t>{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()}));
}

TEST(Cast, ManyFloatsTruncateAndSaturateAtEveryWidth) {
  std::vector<float> x{kNan, kInf, -kInf, 3e9f, -3e9f, -0.99f, 255.99f, 256.0f};
  for (int i = -1200; i < 1200; ++i) x.push_back(float(i) / 4);
  std::vector<uint8_t> bytes;
  std::vector<int8_t> codes;
  for (const float value : x) {
    bytes.push_back(saturate<uint8_t>(value));
    codes.push_back(saturate<int8_t>(value));
  }
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::amx}) {
    const IsaLimit limit(isa);
    EXPECT_EQ(cast<uint8_t>(x), bytes);
    EXPECT_EQ(cast<int8_t>(x), codes);
  }
}

TEST(Cast, IntegersWrap) {
  EXPECT_EQ(cast<int8_t>(std::vector<int32_t>{300, -129}), (std::vector<int8_t>{44, 127}));
  EXPECT_EQ(cast<uint64_t>(std::vector<int8_t>{-1}), (std::vector<uint64_t>{~uint64_t(0)}));
}

TEST(Cast, AnythingButZeroIsTrue) {
  const std::vector<Bool> from_floats = cast<Bool>(std::vector<float>{0.0f, -0.0f, 0.1f, kNan});
  EXPECT_EQ(from_floats[0].bits + from_floats[1].bits, 0);
  EXPECT_EQ(from_floats[2].bits + from_floats[3].bits, 2);
  EXPECT_EQ(cast<float>(std::vector<Bool>{{0}, {77}}), (std::vector<float>{0, 1}));
}

TEST(Cast, ToTheSameDtypeIsACopy) { EXPECT_EQ(cast<Bool>(std::vector<Bool>{{0}, {77}})[1].bits, 77); }

TEST(Cast, RoundsToTheNearestFloat16) {
  EXPECT_EQ(test::floats(cast<Half>(std::vector<int32_t>{2049, 2051, 70000, -5})),
            (std::vector<float>{2048, 2052, kInf, -5}));
  EXPECT_EQ(test::floats(cast<Half>(std::vector<double>{1.0 + 0x1p-11 + 0x1p-40, 1e300})),
            (std::vector<float>{1.0f + 0x1p-10f, kInf}));
}

TEST(Cast, KeepsInt64ThatFloat64CannotHold) {
  const int64_t value = (int64_t(1) << 60) + 1;
  EXPECT_EQ(cast<int64_t>(std::vector<int64_t>{value}), (std::vector<int64_t>{value}));
}

TEST(QuantDtypeCast, RoundsFp16AwayFromZeroAndSaturates) {
  EXPECT_EQ(NodeMaker(Op::quant_dtype_cast)
                .input<float>({6}, {0.25f, -0.25f, 0.75f, 1e9f, -kInf, 0.2f})
                .output(DType::i8, {6}, {{0.5}, {3}})
                .run_for<int8_t>(),
            (std::vector<int8_t>{4, 2, 5, 127, -128, 3}));
}

TEST(QuantDtypeCast, HasParametersForEachChannel) {
  EXPECT_EQ(NodeMaker(Op::quant_dtype_cast)
                .input<int8_t>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}, {{1.0, 10.0}, {0, 1}})
                .integer(Attr::axis, {1})
                .output(DType::f32, {2, 2, 2})
                .run_for<float>(),
            (std::vector<float>{1, 2, 20, 30, 5, 6, 60, 70}));
}

TEST(QuantDtypeCast, TakesTheParametersOfTheOtherSide) {
  EXPECT_EQ(NodeMaker(Op::quant_dtype_cast)
                .input<uint8_t>({2}, {0, 255})
                .output(DType::f32, {2}, {{0.5}, {128}})
                .run_for<float>(),
            (std::vector<float>{-64, 63.5f}));
}

TEST(QuantDtypeCast, ShiftsManyValues) {
  std::vector<uint8_t> x;
  std::vector<int8_t> want;
  for (int i = 0; i < 1001; ++i) x.push_back(uint8_t(i * 7));
  for (const uint8_t value : x) want.push_back(int8_t(int(value) - 128));
  EXPECT_EQ(
      NodeMaker(Op::quant_dtype_cast).input<uint8_t>({1001}, x).output(DType::i8, {1001}).run_for<int8_t>(),
      want);
}

TEST(QuantDtypeCast, ShiftsUnscaledValues) {
  EXPECT_EQ(NodeMaker(Op::quant_dtype_cast)
                .input<int8_t>({3}, {-128, 0, 127})
                .output(DType::u8, {3})
                .run_for<uint8_t>(),
            (std::vector<uint8_t>{0, 128, 255}));
  EXPECT_EQ(NodeMaker(Op::quant_dtype_cast)
                .input<uint8_t>({3}, {0, 128, 255})
                .output(DType::i8, {3}, {{0.5}, {7}})
                .run_for<int8_t>(),
            (std::vector<int8_t>{-128, 0, 127}));
}

}  // namespace
}  // namespace nnrt::cpu
