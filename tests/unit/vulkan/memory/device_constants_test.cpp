#include "backends/vulkan/memory/device_constants.h"

#include "tests/support/page_aligned_bytes.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>
#include <vector>

namespace nnrt::vulkan {
namespace {

DevicePlan plan_of(uint64_t alignment, uint64_t max_allocation) {
  DevicePlan plan;
  plan.storage_alignment = alignment;
  plan.max_allocation = max_allocation;
  return plan;
}

std::shared_ptr<const Bytes> bytes(size_t count) { return std::make_shared<const Bytes>(count); }

TEST(Constants, AreAlignedAndWholeVectors) {
  Constants constants(plan_of(256, 1 << 20));
  EXPECT_EQ(constants.raw(3, bytes(5)), (BufferRegion{BufferRegion::Kind::constant, 0, 0, 16}));
  EXPECT_EQ(constants.raw(4, bytes(20)), (BufferRegion{BufferRegion::Kind::constant, 0, 256, 32}));
}

TEST(Constants, ATensorIsPlacedOnce) {
  Constants constants(plan_of(16, 1 << 20));
  const BufferRegion first = constants.raw(3, bytes(8));
  EXPECT_EQ(constants.raw(3, bytes(8)), first);
}

TEST(Constants, EachFormIsPackedOnce) {
  Constants constants(plan_of(16, 1 << 20));
  int calls = 0;
  const auto pack = [&] {
    ++calls;
    return Bytes(8);
  };
  const uint32_t id = constants.packed(3, "vec4", pack);
  EXPECT_EQ(constants.packed(3, "vec4", pack), id);
  EXPECT_NE(constants.packed(3, "eights", pack), id);
  EXPECT_EQ(calls, 2);
}

// It used to count as packed, with no bytes.
TEST(Constants, RetriesFailedPacking) {
  Constants constants(plan_of(16, 1 << 20));
  EXPECT_THROW(constants.packed(3, "vec4", []() -> Bytes { throw std::bad_alloc(); }), std::bad_alloc);
  const uint32_t id = constants.packed(3, "vec4", [] { return Bytes(20); });
  EXPECT_EQ(constants.packed_region(id), (BufferRegion{BufferRegion::Kind::constant, 0, 0, 32}));
  EXPECT_EQ(constants.bytes(), 32u);
}

TEST(Constants, ContinueInAnotherBuffer) {
  Constants constants(plan_of(16, 64));
  EXPECT_EQ(constants.raw(0, bytes(40)).index, 0u);
  EXPECT_EQ(constants.raw(1, bytes(40)), (BufferRegion{BufferRegion::Kind::constant, 1, 0, 48}));
}

// Reads a file with one constant of `count` bytes in the form "vec4".
Constants read_one(const DevicePlan& plan, size_t count) {
  Constants made(plan);
  made.packed(3, "vec4", [&] { return Bytes(count, std::byte(7)); });
  ByteWriter writer;
  EXPECT_TRUE(made.write(nullptr, writer).ok());
  const SharedBytes file = test::in_pages(writer.take());
  ByteReader reader(*file);
  Constants read(plan);
  read.read(file, reader);
  EXPECT_TRUE(reader.status().ok()) << reader.status().error().message;
  EXPECT_TRUE(reader.at_end());
  return read;
}

// Returns whether the cached bytes are used for a constant packed in this form.
bool is_taken(Constants constants, TensorId tensor, std::string_view form, uint64_t bytes = 0) {
  bool packs = false;
  const auto pack = [&] {
    packs = true;
    return Bytes(40);
  };
  const uint32_t id = constants.packed(tensor, form, pack, bytes);
  EXPECT_EQ(constants.packed_region(id).bytes, 48u);
  return !packs;
}

TEST(Constants, OfAFileAreNotPackedAgain) {
  const DevicePlan plan = plan_of(16, 1 << 20);
  EXPECT_TRUE(is_taken(read_one(plan, 40), 3, "vec4"));
  EXPECT_TRUE(is_taken(read_one(plan, 40), 3, "vec4", 40));
  EXPECT_FALSE(is_taken(read_one(plan, 40), 3, "eights"));
  EXPECT_FALSE(is_taken(read_one(plan, 40), 4, "vec4"));
}

TEST(Constants, CacheWinogradLimits) {
  const DevicePlan plan = plan_of(16, 1 << 20);
  Constants made(plan);
  const auto fails = []() -> float {
    ADD_FAILURE() << "It is known.";
    return 0;
  };
  EXPECT_EQ(made.winograd_limit(5, [] { return 1.5f; }), 1.5f);
  EXPECT_EQ(made.winograd_limit(5, fails), 1.5f);
  EXPECT_EQ(made.winograd_limit(2, [] { return 0.0f; }), 0.0f);
  ByteWriter writer;
  ASSERT_TRUE(made.write(nullptr, writer).ok());
  const SharedBytes file = test::in_pages(writer.take());
  ByteReader reader(*file);
  Constants read(plan);
  read.read(file, reader);
  ASSERT_TRUE(reader.at_end());
  EXPECT_EQ(read.winograd_limit(5, fails), 1.5f);
  EXPECT_EQ(read.winograd_limit(2, fails), 0.0f);
  EXPECT_EQ(read.winograd_limit(3, [] { return 2.0f; }), 2.0f);
}

TEST(Constants, ImpossibleLimitsAreRefused) {
  const auto is_refused = [](std::vector<std::pair<TensorId, float>> limits) {
    ByteWriter writer;
    writer.put(uint64_t{0});  // packed constants
    writer.put(uint64_t(limits.size()));
    for (const auto& [tensor, limit] : limits) {
      writer.put(tensor);
      writer.put(limit);
    }
    const SharedBytes file = test::in_pages(writer.take());
    ByteReader reader(*file);
    Constants(plan_of(16, 1 << 20)).read(file, reader);
    return reader.bad();
  };
  EXPECT_FALSE(is_refused({{1, 2.0f}, {2, 0.0f}}));
  EXPECT_TRUE(is_refused({{1, -2.0f}}));
  EXPECT_TRUE(is_refused({{1, std::numeric_limits<float>::quiet_NaN()}}));
  EXPECT_TRUE(is_refused({{1, std::numeric_limits<float>::infinity()}}));
  EXPECT_TRUE(is_refused({{1, 2.0f}, {1, 2.0f}}));
}

TEST(Constants, WrongLengthInTheFileIsRepacked) {
  EXPECT_FALSE(is_taken(read_one(plan_of(16, 1 << 20), 24), 3, "vec4", 40));
}

TEST(Constants, LengthIsCheckedWithoutRobustAccess) {
  DevicePlan plan = plan_of(16, 1 << 20);
  plan.robust_access = false;
  EXPECT_FALSE(is_taken(read_one(plan, 40), 3, "vec4"));
  EXPECT_TRUE(is_taken(read_one(plan, 40), 3, "vec4", 40));
}

TEST(Constants, RefuseTruncatedFiles) {
  const DevicePlan plan = plan_of(16, 1 << 20);
  Constants made(plan);
  made.packed(3, "vec4", [] { return Bytes(40); });
  ByteWriter writer;
  ASSERT_TRUE(made.write(nullptr, writer).ok());
  const Bytes whole = writer.take();
  for (size_t bytes = 0; bytes < whole.size(); bytes += 1 + bytes / 64) {
    const SharedBytes file = test::in_pages(std::span(whole).first(bytes));
    ByteReader reader(*file);
    Constants read(plan);
    read.read(file, reader);
    EXPECT_TRUE(reader.bad()) << bytes;
  }
}

}  // namespace
}  // namespace nnrt::vulkan
