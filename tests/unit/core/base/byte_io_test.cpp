#include "core/base/byte_io.h"

#include <gtest/gtest.h>

namespace nnrt {
namespace {

std::vector<std::byte> sample() {
  ByteWriter writer;
  writer.put(uint8_t{7});
  writer.text("abc");
  writer.align(8);
  writer.put(2.5);
  const std::vector<uint32_t> numbers{3, 5};
  writer.list(std::span(numbers));
  return writer.take();
}

TEST(ByteIo, RoundTrips) {
  const auto bytes = sample();
  ByteReader reader(bytes);
  EXPECT_EQ(reader.get<uint8_t>(), 7);
  EXPECT_EQ(reader.text(), "abc");
  reader.align(8);
  EXPECT_EQ(reader.get<double>(), 2.5);
  EXPECT_EQ(reader.list<uint32_t>(), (std::vector<uint32_t>{3, 5}));
  EXPECT_TRUE(reader.at_end());
  EXPECT_TRUE(reader.status().ok());
}

TEST(ByteIo, StaysBadAfterOverrun) {
  const auto bytes = sample();
  ByteReader reader{std::span(bytes).first(4)};
  EXPECT_EQ(reader.get<uint8_t>(), 7);
  EXPECT_EQ(reader.get<uint64_t>(), 0u);
  EXPECT_EQ(reader.get<uint8_t>(), 0);
  EXPECT_EQ(reader.status().error().code, Code::invalid_file);
}

TEST(ByteIo, RejectsImpossibleCounts) {
  ByteWriter writer;
  writer.put(uint64_t{1} << 61);
  const auto bytes = writer.take();
  EXPECT_EQ(ByteReader(bytes).count(8), 0u);
  EXPECT_TRUE(ByteReader(bytes).list<uint64_t>().empty());
  EXPECT_TRUE(ByteReader(bytes).text().empty());
}

TEST(ByteIo, TakesNoNumberOutOfRange) {
  const std::vector<std::byte> bytes{std::byte{2}};
  ByteReader reader(bytes);
  EXPECT_FALSE(reader.flag());
  EXPECT_TRUE(reader.bad());
}

}  // namespace
}  // namespace nnrt
