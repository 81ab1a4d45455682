// Small models that would expand to gigabytes are refused with one sentence and exit code 1, within 1 GB.
#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace tool_tests;

namespace {

struct Hostile {
  const char *name, *refusal;
};

class HostileModels : public testing::TestWithParam<Hostile> {};

}  // namespace

TEST_P(HostileModels, AreRefusedBeforeTheyTakeMemory) {
  const Outcome outcome = run_nnrt("run " NNRT_TEST_DATA "/models/" + std::string(GetParam().name) + ".onnx");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(has(outcome.err, "nnrt: " + std::string(GetParam().refusal)));
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  EXPECT_LT(outcome.peak_kib, 1 << 20);
}

constexpr const char kConstants[] = "The file's constants take ";
constexpr const char kNodes[] = "The functions and bodies of the file expand to more than 131072 nodes.";

INSTANTIATE_TEST_SUITE_P(
    All, HostileModels,
    testing::Values(Hostile{"cos8", kConstants}, Hostile{"exp_chain40", kConstants},
                    Hostile{"range60", kConstants}, Hostile{"loop_constants", kConstants},
                    Hostile{"loop62", "More than 1024 iterations are not supported."},
                    Hostile{"recursion", "The function Self calls itself, directly or indirectly."}),
    [](const auto& made) { return std::string(made.param.name); });
INSTANTIATE_TEST_SUITE_P(Long, HostileModels,
                         testing::Values(Hostile{"loops1000", kNodes},     // three nested loops
                                         Hostile{"functions30", kNodes}),  // each calls the next twice
                         [](const auto& made) { return std::string(made.param.name); });
