#include "backends/vulkan/program/direct_edges.h"

#include <gtest/gtest.h>

namespace nnrt::vulkan {
namespace {

constexpr Access kReads{true, false}, kWrites{false, true}, kBoth{true, true};

DevicePlan discrete() {
  DevicePlan plan;
  plan.host.direct = {.read_tensor = 64, .read = 1024, .written = 4096};
  return plan;
}

// A step of `groups` workgroups that accesses one edge.
Program one_step(uint64_t bytes, const Access& access, uint32_t groups, bool output) {
  Program program;
  program.edges.push_back({.output = output, .used = true, .bytes = bytes});
  program.steps.push_back(
      {Dispatch{}, {{BufferRegion::Kind::edge, 0, 0, whole_vectors(bytes)}}, {access}, {groups, 1, 1}});
  return program;
}

bool is_direct(Program program, const DevicePlan& plan = discrete()) {
  choose_direct_edges(program, plan);
  return program.edges.front().direct;
}

TEST(DirectEdges, IncludeSmallInputs) {
  EXPECT_TRUE(is_direct(one_step(4, kReads, 1, false)));
  EXPECT_TRUE(is_direct(one_step(64, kReads, 16, false)));
  EXPECT_FALSE(is_direct(one_step(64, kReads, 17, false)));
  EXPECT_FALSE(is_direct(one_step(65, kReads, 1, false)));
}

TEST(DirectEdges, IncludeSmallOutputs) {
  EXPECT_TRUE(is_direct(one_step(4000, kWrites, 1000, true)));
  EXPECT_FALSE(is_direct(one_step(4100, kWrites, 1, true)));
  EXPECT_FALSE(is_direct(one_step(4000, kBoth, 1, true)));
  Program twice = one_step(4000, kWrites, 1, true);
  twice.steps.push_back(twice.steps.front());
  EXPECT_FALSE(is_direct(twice));
}

TEST(DirectEdges, ExcludeUnusedEdges) {
  Program program = one_step(4, kReads, 1, false);
  program.edges.front().used = false;
  EXPECT_FALSE(is_direct(program));
}

TEST(DirectEdges, AreDisabledByDefault) {
  EXPECT_FALSE(is_direct(one_step(4, kReads, 1, false), {}));
  EXPECT_FALSE(is_direct(one_step(4, kWrites, 1, true), {}));
}

}  // namespace
}  // namespace nnrt::vulkan
