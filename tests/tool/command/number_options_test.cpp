// Invalid values of options are refused with one sentence.
#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>

using namespace tool_tests;

namespace {

struct Wrong {
  const char* arguments;
  const char* sentence;
};

class ToolNumbers : public testing::TestWithParam<Wrong> {};

}  // namespace

TEST_P(ToolNumbers, ReportInvalidNumbers) {
  const Outcome outcome = run_nnrt(GetParam().arguments);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, std::string("nnrt: ") + GetParam().sentence + "\n");
}

INSTANTIATE_TEST_SUITE_P(
    All, ToolNumbers,
    testing::Values(
        Wrong{"bench x --runs 0", "Option --runs (0) is no positive number."},
        Wrong{"bench x --runs=-1", "Option --runs (-1) is no whole number."},
        Wrong{"bench x --runs abc", "Option --runs (abc) is no whole number."},
        Wrong{"bench x --runs 1.5", "Option --runs (1.5) is no whole number."},
        Wrong{"bench x --runs ''", "Option --runs () is no whole number."},
        Wrong{"bench x --runs 5000000000", "Option --runs (5000000000) is more than 4294967295."},
        Wrong{"bench x --runs 1000000001", "Option --runs (1000000001) is more than 1000000000."},
        Wrong{"bench x --warmup 4294967295", "Option --warmup (4294967295) is more than 1000000000."},
        Wrong{"profile x --warmup 4294967295", "Option --warmup (4294967295) is more than 1000000000."},
        Wrong{"bench x --threads 257", "Option --threads (257) is not between 1 and 256."},
        Wrong{"bench x --duration 0", "Option --duration (0) is no positive number."},
        Wrong{"bench x --duration=-3", "Option --duration (-3) is no positive number."},
        Wrong{"bench x --duration nan", "Option --duration (nan) is not a number."},
        Wrong{"bench x --duration inf", "Option --duration (inf) is not a number."},
        Wrong{"bench x --duration 1s", "Option --duration (1s) is not a number."},
        Wrong{"bench x --duration 1e300", "Option --duration (1e300) is more than 604800."},
        Wrong{"run x --tolerance nan", "Option --tolerance (nan) is not a number."},
        Wrong{"run x --tolerance=-1", "Option --tolerance (-1) is not a number of at least 0."},
        Wrong{"generate x -p y --seed 18446744073709551616",
              "Option --seed (18446744073709551616) is more than 18446744073709551615."},
        Wrong{"generate x -p y --device-local maybe",
              "Option --device-local (maybe) is not auto, on or off."},
        Wrong{"quantize x --calibrate y -o z --ranges 'minmax|percentile'",
              "Option --ranges (minmax|percentile) is not minmax, percentile or mse."},
        Wrong{"run x --runs", "--runs: 1 required UINT missing."}, Wrong{"run", "MODEL is required."},
        Wrong{"devices --fly",
              "Option (--fly) of `nnrt devices` does not exist; `nnrt devices --help` lists its options."}),
    [](const auto& made) { return "Number" + std::to_string(made.index); });
