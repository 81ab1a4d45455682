// Products with packed 4- and 8-bit weights at every vector length, against sums in double precision.
#include "backends/cpu/gemm/nbits/nbits_microkernel.h"

#include "backends/cpu/gemm/nbits/nbits_int8.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace nnrt::cpu {
namespace {

struct Case {
  int64_t columns, inner, block;
};

// Weights of all kinds, packed for a vector length.
class Weights {
 public:
  Weights(const Case& one, int64_t bits, bool half_scales, bool centered, int vectors)
      : inner_(one.inner),
        block_(std::min(one.block, one.inner)),
        row_bytes_(bits == 8 ? one.inner : (one.inner + 1) / 2),
        bits_(bits) {
    const auto blocks = size_t(one.columns * count_of_blocks());
    for (size_t i = 0; i < size_t(one.columns * row_bytes_); ++i)
      values_.push_back(uint8_t(i * 167 + i / 13 * 31));
    for (size_t i = 0; i < blocks; ++i) {
      scales_.push_back(half_scales ? float(i % 29 + 1) / 64 : float(i % 29 + 1) * 0.0137f);
      zeros_.push_back(centered ? (bits == 4 ? 8 : 128) : uint8_t(i * 37 % (bits == 4 ? 16 : 256)));
    }
    const NbitsWeights stored{values_.data(), scales_.data(), zeros_.data(), one.columns,
                              inner_,         bits,           block_};
    form = nbits_form_of(stored);
    panels_.emplace_back(stored, form, vectors);
    memory_.resize(panels_[0].bytes());
    for (int64_t panel = 0; panel < panels_[0].count(); ++panel)
      pack_nbits(panels_[0], stored, panel, memory_.data());
    panels_[0].memory = memory_.data();
  }

  const NbitsPanels& panels() const { return panels_[0]; }
  int64_t block() const { return block_; }
  int64_t count_of_blocks() const { return (inner_ + block_ - 1) / block_; }

  double element(int64_t column, int64_t k) const {
    const uint8_t byte = values_[size_t(column * row_bytes_ + (bits_ == 8 ? k : k / 2))];
    const int value = bits_ == 8 ? byte : k % 2 == 0 ? byte & 15 : byte >> 4;
    const auto at = size_t(column * count_of_blocks() + k / block_);
    return double(scales_[at]) * (value - zeros_[at]);
  }

  NbitsForm form;

 private:
  int64_t inner_, block_, row_bytes_, bits_;
  std::vector<uint8_t> values_, zeros_;
  std::vector<float> scales_;
  std::vector<NbitsPanels> panels_;
  std::vector<std::byte> memory_;
};

std::vector<float> rows_of(int64_t count) {
  std::vector<float> rows(static_cast<size_t>(count));
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = float(int(i * 37 % 101) - 50) / 13;
  return rows;
}

template <typename F>
void for_each_case(int vectors, const F& f) {
  for (const Case& one : {Case{1, 1, 16},
                          {9, 5, 16},
                          {40, 61, 16},
                          {70, 200, 32},
                          {33, 64, 24},
                          {17, 90, 1000},
                          {65, 128, 7}}) {
    for (const int64_t bits : {4, 8}) {
      for (int form = 0; form < 4; ++form) {
        SCOPED_TRACE(testing::Message() << one.columns << " columns of " << one.inner << ", blocks of "
                                        << one.block << ", " << bits << " bits, form " << form);
        const Weights weights(one, bits, (form & 1) != 0, (form & 2) != 0, vectors);
        EXPECT_TRUE(weights.form.centered || (form & 2) == 0);
        EXPECT_TRUE(weights.form.half_scales || (form & 1) == 0);
        f(one, weights);
      }
    }
  }
}

class Nbits : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (GetParam() > vector_bytes()) GTEST_SKIP() << "Vectors of this length are not available.";
  }
};

// Sums of products and bounds on their errors.
template <typename ErrorOf>
void expect_products(const Case& one, const Weights& weights, int64_t panel, const std::vector<float>& x,
                     int rows, const std::vector<float>& got, const ErrorOf& error_of) {
  const int64_t width = weights.panels().width();
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < weights.panels().columns_of(panel); ++c) {
      double want = 0, error = 1e-7;
      for (int64_t k = 0; k < one.inner; ++k) {
        const double weight = weights.element(panel * width + c, k);
        want += weight * double(x[size_t(r * one.inner + k)]);
        error += std::abs(weight) * error_of(r, k);
      }
      ASSERT_NEAR(got[size_t(r * width + c)], want, error)
          << "row " << r << ", column " << c << " of panel " << panel;
    }
  }
}

TEST_P(Nbits, MultipliesFloats) {
  for_each_case(GetParam(), [&](const Case& one, const Weights& weights) {
    const NbitsPanels& panels = weights.panels();
    for (int rows = 1; rows <= kMaxNbitsRows; ++rows) {
      const std::vector<float> x = rows_of(rows * one.inner);
      for (int64_t panel = 0; panel < panels.count(); ++panel) {
        std::vector<float> got(size_t(rows * panels.width()));
        nbits_products(GetParam(), panels, panel, {x.data(), one.inner, rows}, got.data());
        expect_products(one, weights, panel, x, rows, got, [&](int64_t r, int64_t k) {
          return 1e-6 * std::abs(double(x[size_t(r * one.inner + k)]));
        });
      }
    }
  });
}

TEST_P(Nbits, DequantizesExactly) {
  for_each_case(GetParam(), [&](const Case& one, const Weights& weights) {
    const NbitsPanels& panels = weights.panels();
    for (int64_t panel = 0; panel < panels.count(); ++panel) {
      const int64_t columns = panels.columns_of(panel),
                    row = columns > panels.lanes ? panels.width() : panels.lanes;
      std::vector<float> got(size_t(row * one.inner + 1), 77.0f);
      for (int64_t first = 0; first < panels.blocks(); first += 3)
        dequantize_blocks(GetParam(), panels, panel, first, std::min(first + 3, panels.blocks()),
                          got.data() + first * panels.block * row);
      EXPECT_EQ(got.back(), 77.0f) << "written past the end";
      for (int64_t k = 0; k < one.inner; ++k)
        for (int64_t c = 0; c < columns; ++c)
          ASSERT_EQ(got[size_t(k * row + c)], float(weights.element(panel * panels.width() + c, k)))
              << k << ' ' << c;
    }
  });
}

TEST_P(Nbits, MultipliesQuantizedRows) {
  for_each_case(GetParam(), [&](const Case& one, const Weights& weights) {
    const NbitsPanels& panels = weights.panels();
    if (!nbits_int8_supported(GetParam(), panels.bits)) return;
    for (int rows = 1; rows <= kMaxNbitsInt8Rows; rows += rows < 3 ? 1 : 2) {
      const std::vector<float> x = rows_of(rows * one.inner);
      Int8Quantized quantized(rows, one.inner, weights.block(), panels.bits);
      std::vector<std::byte> memory(quantized.bytes());
      quantized.place(memory.data());
      quantized.quantize(x.data(), 0, rows);
      const auto half_step = [&](int64_t r, int64_t k) {
        double largest = 0;
        const int64_t begin = k / weights.block() * weights.block();
        for (int64_t i = begin; i < std::min(begin + weights.block(), one.inner); ++i)
          largest = std::max(largest, std::abs(double(x[size_t(r * one.inner + i)])));
        return largest / 254 * 1.001 + 1e-6;
      };
      for (int64_t panel = 0; panel < panels.count(); ++panel) {
        std::vector<float> got(size_t(rows * panels.width()));
        nbits_int8_products(GetParam(), panels, panel, quantized, 0, rows, got.data());
        expect_products(one, weights, panel, x, rows, got, half_step);
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Vectors, Nbits, testing::Values(16, 32, 64));

}  // namespace
}  // namespace nnrt::cpu
