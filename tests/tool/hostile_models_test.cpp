// Small models that ask for gigabytes: refused in a sentence, with exit code 1, in less than 1 GB.
#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>

using namespace tool_tests;

namespace {

class HostileModels : public testing::TestWithParam<const char*> {};

// The peak of the largest process that ended so far.
long peak_kib() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return usage.ru_maxrss;
}

}  // namespace

TEST_P(HostileModels, AreRefusedBeforeTheyTakeMemory) {
  const Outcome outcome = run_nnrt("run " NNRT_TEST_DATA "/models/" + std::string(GetParam()) + ".onnx");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("nnrt: The constants that the file asks for take "), std::string::npos)
      << outcome.err;
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  EXPECT_LT(peak_kib(), 1 << 20);
}

INSTANTIATE_TEST_SUITE_P(All, HostileModels, testing::Values("cos8", "exp_chain40", "range60"),
                         [](const auto& made) { return made.param; });
