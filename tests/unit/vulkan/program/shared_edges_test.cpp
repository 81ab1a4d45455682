#include "backends/vulkan/program/shared_edges.h"

#include <gtest/gtest.h>

namespace nnrt::vulkan {
namespace {

constexpr Access kReads{true, false}, kWrites{false, true};
constexpr uint32_t kState = 0, kNext = 1;

BufferRegion part(uint32_t edge, uint64_t offset, uint64_t bytes) {
  return {BufferRegion::Kind::edge, edge, offset, bytes};
}
BufferRegion arena() { return {BufferRegion::Kind::arena, 0, 0, 64}; }

Step step(const BufferRegion& from, const BufferRegion& to) {
  return {Fill{}, {from, to}, {kReads, kWrites}};
}
Step copy(const BufferRegion& from, const BufferRegion& to, const std::vector<Copy::Piece>& pieces) {
  return {Copy{{}, {}, pieces}, {from, to}, {kReads, kWrites}};
}

bool may_share(std::vector<Step> steps) {
  Program program;
  program.steps = std::move(steps);
  return vulkan::may_share(program, kState, kNext);
}

TEST(SharedEdges, AllIsReadBeforeItIsWritten) {
  EXPECT_TRUE(may_share({step(part(kState, 0, 64), arena()), step(arena(), part(kNext, 0, 64))}));
  EXPECT_FALSE(may_share({step(arena(), part(kNext, 0, 64)), step(part(kState, 0, 64), arena())}));
}

TEST(SharedEdges, DisjointPartsMayBeWrittenEarlier) {
  const Step first = step(arena(), part(kNext, 0, 16));
  EXPECT_TRUE(may_share({first, step(part(kState, 16, 16), arena())}));
  EXPECT_FALSE(may_share({first, step(part(kState, 8, 16), arena())}));
}

TEST(SharedEdges, RejectsStepReadingItsOutput) {
  EXPECT_FALSE(may_share({step(part(kState, 0, 64), part(kNext, 0, 64))}));
  EXPECT_TRUE(may_share({step(part(kState, 0, 32), part(kNext, 32, 32))}));
}

TEST(SharedEdges, InPlaceCopiesWriteNothing) {
  const BufferRegion from = part(kState, 0, 64), to = part(kNext, 0, 64);
  const Step stays = copy(from, to, {{0, 0, 32}, {32, 32, 32}}), moves = copy(from, to, {{0, 16, 32}});
  const Step reader = step(part(kState, 0, 64), arena());
  EXPECT_TRUE(may_share({stays, reader, step(arena(), part(kNext, 16, 16))}));
  EXPECT_FALSE(may_share({moves}));
}

}  // namespace
}  // namespace nnrt::vulkan
