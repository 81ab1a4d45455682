#include "core/platform/atomic_file.h"

#include "core/base/bytes.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>

namespace nnrt {
namespace {

class ReplacedFile : public testing::Test {
 protected:
  std::string path() const { return folder_.file("file"); }
  static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static Status write(const std::string& path, const std::string& text) {
    return replace_file(path, std::as_bytes(std::span(text)));
  }
  size_t files() const {
    return size_t(std::distance(std::filesystem::directory_iterator(folder_.path()), {}));
  }

  test::TemporaryFolder folder_;
};

TEST_F(ReplacedFile, HasTheBytes) {
  ASSERT_TRUE(write(path(), "old and longer").ok());
  ASSERT_TRUE(write(path(), "new").ok());
  EXPECT_EQ(read(path()), "new");
  EXPECT_EQ(files(), 1u);
}

TEST_F(ReplacedFile, IsKeptIfTheDiskIsFull) {
  ASSERT_TRUE(write(path(), "old").ok());
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    const Status status = write(path(), std::string(10000, 'x'));
    const bool is_right = !status.ok() && status.error().code == Code::invalid_path &&
                          status.error().message.find(path() + ") cannot be written") != std::string::npos;
    const bool made_none = !write(folder_.file("other"), std::string(10000, 'x')).ok();
    _exit(is_right && made_none ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(read(path()), "old");
  EXPECT_EQ(files(), 1u) << "nothing is left of what could not be written";
}

TEST_F(ReplacedFile, KeepsItsPermissionsAndLinks) {
  ASSERT_TRUE(write(path(), "old").ok());
  ASSERT_EQ(chmod(path().c_str(), 0640), 0);
  ASSERT_EQ(symlink("file", folder_.file("link").c_str()), 0);
  ASSERT_TRUE(write(folder_.file("link"), "new").ok());
  EXPECT_EQ(read(path()), "new");
  struct stat status {};
  ASSERT_EQ(lstat(folder_.file("link").c_str(), &status), 0);
  EXPECT_TRUE(S_ISLNK(status.st_mode));
  ASSERT_EQ(stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
}

TEST_F(ReplacedFile, MayHaveALongName) {
  const std::string name = folder_.file(std::string(250, 'n'));
  ASSERT_TRUE(write(name, "text").ok());
  EXPECT_EQ(read(name), "text");
}

TEST_F(ReplacedFile, OfAnotherKindIsWrittenAsItStands) {
  EXPECT_TRUE(write("/dev/null", "text").ok());
  EXPECT_FALSE(write("/dev/full", "text").ok());
  EXPECT_FALSE(write(folder_.path(), "text").ok());
  EXPECT_FALSE(write(folder_.file("nowhere/file"), "text").ok());
}

}  // namespace
}  // namespace nnrt
