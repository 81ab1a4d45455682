#include "core/passes/kernel_choice.h"

#include "core/platform/log.h"

#include <gtest/gtest.h>

namespace nnrt {
namespace {

struct Row {
  std::string_view name;
  WhyNot (*why_not)(int);
};

// The first needs multiples of four, the second is better for small numbers, the last accepts anything.
constexpr Row kRows[] = {
    {"vec4", [](int size) { return size % 4 == 0 ? WhyNot() : WhyNot("{} is no multiple of {}.", size, 4); }},
    {"small",
     [](int size) {
       return size < 10 ? WhyNot() : WhyNot::slower("It is slower where there are {}.", size);
     }},
    {"direct", nullptr}};

std::string chosen(int size, const KernelSwitch& kernels = {}, KernelLog* log = nullptr) {
  const Row* row = choose_kernel(std::span<const Row>(kRows), kernels, log, size);
  return row == nullptr ? "" : std::string(row->name);
}

KernelSwitch parsed(std::string_view text) {
  constexpr std::string_view kNames[] = {"vec4", "small", "direct"};
  return parse_kernel_switch("NNRT_TEST_KERNELS", text, kNames);
}

TEST(KernelChoice, PicksTheFirstApplicable) {
  EXPECT_EQ(chosen(8), "vec4");
  EXPECT_EQ(chosen(7), "small");
  EXPECT_EQ(chosen(11), "direct");
}

TEST(KernelChoice, TakesForcedKernel) {
  EXPECT_EQ(chosen(8, parsed("+direct")), "direct");
  EXPECT_EQ(chosen(11, parsed("+small")), "small") << "A preference does not count.";
  EXPECT_EQ(chosen(7, parsed("+vec4")), "small") << "It cannot.";
  EXPECT_EQ(chosen(8, parsed("+direct,+small")), "small") << "The order is that of the list.";
}

TEST(KernelChoice, ForbiddenIsNotTaken) {
  EXPECT_EQ(chosen(8, parsed("-vec4")), "small");
  EXPECT_EQ(chosen(11, parsed("-direct")), "small") << "A slower one is better than none.";
  EXPECT_EQ(chosen(11, parsed("-direct,-small")), "");
}

TEST(KernelChoice, LogsChoiceAndReasons) {
  KernelLog log;
  chosen(11, {}, &log);
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0].name, "direct");
  ASSERT_EQ(log[0].declined.size(), 2u);
  EXPECT_EQ(log[0].declined[0].name, "vec4");
  EXPECT_EQ(log[0].declined[0].why, "11 is no multiple of 4.");
  EXPECT_EQ(log[0].declined[1].why, "It is slower where there are 11.");
}

TEST(KernelChoice, LogsSwitch) {
  KernelLog log;
  chosen(8, parsed("+direct,-small"), &log);
  chosen(7, parsed("-small,-direct"), &log);
  ASSERT_EQ(log.size(), 2u);
  ASSERT_EQ(log[0].declined.size(), 2u);
  EXPECT_EQ(log[0].declined[0].why, "Another one is forced by name.");
  EXPECT_EQ(log[0].declined[1].why, "It is forbidden by name.");
  EXPECT_EQ(log[1].name, "");
  EXPECT_EQ(log[1].declined.size(), 3u);
}

TEST(KernelSwitch, LastWordAboutANameCounts) {
  const KernelSwitch kernels = parsed("+vec4,-small,-vec4,+small");
  EXPECT_TRUE(kernels.forbids("vec4"));
  EXPECT_FALSE(kernels.forces("vec4"));
  EXPECT_TRUE(kernels.forces("small"));
  EXPECT_EQ(kernels.text(), "+small-vec4");
  EXPECT_EQ(kernels, parsed("-vec4,+small"));
}

TEST(KernelSwitch, ExplainsInvalidEntries) {
  std::vector<std::string> lines;
  set_log_sink([&](LogLevel level, std::string_view line) {
    if (level == LogLevel::warning) lines.emplace_back(line);
  });
  const KernelSwitch kernels = parsed("+vec8,vec4,-,-small");
  set_log_sink({});
  EXPECT_EQ(kernels.text(), "-small");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], "NNRT_TEST_KERNELS (+vec8) names none of vec4, small, direct.");
  EXPECT_EQ(lines[1], "NNRT_TEST_KERNELS (vec4) needs a + or a - before the name.");
  EXPECT_EQ(lines[2], "NNRT_TEST_KERNELS (-) names none of vec4, small, direct.");
}

}  // namespace
}  // namespace nnrt
