#include "tools/nnrt/base/interrupt.h"

#include "tools/nnrt/base/repeat.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

using namespace nnrt::tool;

namespace {

// Each test forks: the interrupted flag is never reset.
void expect_of_process(const std::function<bool()>& work) {
  EXPECT_EXIT(_exit(work() ? 0 : 1), testing::ExitedWithCode(0), "");
}

}  // namespace

TEST(Interrupts, TheFirstIsCaught) {
  expect_of_process([] {
    const CatchInterrupts catches;
    const bool before = interrupted();
    std::raise(SIGINT);
    return !before && interrupted();
  });
}

TEST(Interrupts, TheSecondEndsTheProcess) {
  const auto interrupt_twice = [] {
    const CatchInterrupts catches;
    std::raise(SIGINT);
    std::raise(SIGINT);
    _exit(0);
  };
  EXPECT_EXIT(interrupt_twice(), testing::KilledBySignal(SIGINT), "");
}

TEST(Interrupts, EndTheProcessOutsideMeasurements) {
  const auto interrupt_later = [] {
    { const CatchInterrupts catches; }
    std::raise(SIGINT);
    _exit(0);
  };
  EXPECT_EXIT(interrupt_later(), testing::KilledBySignal(SIGINT), "");
}

TEST(Interrupts, RespectInheritedIgnore) {
  expect_of_process([] {
    std::signal(SIGINT, SIG_IGN);
    const CatchInterrupts catches;
    std::raise(SIGINT);
    std::raise(SIGINT);
    return !interrupted();
  });
}

TEST(Interrupts, EndRepetitionsAfterTheRunInProgress) {
  expect_of_process([] {
    unsigned runs = 0;
    const nnrt::Status status = repeat("", 100, [&]() -> nnrt::Status {
      if (++runs == 3) std::raise(SIGINT);
      return {};
    });
    return status.ok() && runs == 3;
  });
}

TEST(Repeat, EndsWithTheFirstFailure) {
  unsigned runs = 0;
  const nnrt::Status status = repeat("", 5, [&]() -> nnrt::Status {
    if (++runs < 2) return {};
    return nnrt::Error{nnrt::Code::failed, "no"};
  });
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(runs, 2u);
}
