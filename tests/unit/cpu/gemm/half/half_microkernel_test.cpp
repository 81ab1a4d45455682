// Exact conversions of 16-bit weights at every vector length.
#include "backends/cpu/gemm/half/half_microkernel.h"

#include "core/base/fp16.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace nnrt::cpu {
namespace {

struct Form {
  int vector_bytes;
  bool bfloat;
};
std::ostream& operator<<(std::ostream& out, const Form& form) {
  return out << form.vector_bytes << (form.bfloat ? " bfloat16" : " half");
}

float widened(uint16_t bits, bool bfloat) {
  return bfloat ? std::bit_cast<float>(uint32_t{bits} << 16) : to_float(Half{bits});
}

class HalfForms : public testing::TestWithParam<Form> {
 protected:
  void SetUp() override {
    if (GetParam().vector_bytes > vector_bytes()) GTEST_SKIP() << "Vectors of this length are not available.";
  }

  uint32_t forms_of(const std::vector<float>& values) const {
    return half_forms_of(GetParam().vector_bytes, values.data(), int64_t(values.size()));
  }
  std::vector<float> widen(const std::vector<uint16_t>& from) const {
    std::vector<float> to(from.size());
    widen_half(GetParam().vector_bytes, GetParam().bfloat, from.data(), int64_t(from.size()), to.data());
    return to;
  }
};

TEST_P(HalfForms, ConvertEveryNumberExactly) {
  const bool bfloat = GetParam().bfloat;
  std::vector<uint16_t> all(1 << 16);
  for (size_t i = 0; i < all.size(); ++i) all[i] = uint16_t(i);
  const std::vector<float> wide = widen(all);
  for (size_t i = 0; i < all.size(); ++i) {
    const float want = widened(all[i], bfloat);
    if (std::isnan(want)) {
      EXPECT_TRUE(std::isnan(wide[i])) << i;
      continue;
    }
    ASSERT_EQ(std::bit_cast<uint32_t>(wide[i]), std::bit_cast<uint32_t>(want)) << i;
    uint16_t back = 0;
    narrow_to_half(GetParam().vector_bytes, bfloat, &want, 1, &back);
    ASSERT_EQ(back, all[i]);
    if (std::isinf(want)) continue;
    ASSERT_TRUE((forms_of({want}) & (bfloat ? kExactBfloat : kExactHalf)) != 0) << want;
  }
}

TEST_P(HalfForms, AreRecognizedByTheLastBit) {
  for (const float value : {1.0f, 0x1p-14f, 0x1p-24f, 65504.0f, 0.0f, 3e-6f}) {
    for (const float near : {std::nextafter(value, 1e9f), std::nextafter(value, -1e9f)})
      EXPECT_EQ(forms_of({near}) & kExactHalf, to_float(to_half(near)) == near ? kExactHalf : 0) << near;
  }
  EXPECT_EQ(forms_of({1.0f, 1.0f + 0x1p-8f}), kExactHalf | kRoundedHalf);
  EXPECT_EQ(forms_of({1.0f, 0x1p100f}), kExactBfloat);
  EXPECT_EQ(forms_of({0.1f}), kRoundedHalf);
  EXPECT_EQ(forms_of({65519.0f}), kRoundedHalf);
  EXPECT_EQ(forms_of({65520.0f}) & (kExactHalf | kRoundedHalf), 0u);
  EXPECT_EQ(forms_of({std::numeric_limits<float>::infinity()}) & kRoundedHalf, 0u);
  EXPECT_EQ(forms_of({std::nanf("")}) & kRoundedHalf, 0u);
}

// A value that fits no form, at each place of odd lengths.
TEST_P(HalfForms, ExamineAllValues) {
  for (const size_t count : {size_t{1}, size_t{15}, size_t{33}}) {
    for (size_t at = 0; at < count; ++at) {
      std::vector<float> values(count, 0.5f);
      EXPECT_EQ(forms_of(values), kAllHalfForms);
      values[at] = 1e30f;
      EXPECT_EQ(forms_of(values), 0u) << at << " of " << count;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Vectors, HalfForms,
                         testing::Values(Form{16, false}, Form{16, true}, Form{32, false}, Form{32, true},
                                         Form{64, false}, Form{64, true}));

}  // namespace
}  // namespace nnrt::cpu
