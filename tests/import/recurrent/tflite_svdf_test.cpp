// SVDF with a zero-initialized memory, against its definition.
#include "tests/import/tflite_writer.h"

#include <gtest/gtest.h>

#include <cmath>

namespace nnrt::test {
namespace {

using enum BuiltinOperator;

using Numbers = std::vector<double>;

constexpr int kBatch = 2, kFeatures = 3, kUnits = 2, kSteps = 4;

SetOptions options(int rank, format::Activation activation) {
  format::SVDFOptionsT set;
  set.rank = rank;
  set.activation = activation;
  return with(set);
}

Numbers drawn(size_t count, double factor) {
  Numbers values;
  for (size_t i = 0; i < count; ++i) values.push_back(std::round(std::sin(double(i) * 2.3 + 1) * factor));
  return values;
}

// Each filter's result is multiplied by its last time weight.
Numbers expected(const Numbers& x, const Numbers& weights, const Numbers& time, const Numbers& bias, int rank,
                 bool is_positive) {
  Numbers y;
  for (int batch = 0; batch < kBatch; ++batch) {
    for (int unit = 0; unit < kUnits; ++unit) {
      double sum = bias[size_t(unit)];
      for (int filter = unit * rank; filter < (unit + 1) * rank; ++filter) {
        double result = 0;
        for (int i = 0; i < kFeatures; ++i)
          result += x[size_t(batch * kFeatures + i)] * weights[size_t(filter * kFeatures + i)];
        sum += result * time[size_t(filter * kSteps + kSteps - 1)];
      }
      y.push_back(is_positive ? std::max(sum, 0.0) : sum);
    }
  }
  return y;
}

}  // namespace

TEST(TfliteSvdf, AddsUpFiltersOfTheNewestStep) {
  for (const int rank : {1, 2}) {
    for (const auto activation : {format::Activation::NONE, format::Activation::RELU}) {
      const int filters = kUnits * rank;
      const Operand x = floats({kBatch, kFeatures}, drawn(kBatch * kFeatures, 5)),
                    weights = constant(floats({filters, kFeatures}, drawn(size_t(filters * kFeatures), 4))),
                    time = constant(floats({filters, kSteps}, drawn(size_t(filters * kSteps), 3))),
                    bias = constant(floats({kUnits}, {1, -2}));
      const Operand y = floats({kBatch, kUnits}, expected(x.values, weights.values, time.values, bias.values,
                                                          rank, activation == format::Activation::RELU));
      TfliteWriter writer;
      const int32_t input = writer.input(x), output = writer.tensor(y);
      const int32_t memory = writer.tensor(floats({kBatch, filters * kSteps}, {}));
      writer.add(SVDF, {input, writer.tensor(weights), writer.tensor(time), writer.tensor(bias), memory},
                 {output}, options(rank, activation));
      writer.output(output);
      EXPECT_EQ(run(writer.finish(), {x}, {y}).at(0), y.values) << rank;
    }
  }
}

// The memory has 16 bits: filter results beyond 32767 steps saturate.
TEST(TfliteSvdf, AMemoryOf16BitsSaturates) {
  const Operand x = int8({1, 2}, {100, 20}, 0.5f, 0), weights = constant(int8({2, 2}, {127, 0, 0, 10}, 1, 0));
  // Filters give 50 * 127 = 6350 and 10 * 10 = 100; the memory holds 0.125 * 32767 = 4095.875 and 100.
  Operand time{TensorType::INT16, {2, 2}, {7, 8, 9, 16}, {0.0625f}, {0}};
  Operand memory{TensorType::INT16, {1, 4}, {}, {0.125f}, {0}};
  // 4095.875 * 0.5 = 2047.9375 and 100 * 1, with 128 and 256 steps of 0.125 * 0.0625 as biases.
  const Operand bias = ints({2}, {128, 256}), y = int8({1, 2}, {-26, -87}, 32, -90);
  TfliteWriter writer;
  const int32_t input = writer.input(x), output = writer.tensor(y);
  writer.add(SVDF,
             {input, writer.tensor(weights), writer.tensor(constant(time)), writer.tensor(constant(bias)),
              writer.tensor(memory)},
             {output}, options(1, format::Activation::NONE));
  writer.output(output);
  EXPECT_EQ(run(writer.finish(), {x}, {y}).at(0), y.values);
}

TEST(TfliteSvdf, AMemoryOf8BitsSaturates) {
  const Operand x = int8({1, 2}, {100, 20}, 0.5f, 0), weights = constant(int8({2, 2}, {127, 0, 0, 10}, 1, 0));
  // Filters give 6350 and 100; the memory holds 8 * 127 = 1016 and 8 * 13 = 104 (12.5 rounds away from zero).
  Operand time = constant(int8({2, 2}, {7, 8, 9, 16}, 0.0625f, 0)), memory = int8({1, 4}, {}, 8, 0);
  // 1016 * 0.5 = 508 and 104 * 1, with 64 and 256 steps of 8 * 0.0625 as biases: 540 and 232.
  const Operand bias = ints({2}, {64, 256}), y = int8({1, 2}, {45, -32}, 4, -90);
  TfliteWriter writer;
  const int32_t input = writer.input(x), output = writer.tensor(y);
  writer.add(SVDF,
             {input, writer.tensor(weights), writer.tensor(time), writer.tensor(constant(bias)),
              writer.tensor(memory)},
             {output}, options(1, format::Activation::NONE));
  writer.output(output);
  EXPECT_EQ(run(writer.finish(), {x}, {y}).at(0), y.values);
}

TEST(TfliteSvdf, RejectsMismatchedFilters) {
  const Operand x = floats({1, 3}, {}), weights = constant(floats({3, 3}, Numbers(9, 1))),
                time = constant(floats({3, 2}, Numbers(6, 1))), bias = constant(floats({1}, {1})),
                memory = constant(floats({1, 6}, Numbers(6, 0))), y = floats({1, 1}, {});
  const auto refused = [&](int rank, const Operand& given) {
    return refusal(
        one_operator(SVDF, options(rank, format::Activation::NONE), {x, given, time, bias, memory}, {y}));
  };
  EXPECT_EQ(refused(3, weights), "");
  EXPECT_EQ(refused(2, weights), "SVDF (operator 0) has filters with mismatched shapes.");
  EXPECT_EQ(refused(0, weights), "SVDF (operator 0) has filters with mismatched shapes.");
  EXPECT_EQ(refused(1, weights), "SVDF (operator 0) has a bias of the wrong size.");
  EXPECT_EQ(refused(3, floats({3, 3}, {})), "SVDF (operator 0) needs constant feature weights (input 1).");
}

}  // namespace nnrt::test
