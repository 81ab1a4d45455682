#include "backends/cpu/kernels/elementwise/int8_arithmetic.h"

#include "backends/cpu/base/element.h"
#include "backends/cpu/base/strided_walk.h"
#include "backends/cpu/int8/int8_formula.h"
#include "backends/cpu/kernels/elementwise/binary_kernels.h"
#include "backends/cpu/simd/simd.h"

#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace nnrt::cpu {
namespace {

constexpr int64_t kBlock = kSumBlock;    // elements recomputed exactly if one is close to a tie
constexpr float kRounder = 12582912.0f;  // adding it rounds to an integer

// Float arithmetic. Everything excludes the output's zero point.
struct FastFormula {
  float of_a, of_b, constant;     // sum: a * of_a + b * of_b + constant
  float zero_a, zero_b, product;  // product: (a - zero_a) * (b - zero_b) * product
  float low, high;
  float sure;  // results this close to an integer round the same way as in exact arithmetic
  int32_t zero_point;
};

struct Formula {
  FastFormula fast;
  Int8Sum sum;  // its exact part also for products

  bool multiplies() const { return sum.exact.multiplies; }
};

// Upper bound of a sum's magnitude, in output steps.
double reach(const NodeView& node) {
  const double to = affine_of(node.output(0)).scale;
  return 256 * (affine_of(node.input(0)).scale + affine_of(node.input(1)).scale) / to;
}

Formula formula_of(const NodeView& node) {
  Formula formula{.fast = {}, .sum = {{}, exact_formula(node)}};
  if (!formula.multiplies()) formula.sum = int8_sum(node);
  const ExactFormula& exact = formula.sum.exact;
  const Affine &a = exact.a, &b = exact.b, &to = exact.to;
  const double sign = exact.sign_b;
  const auto [low, high] = code_bounds(node);
  FastFormula& fast = formula.fast;
  fast.of_a = float(a.scale / to.scale);
  fast.of_b = float(sign * b.scale / to.scale);
  fast.constant = float(-(a.zero_point * a.scale + sign * b.zero_point * b.scale) / to.scale);
  fast.zero_a = float(a.zero_point);
  fast.zero_b = float(b.zero_point);
  fast.product = float(a.scale * b.scale / to.scale);
  fast.low = float(low - to.zero_point);
  fast.high = float(high - to.zero_point);
  fast.zero_point = to.zero_point;
  // Each factor and operation has an error of half a ULP. The error of a product is relative to a result that
  // is not clamped; that of a sum also to its terms.
  constexpr double kUlp = 1.2e-7, kErrorsOfSum = 8, kErrorsOfProduct = 4;
  const double largest = std::max(std::abs(fast.low), std::abs(fast.high)) + 1;
  fast.sure =
      0.5f - float(kUlp / 2 * (exact.multiplies ? kErrorsOfProduct * largest : kErrorsOfSum * reach(node)));
  return formula;
}

// Returns whether all results of the block are certain.
template <bool Multiplies>
[[gnu::always_inline]] inline bool fast_block(const FastFormula& fast, const int8_t* a, const int8_t* b,
                                              int8_t* to) {
  const FastFormula f = fast;
  const int32_t offset = f.zero_point - std::bit_cast<int32_t>(kRounder);
  int8_t result[kBlock];  // `to` may be an operand
  int32_t unsure = 0;
  for (int64_t i = 0; i < kBlock; ++i) {
    const auto x = float(a[i]), y = float(b[i]);
    float value =
        Multiplies ? (x - f.zero_a) * (y - f.zero_b) * f.product : x * f.of_a + y * f.of_b + f.constant;
    value = value > f.low ? value : f.low;
    value = value < f.high ? value : f.high;
    const float raised = value + kRounder;
    unsure |= std::abs(value - (raised - kRounder)) > f.sure ? 1 : 0;
    result[i] = int8_t(std::bit_cast<int32_t>(raised) + offset);
  }
  std::memcpy(to, result, sizeof result);
  return unsure == 0;
}

// A positive product in output steps, rounded as by compute_exactly().
double rounded(double value, bool ties_to_even) {
  constexpr double kToWhole = 6755399441055744.0;  // adding it rounds ties to even
  return ties_to_even ? double(float(value)) + kToWhole - kToWhole
                      : double(int32_t(value + 0.49999999999999994));
}

// Returns whether float products with this factor are rounded as in exact arithmetic, for all pairs of codes.
// Only the two products next to each tie are tried: floats err by less than the distance of all others.
bool decides_all_ties(const Formula& formula, float factor) {
  constexpr double kError = 1e-14;  // of doubles, whose last bits depend on the two factors
  const ExactFormula& exact = formula.sum.exact;
  const double step = exact.a.scale * exact.b.scale / exact.to.scale;
  const double far = std::max(std::abs(formula.fast.low), std::abs(formula.fast.high));
  for (double tie = 0.5; tie < far; ++tie) {
    const double below = std::floor(tie / step);
    for (const double product : {below, below + 1}) {
      const double value = product * step, fast = double(std::nearbyint(float(product) * factor));
      if (rounded(value * (1 - kError), exact.to.ties_to_even) != fast) return false;
      if (rounded(value * (1 + kError), exact.to.ties_to_even) != fast) return false;
    }
  }
  return true;
}

// A factor that decides_all_ties(), or 0.
float decisive_factor(const Formula& formula) {
  constexpr float kLeast = 1e-3f, kMost = 1e3f;  // for two products next to a tie to suffice
  const float nearest = formula.fast.product;
  if (!(nearest > kLeast && nearest < kMost)) return 0;
  for (const float factor : {nearest, std::nextafter(nearest, 0.0f), std::nextafter(nearest, 2 * nearest)})
    if (decides_all_ties(formula, factor)) return factor;
  return 0;
}

// Scales such as 1/50 make nearly every block unsure. After some, it pays off to search for a factor that
// decides ties.
class TieBreaker {
 public:
  // After a block that was unsure.
  void note(const Formula& formula) {
    constexpr int32_t kEnough = 32;
    if (unsure_.fetch_add(1, std::memory_order_relaxed) == kEnough)
      factor_.store(decisive_factor(formula), std::memory_order_relaxed);
  }
  // Uses the factor if it is known.
  void apply(FastFormula& fast) const {
    const float factor = factor_.load(std::memory_order_relaxed);
    if (factor == 0) return;
    fast.product = factor;
    fast.sure = 1;
  }

 private:
  std::atomic<int32_t> unsure_{0};
  std::atomic<float> factor_{0};
};

// Calls blocks(a, b, count, to) for `count` blocks of kBlock elements.
template <typename Blocks>
[[gnu::always_inline]] inline void compute_run(const Blocks& blocks, Operand a, Operand b, int64_t count,
                                               int8_t* to) {
  int8_t same_a[kBlock], same_b[kBlock], result[kBlock];
  const auto repeat = [](Operand& operand, int8_t* same) {
    if (operand.step != 0) return;
    std::memset(same, *operand.data, kBlock);
    operand.data = same;
  };
  repeat(a, same_a);
  repeat(b, same_b);
  const int64_t full = count / kBlock, done = full * kBlock, rest = count - done;
  if (full > 0) blocks(a, b, full, to);
  if (rest == 0) return;
  const auto pad = [&](const Operand& operand, int8_t* padded) {
    if (operand.step == 0) return;
    std::memset(padded, 0, kBlock);
    std::memcpy(padded, operand.data + done, size_t(rest));
  };
  pad(a, same_a);
  pad(b, same_b);
  blocks(Operand{same_a, 0}, Operand{same_b, 0}, 1, result);
  std::memcpy(to + done, result, size_t(rest));
}

template <bool Multiplies>
[[gnu::always_inline]] inline void compute_in_float(const Formula& formula, TieBreaker& ties, Operand a,
                                                    Operand b, int64_t count, int8_t* to) {
  FastFormula fast = formula.fast;
  if (Multiplies) ties.apply(fast);
  const auto blocks = [&](const Operand& x, const Operand& y, int64_t many, int8_t* z)
      __attribute__((always_inline)) {
    int8_t result[kBlock];
    for (int64_t i = 0; i < many * kBlock; i += kBlock) {
      const int8_t *const left = x.data + i * x.step, *const right = y.data + i * y.step;
      if (fast_block<Multiplies>(fast, left, right, result)) {
        std::memcpy(z + i, result, sizeof result);
      } else {
        compute_exactly(formula.sum.exact, left, right, z + i);
        if (Multiplies) {
          ties.note(formula);
          ties.apply(fast);
        }
      }
    }
  };
  compute_run(blocks, a, b, count, to);
}

void compute_in_fixed_point(const Formula& formula, Operand a, Operand b, int64_t count, int8_t* to) {
  const auto blocks = [&](const Operand& x, const Operand& y, int64_t many, int8_t* z) {
    for (int64_t i = 0; i < many; ++i) {
      const auto left = [&] { return x.data + i * kBlock * x.step; };
      const auto right = [&] { return y.data + i * kBlock * y.step; };
      i += add_blocks(formula.sum.fixed, {left(), x.step}, {right(), y.step}, many - i, z + i * kBlock);
      if (i == many) return;
      compute_exactly(formula.sum.exact, left(), right(), z + i * kBlock);
    }
  };
  compute_run(blocks, a, b, count, to);
}

void compute(const Formula& formula, TieBreaker& ties, Operand a, Operand b, int64_t count, int8_t* to) {
  if (formula.sum.fixed.is_usable) return compute_in_fixed_point(formula, a, b, count, to);
  with_vectors(
      vector_bytes(), [&](auto) __attribute__((always_inline)) {
        if (formula.multiplies()) {
          compute_in_float<true>(formula, ties, a, b, count, to);
        } else {
          compute_in_float<false>(formula, ties, a, b, count, to);
        }
      });
}

// A short row that is broadcast, stored several times in succession so that inner loops are longer.
class RepeatedRow {
 public:
  static constexpr int64_t kBytes = 1024, kLongest = 256;

  RepeatedRow(const int8_t* row, int64_t length) : length_(length) {
    for (int64_t i = 0; i < kBytes; ++i) values_[size_t(i)] = row[i % length];
  }
  // The repeated row from an element on, and the number of elements there.
  const int8_t* at(int64_t position) const { return values_.data() + position % length_; }
  int64_t count() const { return kBytes - length_; }

 private:
  int64_t length_;
  std::array<int8_t, size_t(kBytes)> values_;
};

// The operand with these strides besides one that is dense, of rows short enough; 2 if none has.
size_t operand_along(const Collapsed& layout, const Strides& strides) {
  if (layout.shape.size() != 2 || layout.shape[1] > RepeatedRow::kLongest) return 2;
  const Strides rows{layout.shape[1], 1};
  for (size_t k = 0; k < 2; ++k)
    if (layout.strides[k] == strides && layout.strides[1 - k] == rows) return k;
  return 2;
}

// One value per short row, as many times as the row is long.
class SpreadColumn {
 public:
  SpreadColumn(const int8_t* column, int64_t length) : column_(column), length_(length) {}

  // The values for at most `count` elements from `position` on, and how many they are.
  std::pair<const int8_t*, int64_t> at(int64_t position, int64_t count) {
    count = std::min(count, kBytes);
    const int64_t row = position / length_, skipped = position - row * length_;
    int8_t* to = values_.data();
    for (int64_t i = row; to < values_.data() + skipped + count; ++i, to += length_)
      for (int64_t j = 0; j < length_; j += kBlock) std::memset(to + j, column_[i], kBlock);
    return {values_.data() + skipped, count};
  }

 private:
  static constexpr int64_t kBytes = 1024;

  const int8_t* column_;
  int64_t length_;
  std::array<int8_t, size_t(kBytes + 2 * RepeatedRow::kLongest + kBlock)> values_;
};

}  // namespace

Status int8_arithmetic(const KernelArgs& args) {
  constexpr int64_t kGrain = 1 << 15;
  const Formula formula = formula_of(args.node);
  TieBreaker ties;
  const Collapsed layout = binary_layout(args.node);
  const std::array<const int8_t*, 2> in{args.input<int8_t>(0), args.input<int8_t>(1)};
  auto* const to = args.output<int8_t>();
  const size_t repeating = operand_along(layout, {0, 1}), spread = operand_along(layout, {1, 0});
  args.pool.parallel_for(element_count(layout.shape).value_or(0), kGrain, [&](int64_t begin, int64_t end) {
    if (repeating < 2) {
      const RepeatedRow row(in[repeating], layout.shape[1]);
      for (int64_t length = 0; begin < end; begin += length) {
        length = std::min(row.count(), end - begin);
        std::array<Operand, 2> operands{Operand{in[0] + begin, 1}, Operand{in[1] + begin, 1}};
        operands[repeating].data = row.at(begin);
        compute(formula, ties, operands[0], operands[1], length, to + begin);
      }
      return;
    }
    if (spread < 2) {
      SpreadColumn column(in[spread], layout.shape[1]);
      while (begin < end) {
        const auto [values, length] = column.at(begin, end - begin);
        std::array<Operand, 2> operands{Operand{in[0] + begin, 1}, Operand{in[1] + begin, 1}};
        operands[spread].data = values;
        compute(formula, ties, operands[0], operands[1], length, to + begin);
        begin += length;
      }
      return;
    }
    walk<2>(layout.shape, layout.strides, begin, end,
            [&](int64_t position, const std::array<int64_t, 2>& at, int64_t length) {
              compute(formula, ties, {in[0] + at[0], layout.strides[0].back()},
                      {in[1] + at[1], layout.strides[1].back()}, length, to + position);
            });
  });
  return {};
}

}  // namespace nnrt::cpu
