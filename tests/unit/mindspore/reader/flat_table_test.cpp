#include "mindspore/reader/flat_table.h"

#include "tests/mindspore/fenced_bytes.h"

#include <gtest/gtest.h>

namespace nnrt::mindspore {
namespace {

template <typename T>
void append(Bytes& bytes, T value) {
  const auto view = std::as_bytes(std::span<const T>(&value, 1));
  bytes.insert(bytes.end(), view.begin(), view.end());
}

// A file whose root has an int in field 0, a vector of two ints in field 1, and no field 2.
Bytes small_file(uint32_t vector_offset = 4, uint32_t count = 2) {
  Bytes file;
  append<uint32_t>(file, 16);  // the root
  append<uint16_t>(file, 10);  // the vtable: its size, the table's, and three fields
  append<uint16_t>(file, 12);
  append<uint16_t>(file, 4);
  append<uint16_t>(file, 8);
  append<uint16_t>(file, 0);
  append<uint16_t>(file, 0);  // padding
  append<int32_t>(file, 12);  // the table: the distance of the vtable
  append<int32_t>(file, 77);
  append<uint32_t>(file, vector_offset);
  append<uint32_t>(file, count);
  append<int32_t>(file, 5);
  append<int32_t>(file, -6);
  return file;
}

TEST(FlatTable, ReadsFieldsById) {
  const Bytes file = small_file();
  const FlatBuffer buffer(file);
  const FlatTable root = FlatTable::root(buffer, file);
  ASSERT_TRUE(root);
  EXPECT_EQ(root.id_count(), 3u);
  EXPECT_EQ(root.number<int32_t>(0), 77);
  EXPECT_EQ((root.numbers<int32_t, int64_t>(1)), (std::vector<int64_t>{5, -6}));
  EXPECT_FALSE(root.has(2));
  EXPECT_EQ(root.number<int32_t>(2, 9), 9);
  EXPECT_EQ(root.number<int32_t>(30, 9), 9);
  EXPECT_TRUE(buffer.status().ok());
  const MappedMemory mapped;
  const FlatBuffer memory(mapped);
  EXPECT_EQ(FlatTable::at(memory, file.data() + 16).number<int32_t>(0), 77);
}

TEST(FlatTable, RecordsDamageInsteadOfReadingOutside) {
  for (const Bytes& file :
       {small_file(0x7ffffff0), small_file(0), small_file(4, 3), small_file(4, 0xffffffff)}) {
    const FlatBuffer buffer(file);
    EXPECT_TRUE(FlatTable::root(buffer, file).numbers<int32_t>(1).empty());
    EXPECT_FALSE(buffer.status().ok());
  }
  const Bytes whole = small_file();
  for (size_t size = 0; size < whole.size(); ++size) {
    const Bytes file(whole.begin(), whole.begin() + std::ptrdiff_t(size));
    const FlatBuffer buffer(file);
    EXPECT_TRUE(FlatTable::root(buffer, file).numbers<int32_t>(1).empty());
    EXPECT_FALSE(buffer.status().ok()) << size;
  }
}

// In a client's memory, whose end is not known.
TEST(FlatTable, RejectsOffsetsOutOfBounds) {
  for (const Bytes& bytes : {small_file(0x7ffffff0), small_file(0x400000), small_file(4, 0x7fffffff)}) {
    const nnrt::test::FencedBytes file(bytes);
    const MappedMemory mapped;
    const FlatBuffer memory(mapped);
    EXPECT_TRUE(FlatTable::at(memory, file.get().data() + 16).numbers<int32_t>(1).empty());
    EXPECT_EQ(memory.status().error().message,
              "A table of the graph is damaged: an offset or a length is out of range.");
  }
}

TEST(FlatTable, DoesNotFollowOffsetsOutOfItsExtent) {
  const Bytes file = small_file(100);
  const auto begin = reinterpret_cast<uintptr_t>(file.data());
  const MappedMemory mapped;
  const FlatBuffer memory(mapped, {begin, begin + file.size()});
  EXPECT_TRUE(FlatTable::at(memory, file.data() + 16).numbers<int32_t>(1).empty());
  EXPECT_FALSE(memory.status().ok());
}

TEST(FlatTable, LimitsOverlappingVectors) {
  const Bytes file = small_file();
  const FlatBuffer buffer(file);
  const FlatTable root = FlatTable::root(buffer, file);
  for (size_t i = 0; i < size_t{1} << 18; ++i) static_cast<void>(root.numbers<int32_t>(1));
  EXPECT_FALSE(buffer.status().ok());
}

}  // namespace
}  // namespace nnrt::mindspore
