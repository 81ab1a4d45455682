// BFLOAT16 and FLOAT8, which are stored as FLOAT32.
#include "tests/import/onnx/onnx_runs.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace nnrt::test {
namespace {

constexpr int32_t kBfloat16 = 16, kE4M3FN = 17, kE4M3FNUZ = 18, kE5M2 = 19, kE5M2FNUZ = 20;
constexpr float kInfinity = std::numeric_limits<float>::infinity(),
                kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> run(OnnxModel& model, const std::vector<float>& x) {
  const auto count = static_cast<int32_t>(x.size());
  const auto made = run_on_cpu(model, {value_of({count}, x)}, {{count}});
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
  return made.ok() ? elements_of<float>(made.value()[0]) : std::vector<float>();
}

std::vector<float> cast(const std::vector<float>& x, int32_t type, bool saturate = true) {
  OnnxModel model(19);
  model.input("x", {static_cast<int64_t>(x.size())}).node("Cast", {"x"}, {"c"}).with("to", type);
  model.with("saturate", saturate).node("Cast", {"c"}).with("to", OnnxModel::kFloat32);
  return run(model, x);
}

// Equal bits, but any NaN for NaN.
void expect_same(const std::vector<float>& got, const std::vector<float>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(want[i])) {
      EXPECT_TRUE(std::isnan(got[i])) << i;
    } else {
      EXPECT_EQ(std::bit_cast<uint32_t>(got[i]), std::bit_cast<uint32_t>(want[i])) << i << ": " << got[i];
    }
  }
}

// Adds half a step less one, plus the bit that decides ties; NaN and infinities stay.
float to_bfloat16(float x) {
  if (!std::isfinite(x)) return x;
  const auto bits = std::bit_cast<uint32_t>(x);
  return std::bit_cast<float>((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000);
}

}  // namespace

TEST(OnnxNarrowFloat, RoundsToBfloat16) {
  std::vector<float> x{0.0f,
                       -0.0f,
                       kInfinity,
                       -kInfinity,
                       kNan,
                       3.4e38f,
                       -3.4028235e38f,
                       1e-40f,
                       -1e-45f,
                       std::bit_cast<float>(0x3f808000u),
                       std::bit_cast<float>(0x3f818000u),
                       std::bit_cast<float>(0x3fffffffu),
                       std::bit_cast<float>(0x00008000u),
                       std::bit_cast<float>(0x00018000u),
                       std::bit_cast<float>(0x007fffffu)};
  uint32_t bits = 12345;
  for (int i = 0; i < 2000; ++i) {
    bits = bits * 1664525 + 1013904223;
    const auto value = std::bit_cast<float>(bits);
    if (!std::isnan(value)) x.push_back(value);
    x.push_back(std::bit_cast<float>((bits & 0x7f7f0000) | 0x8000));  // a tie
  }
  std::vector<float> want;
  for (const float value : x) want.push_back(to_bfloat16(value));
  expect_same(cast(x, kBfloat16), want);
}

// Codes by ONNX's definition of the types.
TEST(OnnxNarrowFloat, RoundsToFloat8) {
  const std::vector<float> x{1.0625f, 1.1875f, -1e-9f, 0.001f, 449, 1e6f, -1e6f, kInfinity, kNan};
  constexpr float kLeast = 1.0f / 512;
  expect_same(cast(x, kE4M3FN), {1, 1.25f, -0.0f, kLeast, 448, 448, -448, 448, kNan});
  expect_same(cast(x, kE4M3FN, false), {1, 1.25f, -0.0f, kLeast, 448, kNan, kNan, kNan, kNan});
  expect_same(cast(x, kE4M3FNUZ), {1, 1.25f, 0, kLeast / 2, 240, 240, -240, 240, kNan});
  expect_same(cast(x, kE4M3FNUZ, false), {1, 1.25f, 0, kLeast / 2, kNan, kNan, kNan, kNan, kNan});
  expect_same(cast(x, kE5M2), {1, 1.25f, -0.0f, 1.0f / 1024, 448, 57344, -57344, 57344, kNan});
  expect_same(cast(x, kE5M2, false),
              {1, 1.25f, -0.0f, 1.0f / 1024, 448, kInfinity, -kInfinity, kInfinity, kNan});
  expect_same(cast(x, kE5M2FNUZ, false), {1, 1.25f, 0, 1.0f / 1024, 448, kNan, kNan, kNan, kNan});
}

TEST(OnnxNarrowFloat, WidensConstants) {
  const std::string codes("\x80\x3f\x00\xc0\x80\x7f", 6);  // 1, -2, infinity
  OnnxModel raw(19), typed(19);
  raw.input("x", {3}).constant("c", kBfloat16, {3}, codes);
  auto& constant = typed.input("x", {3}).constant("c", kBfloat16, {3}, "");
  constant.clear_raw_data();
  for (const int32_t code : {0x3f80, 0xc000, 0x7f80}) constant.add_int32_data(code);
  for (OnnxModel* const model : {&raw, &typed})
    expect_same(run(model->node("Add", {"x", "c"}), {1, 2, 3}), {2, 0, kInfinity});

  OnnxModel bytes(19);
  bytes.input("x", {4}).constant("c", kE5M2, {4}, std::string("\x3c\x01\x7c\xfd", 4));
  expect_same(run(bytes.node("Mul", {"x", "c"}), {1, 65536, 1, 1}), {1, 1, kInfinity, kNan});
}

TEST(OnnxNarrowFloat, CastLikeRoundsAsTheOtherOperandIs) {
  OnnxModel model(19);
  model.input("x", {2}).constant("c", kBfloat16, {1}, std::string("\x80\x3f", 2));
  model.node("Neg", {"c"}, {"n"}).node("CastLike", {"x", "n"});
  expect_same(run(model, {1.0f / 3, 257}), {to_bfloat16(1.0f / 3), 256});
}

TEST(OnnxNarrowFloat, InputsAreFloat32) {
  OnnxModel model(19);
  const import::Network network = model.input("x", {2}, kBfloat16).node("Neg", {"x"}).network();
  EXPECT_EQ(network.tensors[network.inputs[0]].type, OH_NN_FLOAT32);
}

TEST(OnnxNarrowFloat, QuantizesToFloat8) {
  OnnxModel model(19);
  model.input("x", {3}).floats("s", {}, {0.5f}).constant("z", kE4M3FN, {}, std::string(1, '\0'));
  model.node("QuantizeLinear", {"x", "s", "z"}, {"q"}).node("DequantizeLinear", {"q", "s", "z"});
  expect_same(run(model, {0.53125f, 1000, -3}), {0.5f, 224, -3});
}

TEST(OnnxNarrowFloat, ConstantsOfAnotherSizeAreDamaged) {
  OnnxModel model(19);
  model.input("x", {3}).constant("c", kBfloat16, {3}, std::string(12, '\0'));
  EXPECT_EQ(message(model.node("Add", {"x", "c"}).read()),
            "Shape [3] takes 6 bytes, not 12. While reading tensor c.");
}

}  // namespace nnrt::test
