// INT64 and FLOAT64, computed on pairs of words, agree bit for bit with the CPU, for numbers at the
// boundaries of words, mantissas and exponents.
#include "backends/cpu/engine/cpu_device.h"
#include "core/base/bytes_of.h"
#include "core/base/text.h"
#include "core/schema/schema.h"
#include "tests/device/device_suite.h"
#include "tests/support/device_agreement.h"

#include <cmath>
#include <limits>
#include <random>

namespace nnrt::test {
namespace {

// Exact, except that any NaN matches any other.
constexpr Tolerance kSameNumbers{.relative = std::numeric_limits<double>::min()};

constexpr size_t kRandomValues = 48;

std::vector<int64_t> integers() {
  constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
  constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> values{0, 1, -1, 2, 3, -3, 6, 7, 10, kLowest, kLowest + 1, kHighest, kHighest - 1};
  for (const int bit : {7, 8, 15, 24, 25, 31, 32, 53, 54, 62}) {
    const int64_t power = int64_t{1} << bit;
    values.insert(values.end(), {power - 1, power, power + 1, -power - 1, -power, -power + 1});
  }
  std::mt19937_64 random(11);
  for (size_t i = 0; i < kRandomValues; ++i) values.push_back(int64_t(random()) >> (random() % 64));
  return values;
}

std::vector<double> numbers() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> magnitudes{
      0,
      0.3,
      0.5,
      0x1.fffffffffffffp-2,
      1,
      1.5,
      2.5,
      0x1.fffffffffffffp0,
      255.5,
      32767.5,
      65519.999999,
      65520,
      0x1p31,
      0x1p31 - 1,
      2147483647.5,
      0x1p32 + 0.5,
      0x1p51,
      0x1p52 - 1,
      0x1p52 - 0.5,
      0x1p53 - 1,
      0x1p62,
      0x1p63,
      0x1p64,
      1e300,
      0x1p-24,
      0x1p-25,
      0x1.8p-25,
      0x1.000001p0,  // a tie in FLOAT32
      0x1p-126,
      0x1.fffffep-127,
      0x1p-149,
      0x1.8p-149,
      0x1p-150,
      0x1.000003p0,
      0x1.0000010000001p0,
      0x1.0020000000001p0,
      0x1.fffffefffffffp127,
      0x1.ffffffp127,
      0x1p-1022,
      0x1.8p-1040,
      std::numeric_limits<double>::denorm_min(),
      kInfinity,
  };
  std::mt19937_64 random(13);
  for (size_t i = 0; i < kRandomValues; ++i) {
    magnitudes.push_back(std::ldexp(double(random() >> 11), int(random() % 140) - 110));
  }
  std::vector<double> values{std::numeric_limits<double>::quiet_NaN()};
  for (const double magnitude : magnitudes) values.insert(values.end(), {magnitude, -magnitude});
  return values;
}

Bytes values_as(DType dtype) {
  if (dtype == DType::i64) return bytes_of(integers());
  if (dtype == DType::f64) return bytes_of(numbers());
  std::vector<int32_t> ints;
  for (const int64_t value : integers()) ints.push_back(int32_t(value));
  std::vector<float> floats;
  for (const double value : numbers()) floats.push_back(float(value));
  return dtype == DType::i32 ? bytes_of(ints) : bytes_of(floats);
}

struct Wide {
  Op op;
  DType from, to;
};

class WideOnGpu : public testing::TestWithParam<Wide> {
 protected:
  static Bytes run_on(Device& device, const GraphPtr& graph, const std::vector<TensorView>& inputs) {
    const auto model = prepare(device, graph);
    std::vector<OutputSlot> outputs{{{}, true}};
    const Status status = model->run(inputs, outputs, {});
    EXPECT_TRUE(status.ok()) << status.error().message;
    const TensorView& view = outputs[0].view;
    return {view.data(), view.data() + view.bytes};
  }

  static void expect_as_on_cpu(const GraphPtr& graph, const std::vector<TensorView>& inputs, DType dtype) {
    const Bytes want = run_on(*cpu::make_device(), graph, inputs);
    const Bytes got = run_on(*suite_device(), graph, inputs);
    const auto wrong = difference(dtype, got, want, kSameNumbers, 0);
    EXPECT_FALSE(wrong) << *wrong;
  }
};

class WidePairsOnGpu : public WideOnGpu {};

TEST_P(WideOnGpu, MatchesCpu) {
  const auto [op, from, to] = GetParam();
  const Bytes values = values_as(from);
  const Shape shape{int64_t(values.size() / size_of(from))};
  GraphMaker maker;
  std::vector<TensorId> operands{maker.input(shape, from)};
  if (op == Op::cast) operands.push_back(maker.constant<int32_t>({1}, DType::i32, {int32_t(to)}));
  const TensorId result = maker.op(op, operands, shape, {}, to);
  expect_as_on_cpu(maker.finish({result}), {view_of(shape, values)}, to);
}

// All pairs of values.
TEST_P(WidePairsOnGpu, MatchCpu) {
  const auto [op, from, to] = GetParam();
  const Bytes values = values_as(from);
  const auto count = int64_t(values.size() / size_of(from));
  for (const Shape& column : {Shape{count, 1}, Shape{1}}) {
    GraphMaker maker;
    const TensorId x = maker.input(column, from);
    const TensorId y = maker.input({count}, from);
    const Shape shape = column.size() == 1 ? Shape{count} : Shape{count, count};
    const Bytes first(values.begin(), values.begin() + column[0] * int64_t(size_of(from)));
    const TensorId result = maker.op(op, {x, y}, shape, {}, to);
    expect_as_on_cpu(maker.finish({result}), {view_of(column, first), view_of({count}, values)}, to);
  }
}

constexpr DType kI64 = DType::i64, kF64 = DType::f64, kBool = DType::boolean;

std::string title(const testing::TestParamInfo<Wide>& test) {
  const auto& [op, from, to] = test.param;
  return cat(schema(op).name, "_", name(from), "_", name(to));
}

INSTANTIATE_TEST_SUITE_P(Operators, WideOnGpu,
                         testing::Values(Wide{Op::abs, kI64, kI64}, Wide{Op::neg, kI64, kI64},
                                         Wide{Op::sign, kI64, kI64}, Wide{Op::sign, kF64, kF64},
                                         Wide{Op::bitwise_not, kI64, kI64}, Wide{Op::neg, kF64, kF64},
                                         Wide{Op::ceil, kF64, kF64}, Wide{Op::floor, kF64, kF64},
                                         Wide{Op::round, kF64, kF64}, Wide{Op::round_half_even, kF64, kF64},
                                         Wide{Op::cast, kF64, kBool}, Wide{Op::cast, kF64, DType::i8},
                                         Wide{Op::cast, kF64, DType::u8}, Wide{Op::cast, kF64, DType::i16},
                                         Wide{Op::cast, kF64, DType::i32}, Wide{Op::cast, kF64, kI64},
                                         Wide{Op::cast, kF64, DType::f16}, Wide{Op::cast, kF64, DType::f32},
                                         Wide{Op::cast, DType::i32, kF64}, Wide{Op::cast, kI64, kF64},
                                         Wide{Op::cast, DType::f32, kF64}, Wide{Op::cast, kI64, DType::f32},
                                         Wide{Op::cast, kI64, DType::f16}, Wide{Op::cast, DType::f32, kI64}),
                         title);

INSTANTIATE_TEST_SUITE_P(Operators, WidePairsOnGpu,
                         testing::Values(Wide{Op::add, kI64, kI64}, Wide{Op::sub, kI64, kI64},
                                         Wide{Op::mul, kI64, kI64}, Wide{Op::div, kI64, kI64},
                                         Wide{Op::mod, kI64, kI64}, Wide{Op::maximum, kI64, kI64},
                                         Wide{Op::bitwise_and, kI64, kI64}, Wide{Op::bitwise_or, kI64, kI64},
                                         Wide{Op::bitwise_xor, kI64, kI64}, Wide{Op::bit_shift, kI64, kI64},
                                         Wide{Op::minimum, kI64, kI64}, Wide{Op::less, kI64, kBool},
                                         Wide{Op::less_equal, kI64, kBool}, Wide{Op::equal, kI64, kBool},
                                         Wide{Op::not_equal, kI64, kBool}, Wide{Op::greater, kI64, kBool},
                                         Wide{Op::greater_equal, kI64, kBool}, Wide{Op::mod, kF64, kF64},
                                         Wide{Op::maximum, kF64, kF64}, Wide{Op::minimum, kF64, kF64},
                                         Wide{Op::less, kF64, kBool}, Wide{Op::less_equal, kF64, kBool},
                                         Wide{Op::equal, kF64, kBool}, Wide{Op::not_equal, kF64, kBool},
                                         Wide{Op::greater, kF64, kBool},
                                         Wide{Op::greater_equal, kF64, kBool}),
                         title);

}  // namespace
}  // namespace nnrt::test
