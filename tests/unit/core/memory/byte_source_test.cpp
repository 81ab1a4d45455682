#include "core/memory/byte_source.h"

#include "tests/support/temporary_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace nnrt {
namespace {

class FileSource : public testing::Test {
 protected:
  FileSource() { write("0123456789"); }

  std::string path() const { return folder_.file("file"); }
  void write(const std::string& text) { std::ofstream(path()) << text; }
  std::unique_ptr<ByteSource> open() { return source_of_file(path()).value(); }

  test::TemporaryFolder folder_;
};

std::string text_of(const SharedBytes& bytes) {
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

TEST_F(FileSource, ReadsParts) {
  const auto source = open();
  EXPECT_EQ(source->size(), 10u);
  EXPECT_EQ(text_of(source->read(3, 4, true).value()), "3456");
  std::byte last{};
  ASSERT_TRUE(source->read(9, {&last, 1}).ok());
  EXPECT_EQ(last, std::byte{'9'});
  EXPECT_TRUE(source->check_unchanged().ok());
}

TEST_F(FileSource, ReportsTruncation) {
  const auto source = open();
  std::filesystem::resize_file(path(), 4);
  const auto read = source->read(2, 8, true);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, Code::invalid_file);
  EXPECT_EQ(read.error().message, "It ends at byte 4.");
  EXPECT_FALSE(source->check_unchanged().ok());
}

TEST_F(FileSource, NoticesChanges) {
  const auto grown = open();
  std::filesystem::resize_file(path(), 20);
  EXPECT_FALSE(grown->check_unchanged().ok());
  EXPECT_EQ(text_of(grown->read(0, 10, true).value()), "0123456789");

  const auto overwritten = open();
  const timespec times[] = {{1, 0}, {1, 0}};  // as if written
  ASSERT_EQ(utimensat(AT_FDCWD, path().c_str(), times, 0), 0);
  EXPECT_EQ(overwritten->check_unchanged().error().message, "It changed while it was read.");
}

TEST_F(FileSource, KeepsADeletedOrReplacedFile) {
  const auto source = open();
  std::filesystem::remove(path());
  write("other contents");
  EXPECT_EQ(text_of(source->read(0, 10, true).value()), "0123456789");
  EXPECT_TRUE(source->check_unchanged().ok());
}

TEST_F(FileSource, FailsWithTheGivenCode) {
  std::filesystem::remove(path());
  EXPECT_EQ(source_of_file(path(), Code::invalid_path).error().code, Code::invalid_path);
  EXPECT_EQ(source_of_file(folder_.file("."), Code::invalid_path).error().code, Code::invalid_path);
}

TEST(MemorySource, CopiesOnlyRetainedParts) {
  const Bytes bytes(10, std::byte{1});
  const auto source = source_of(bytes);
  EXPECT_EQ(source->read(2, 4, false).value()->data(), bytes.data() + 2);
  const SharedBytes copy = source->read(2, 4, true).value();
  EXPECT_NE(copy->data(), bytes.data() + 2);
  EXPECT_EQ(Bytes(copy->begin(), copy->end()), Bytes(4, std::byte{1}));
}

}  // namespace
}  // namespace nnrt
