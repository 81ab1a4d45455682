#include "tests/device/fixture.h"

namespace nnrt::test {
namespace {

TEST(Run, ReluComputes) {
  const auto model = prepare(gpu(), relu({5}));
  std::vector<OutputSlot> outputs{{empty_view(20)}};
  const Status status = run(*model, {view_of<float>({5}, {-1, 2, -3, 4, -5})}, outputs);
  ASSERT_TRUE(status.ok()) << status.error().message;
  EXPECT_EQ(outputs[0].view.shape, (Shape{5}));
  EXPECT_EQ(values_of<float>(outputs[0].view), (std::vector<float>{0, 2, 0, 4, 0}));
}

}  // namespace
}  // namespace nnrt::test
