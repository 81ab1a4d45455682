#include "tools/nnrt/base/file_io.h"

#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace nnrt::tool {
namespace {

std::string refusal(const std::string& path) {
  const Status status = check_readable("File", path);
  return status.ok() ? "" : status.error().message;
}

TEST(CheckReadable, SaysWhyInOneSentence) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder.file("x"), "x").ok());
  EXPECT_EQ(refusal(folder.file("x")), "");
  EXPECT_EQ(refusal(folder.file("y")), "File (" + folder.file("y") + ") does not exist.");
  EXPECT_EQ(refusal("/"), "File (/) is a directory.");
  EXPECT_EQ(refusal("/dev/null"), "File (/dev/null) is not a regular file.");
  EXPECT_EQ(refusal(folder.file("x/y")),
            "File (" + folder.file("x/y") + ") cannot be read: Not a directory.");
}

TEST(CheckReadable, ReportsTooManyOpenFiles) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder.file("x"), "x").ok());
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const std::string sentence = refusal(folder.file("x"));
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(sentence, "File (" + folder.file("x") + ") cannot be opened: Too many open files.");
}

TEST(CheckWritable, NeedsAFolder) {
  const test::TemporaryFolder folder;
  EXPECT_TRUE(check_writable(folder.file("x")).ok());
  EXPECT_TRUE(check_writable("/dev/null").ok());
  EXPECT_FALSE(check_writable(folder.file("none/x")).ok());
  EXPECT_FALSE(check_writable(folder.path()).ok());
}

}  // namespace
}  // namespace nnrt::tool
