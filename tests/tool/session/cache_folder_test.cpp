// --cache creates its folder.
#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>

using namespace tool_tests;

TEST(ToolCacheFolder, IsMadeWithThoseAboveIt) {
  const Folder folder;
  const Outcome outcome = run_nnrt("run " + golden("net_lenet.jsonl") + " --cache " + folder.file("a/b"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_FALSE(std::filesystem::is_empty(folder.file("a/b")));
}

TEST(ToolCacheFolder, ThatCannotBeMadeIsToldInASentence) {
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
