#include "backends/vulkan/runtime/background_task.h"

#include <gtest/gtest.h>

#include <future>

namespace nnrt::vulkan {
namespace {

TEST(Background, DoesOnePieceOfWorkAtATime) {
  std::promise<void> go;
  std::promise<void> second;
  Background background;
  ASSERT_TRUE(background.begin([&] { go.get_future().wait(); }));
  EXPECT_FALSE(background.begin([] {}));
  go.set_value();
  while (!background.begin([&] { second.set_value(); })) std::this_thread::yield();
  second.get_future().wait();
}

TEST(Background, StopsAndJoins) {
  std::promise<void> begun;
  bool ended = false;
  {
    Background background;
    ASSERT_TRUE(background.begin([&] {
      begun.set_value();
      while (!background.stopping()) std::this_thread::yield();
      ended = true;
    }));
    begun.get_future().wait();
  }
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace nnrt::vulkan
