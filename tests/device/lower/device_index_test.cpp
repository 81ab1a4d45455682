// Indices as run-time inputs.
#include "tests/device/device_suite.h"

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

}  // namespace
}  // namespace nnrt::test
