// Checksums by blocks, and reads that verify them.
#include "core/cache/block_checksum.h"

#include "core/cache/deferred_constants.h"
#include "core/memory/deferred_bytes.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace nnrt {
namespace {

constexpr size_t kSizes[] = {0, 1, 1000, 256 << 10, (256 << 10) + 1, (5 << 20) + 3};

Bytes pattern(size_t size) {
  Bytes bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = std::byte(i * 7 + i / 251);
  return bytes;
}

TEST(BlockChecksum, DoesNotDependOnPieces) {
  for (const size_t size : kSizes) {
    const Bytes bytes = pattern(size);
    const ByteView view = bytes;
    for (const size_t step : {size_t{100'000}, size_t{256 << 10}, size_t{1} << 20}) {
      Pieces pieces;
      for (size_t at = 0; at < size; at += step)
        pieces.push_back(view.subspan(at, std::min(step, size - at)));
      EXPECT_EQ(block_checksums({&pieces, 1})[0], block_checksum(view)) << size << " by " << step;
    }
  }
}

TEST(BlockChecksum, DependsOnEveryBlockAndTheirOrder) {
  Bytes bytes = pattern(1 << 20);
  const uint64_t original = block_checksum(bytes);
  for (size_t at = 0; at < bytes.size(); at += 100'003) {
    bytes[at] ^= std::byte{1};
    EXPECT_NE(block_checksum(bytes), original) << at;
    bytes[at] ^= std::byte{1};
  }
  std::swap_ranges(bytes.begin(), bytes.begin() + (256 << 10), bytes.begin() + (256 << 10));
  EXPECT_NE(block_checksum(bytes), original);
}

class PartsOfAFile : public testing::Test {
 protected:
  PartsOfAFile() {
    for (const size_t size : kSizes) {
      const Bytes part = pattern(size);
      parts_.push_back({contents_.size(), size, block_checksum(part)});
      contents_.insert(contents_.end(), part.begin(), part.end());
    }
    write();
    source_ = source_of_file(path()).value();
  }

  std::string path() const { return folder_.file("parts"); }
  void write() const {
    std::fstream file(path(), std::ios::binary | std::ios::in | std::ios::out);  // the same inode
    if (!file) file.open(path(), std::ios::binary | std::ios::out);
    file.write(reinterpret_cast<const char*>(contents_.data()), std::streamsize(contents_.size()));
  }
  test::TemporaryFolder folder_;
  Bytes contents_;
  std::vector<VerifiedPart> parts_;
  std::shared_ptr<const ByteSource> source_;
};

TEST_F(PartsOfAFile, AreReadAndVerified) {
  const auto read = read_pages(*source_, parts_).value();
  for (size_t i = 0; i < parts_.size(); ++i) EXPECT_TRUE(std::ranges::equal(*read[i], pattern(kSizes[i])));
}

TEST_F(PartsOfAFile, DetectDamage) {
  for (size_t i = 1; i < parts_.size(); ++i) {
    std::byte& last = contents_[parts_[i].offset + parts_[i].bytes - 1];
    last ^= std::byte{1};
    write();
    const auto read = read_pages(*source_, parts_);
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().code, Code::invalid_file);
    EXPECT_TRUE(read_pages(*source_, std::span(parts_).first(i)).ok());
    last ^= std::byte{1};
    write();
  }
}

TEST_F(PartsOfAFile, AreReadWhenTheyAreNeeded) {
  for (const size_t i : {size_t{2}, size_t{5}}) {
    write();
    source_ = source_of_file(path()).value();
    const size_t used = kSizes[i] - 2;
    const SharedBytes bytes = deferred_constant(source_, parts_[i], used), part = bytes.part(5, 7);
    EXPECT_EQ(bytes->size(), used);
    EXPECT_TRUE(is_deferred(bytes) && is_deferred(part));
    std::filesystem::remove(path());  // it is still open
    ASSERT_TRUE(ensure_read(part).ok());
    EXPECT_FALSE(is_deferred(bytes) || is_deferred(part));
    EXPECT_TRUE(std::ranges::equal(*bytes, ByteView(pattern(kSizes[i])).first(used)));
    EXPECT_EQ(part->data(), bytes->data() + 5);
  }
}

TEST_F(PartsOfAFile, ReportDamageUntilRepaired) {
  const SharedBytes bytes = deferred_constant(source_, parts_.back(), kSizes[5]);
  contents_.back() ^= std::byte{1};
  write();
  EXPECT_EQ(ensure_read(bytes).error().code, Code::invalid_file);
  EXPECT_TRUE(is_deferred(bytes));
  contents_.back() ^= std::byte{1};
  std::filesystem::resize_file(path(), contents_.size() / 2);
  EXPECT_EQ(ensure_read(bytes).error().code, Code::invalid_file);
  write();
  ASSERT_TRUE(ensure_read(bytes).ok());
  std::filesystem::resize_file(path(), 0);
  EXPECT_TRUE(ensure_read(bytes).ok());
  EXPECT_TRUE(std::ranges::equal(*bytes, pattern(kSizes[5])));
}

TEST(DeferredBytes, AreNotOthers) {
  EXPECT_FALSE(is_deferred(nullptr));
  EXPECT_FALSE(is_deferred(std::make_shared<const Bytes>(5)));
  EXPECT_TRUE(ensure_read(nullptr).ok());
}

}  // namespace
}  // namespace nnrt
