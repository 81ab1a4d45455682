// Indices as run-time inputs, and selections too long for one step.
#include "tests/device/device_suite.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

namespace nnrt::test {
namespace {

TEST(Index, OutOfRangeYieldsZerosForAnyHighWord) {
  constexpr int64_t kTwo32 = int64_t{1} << 32;
  GraphMaker maker;
  const TensorId x = maker.input({3});
  const TensorId indices = maker.input({7}, DType::i64);
  const auto model =
      prepare(*suite_device(), maker.finish({maker.op(Op::gather, {x, indices, maker.ints({0})}, {7})}));
  const std::vector<int64_t> given{kTwo32 + 1, -1, 3, -kTwo32, std::numeric_limits<int64_t>::min(), -3, -4};
  EXPECT_EQ(floats_of(*model, {view_of<float>({3}, {5, 7, 11}), view_of<int64_t>({7}, given)}),
            (std::vector<float>{0, 11, 0, 0, 0, 5, 0}));
}

TEST(Index, OfRowsForOnePlaceTheLastCounts) {
  constexpr int64_t kRows = 1009;
  GraphMaker maker;
  const TensorId indices = maker.input({kRows, 1}, DType::i32);
  const TensorId updates = maker.input({kRows});
  const auto model = prepare(
      *suite_device(), maker.finish({maker.op(Op::scatter_nd, {indices, updates, maker.ints({5})}, {5})}));
  std::vector<int32_t> places(kRows);
  for (size_t row = 0; row < places.size(); ++row) places[row] = int32_t(row % 7) - 1;
  std::vector<float> values(kRows);
  std::iota(values.begin(), values.end(), 1.0f);
  // Rows 1 to 5 modulo 7 select indices 0 to 4; 1008 is 0 modulo 7.
  EXPECT_EQ(floats_of(*model, {view_of<int32_t>({kRows, 1}, places), view_of<float>({kRows}, values)}),
            (std::vector<float>{1003, 1004, 1005, 1006, 1007}));
}

// The same onto nonzero elements.
TEST(Index, OfUpdatesForOneElementTheLastCounts) {
  constexpr int64_t kUpdates = 1009;
  std::vector<int32_t> places(kUpdates);
  // -6 and -7 are out of range for 5
  for (size_t i = 0; i < places.size(); ++i) places[i] = int32_t(i % 9) - 7;
  std::vector<float> values(kUpdates), want{-1, -2, -3, -4, -5};
  std::iota(values.begin(), values.end(), 1.0f);
  for (size_t i = 0; i < places.size(); ++i)
    if (places[i] >= -5) want[size_t(places[i] < 0 ? places[i] + 5 : places[i])] = values[i];
  for (const Op op : {Op::scatter_elements, Op::scatter_nd_update}) {
    const Shape shape = op == Op::scatter_elements ? Shape{kUpdates} : Shape{kUpdates, 1};
    GraphMaker maker;
    const TensorId x = maker.input({5});
    const TensorId indices = maker.input(shape, DType::i32);
    const TensorId updates = maker.input({kUpdates});
    const auto model = prepare(*suite_device(), maker.finish({maker.op(op, {x, indices, updates}, {5})}));
    EXPECT_EQ(floats_of(*model, {view_of<float>({5}, {-1, -2, -3, -4, -5}), view_of<int32_t>(shape, places),
                                 view_of<float>({kUpdates}, values)}),
              want);
  }
}

struct TopK {
  int64_t outer, length, inner, k;
  bool sorted;
};

// The indices of the k largest per line, in the requested order, ties by position.
template <typename T>
std::vector<int32_t> largest(const TopK& c, const std::vector<T>& x) {
  std::vector<int32_t> places(size_t(c.outer * c.k * c.inner));
  std::vector<int32_t> order(static_cast<size_t>(c.length));
  for (int64_t line = 0; line < c.outer * c.inner; ++line) {
    const auto at = [&](int32_t i) {
      return x[size_t((line / c.inner * c.length + i) * c.inner + line % c.inner)];
    };
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return at(a) > at(b); });
    const auto end = order.begin() + c.k;
    if (!c.sorted) {
      std::sort(order.begin(), end);
      std::stable_sort(order.begin(), end, [&](int32_t a, int32_t b) { return at(a) < at(b); });
    }
    for (int64_t i = 0; i < c.k; ++i) {
      places[size_t((line / c.inner * c.k + i) * c.inner + line % c.inner)] = order[size_t(i)];
    }
  }
  return places;
}

template <typename T>
void expect_top_k(const TopK& c, DType dtype) {
  std::vector<T> x(size_t(c.outer * c.length * c.inner));
  for (size_t i = 0; i < x.size(); ++i) x[i] = T(int(i * 7919 % 211) - 105);
  GraphMaker maker;
  const TensorId input = maker.input({c.outer, c.length, c.inner}, dtype);
  const TensorId k = maker.ints({int32_t(c.k)});
  const TensorId axis = maker.parameter<int64_t>(123, DType::i64, {1});
  const TensorId sorted = maker.parameter<uint8_t>(74, DType::boolean, {uint8_t(c.sorted)});
  const TensorId values = maker.tensor({c.outer, c.k, c.inner}, dtype);
  const TensorId places = maker.tensor({c.outer, c.k, c.inner}, DType::i32);
  ASSERT_TRUE(maker.builder()
                  .add_operation(int(Op::top_k), std::vector{axis, sorted}, std::vector{input, k},
                                 std::vector{values, places})
                  .ok());
  const auto model = prepare(*suite_device(), maker.finish({values, places}));
  std::vector<OutputSlot> outputs{{{}, true}, {{}, true}};
  ASSERT_TRUE(model->run(std::vector{view_of<T>({c.outer, c.length, c.inner}, x)}, outputs, {}).ok());
  const std::vector<int32_t> expected = largest(c, x);
  EXPECT_EQ(values_of<int32_t>(outputs[1].view), expected);
  const std::vector<T> got = values_of<T>(outputs[0].view);
  ASSERT_EQ(got.size(), expected.size());
  for (int64_t i = 0; i < int64_t(got.size()); ++i) {
    const int64_t outer = i / (c.k * c.inner);
    EXPECT_EQ(got[size_t(i)], x[size_t((outer * c.length + expected[size_t(i)]) * c.inner + i % c.inner)]);
  }
}

TEST(Index, TopKOfLongLinesTakesSeveralSteps) {
  expect_top_k<float>({.outer = 2, .length = 20011, .inner = 1, .k = 7, .sorted = true}, DType::f32);
  expect_top_k<int32_t>({.outer = 2, .length = 2003, .inner = 3, .k = 100, .sorted = false}, DType::i32);
  expect_top_k<int8_t>({.outer = 1, .length = 1543, .inner = 2, .k = 301, .sorted = true}, DType::i8);
}

TEST(Index, TopKOfAllIsAStableSort) {
  expect_top_k<int8_t>({.outer = 3, .length = 509, .inner = 1, .k = 509, .sorted = true}, DType::i8);
  expect_top_k<float>({.outer = 1, .length = 509, .inner = 2, .k = 509, .sorted = false}, DType::f32);
}

}  // namespace
}  // namespace nnrt::test
