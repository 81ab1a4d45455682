#include "tests/support/node_maker.h"

#include <numeric>

namespace nnrt::cpu {
namespace {

using test::NodeMaker;

// Each update is a separate group along the axis; tasks must not write the same element.
TEST(ScatterElements, AddsManyUpdatesInOrder) {
  constexpr int64_t kRows = 300, kColumns = 200;
  std::vector<int32_t> x(size_t(kRows) * kColumns), indices(x.size()), updates(x.size()), want(x.size());
  std::iota(x.begin(), x.end(), 0);
  for (size_t i = 0; i < x.size(); ++i) {
    indices[i] = int32_t(i * 7 % 13);
    updates[i] = int32_t(i % 101);
  }
  for (const int64_t axis : {0, 1}) {
    want = x;
    for (int64_t i = 0; i < int64_t(x.size()); ++i) {
      const int64_t row = i / kColumns, column = i % kColumns, index = indices[size_t(i)];
      want[size_t(axis == 0 ? index * kColumns + column : row * kColumns + index)] += updates[size_t(i)];
    }
    EXPECT_EQ(NodeMaker(Op::scatter_elements)
                  .input({kRows, kColumns}, x)
                  .input({kRows, kColumns}, indices)
                  .input({kRows, kColumns}, updates)
                  .integer(Attr::axis, {double(axis)})
                  .integer(Attr::reduction, {1})
                  .output(DType::i32, {kRows, kColumns})
                  .run_for<int32_t>(),
              want);
  }
}

}  // namespace
}  // namespace nnrt::cpu
