// --cache creates its folder.
#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace tool_tests;

TEST(ToolCacheFolder, IsMadeWithThoseAboveIt) {
  const Folder folder;
  const Outcome outcome = run_nnrt("run " + golden("net_lenet.jsonl") + " --cache " + folder.file("a/b"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_FALSE(std::filesystem::is_empty(folder.file("a/b")));
}

// Not even root can write there.
TEST(ToolCacheFolder, WarnsOnceIfReadOnly) {
  for (const std::string folder : {"/proc", "/proc/nnrt"}) {
    for (const std::string command : {"run ", "run --compare cpu ", "bench --runs 1 "}) {
      const Outcome outcome = run_nnrt(command + golden("net_lenet.jsonl") + " --cache " + folder);
      EXPECT_EQ(outcome.code, 0) << outcome.err;
      EXPECT_TRUE(outcome.err.ends_with(" The model is not cached.\n")) << outcome.err;
      EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    }
  }
}

TEST(ToolCacheFolder, OfAFullDiskIsToldOnce) {
  const Folder folder;
  const Outcome outcome =
      run_nnrt("run " + golden("net_lenet.jsonl") + " --cache " + folder.file("cache"), "ulimit -f 100;");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "0.nncache) cannot be written: File too large."));
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  EXPECT_TRUE(std::filesystem::is_empty(folder.file("cache")));
}

TEST(ToolCacheFolder, WarnsIfItCannotBeCreated) {
  const Folder folder;
  write(folder.file("file"), "");
  const std::string run = "run " + golden("net_lenet.jsonl") + " --cache ";
  const Outcome file = run_nnrt(run + folder.file("file"));
  EXPECT_EQ(file.code, 1);
  EXPECT_EQ(file.err, "nnrt: Directory (" + folder.file("file") + ") cannot be created: Not a directory.\n");
  const Outcome below = run_nnrt(run + folder.file("file/below"));
  EXPECT_EQ(below.code, 1);
  EXPECT_EQ(below.err,
            "nnrt: Directory (" + folder.file("file/below") + ") cannot be created: Not a directory.\n");
}
