// The tool writes its complete output or an error, and no terminal escape sequences.
#include "tools/nnrt/base/output.h"

#include "tests/tool/run_tool.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <vector>

using namespace tool_tests;

namespace {

const std::string kModel = golden("net_lenet.jsonl");

class FullDisk : public testing::TestWithParam<std::string> {};
class FullFile : public testing::TestWithParam<std::string> {};

std::string test_name(const testing::TestParamInfo<std::string>& made) {
  std::string name = made.param;
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

// MODEL and FILE are replaced by paths.
std::string arguments(std::string text, const Folder& folder) {
  for (const auto& [word, path] :
       {std::pair<std::string, std::string>("MODEL", kModel), {"FILE", folder.file("x")}}) {
    const size_t at = text.find(word);
    if (at != std::string::npos) text.replace(at, word.size(), path);
  }
  return text;
}

bool is_harmless(const std::string& text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c == '\n' || (c >= 0x20 && c != 0x7f); });
}

// A model with escape sequences in its tensor names.
std::string hostile_model(const Folder& folder) {
  std::string text = read(golden("net_identity.jsonl"));
  const auto rename = [&](const std::string& from, const std::string& to) {
    const size_t at = text.find("\"name\":\"" + from + "\"");
    text.replace(at + 8, from.size(), to);
  };
  rename("a", R"(a\u001b[31m\u009b2J)");
  rename("matmul_5", R"(m\u001b]0;title\u0007\nnnrt: forged\u202e)");
  write(folder.file("x.jsonl"), text);
  return folder.file("x.jsonl");
}

}  // namespace

TEST_P(FullDisk, IsAnError) {
  const Folder folder;
  const Outcome outcome = run_nnrt_into("/dev/full", arguments(GetParam(), folder));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "nnrt: Standard output cannot be written: No space left on device.\n");
}

INSTANTIATE_TEST_SUITE_P(All, FullDisk,
                         testing::Values("run MODEL", "plan MODEL", "bench MODEL --runs 1 --warmup 0",
                                         "bench MODEL --runs 1 --warmup 0 --json", "devices",
                                         "devices --json", "profile MODEL --runs 1 --warmup 0",
                                         "compile MODEL -o FILE", "convert MODEL -o FILE", "--help",
                                         "run --help"),
                         test_name);

TEST_P(FullFile, IsAnError) {
  const Folder folder;
  EXPECT_TRUE(fails(run_nnrt(arguments(GetParam(), folder)), 1, "/dev/full"));
}

INSTANTIATE_TEST_SUITE_P(All, FullFile,
                         testing::Values("plan MODEL --html /dev/full", "plan MODEL --dot /dev/full",
                                         "compile MODEL -o /dev/full", "convert MODEL -o /dev/full",
                                         "profile MODEL --runs 1 --warmup 0 --trace /dev/full"),
                         test_name);

// If the disk is full the old file stays, and no partial file.
class FullFolder : public testing::TestWithParam<std::string> {};

TEST_P(FullFolder, KeepsExistingFiles) {
  const Folder folder;
  write(folder.file("x" + GetParam().substr(GetParam().find_last_of('.'))), "good");
  std::string line = GetParam();
  for (size_t at = 0; (at = line.find("FILE")) != std::string::npos;) line.replace(at, 4, folder.file("x"));
  line.replace(line.find("MODEL"), 5, kModel);
  const std::string command = "ulimit -f 16; " NNRT_TOOL " " + line + " >/dev/null 2>&1";
  const int status = std::system(("bash -c '" + command + "'").c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
  std::vector<std::string> contents;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    contents.push_back(read(entry.path()));
  EXPECT_EQ(contents, std::vector<std::string>{"good"});
}

INSTANTIATE_TEST_SUITE_P(All, FullFolder,
                         testing::Values("plan MODEL --html FILE.html", "compile MODEL -o FILE.nnrt",
                                         "convert MODEL -o FILE.jsonl"),
                         test_name);

// A closed standard output is an error; no tensor's descriptor takes its place.
TEST(ClosedStreams, AreNoSuccess) {
  const std::string command = NNRT_TOOL " run " + kModel;
  for (unsigned closed = 0; closed < 8; ++closed) {
    const std::string closings = std::string((closed & 1) != 0 ? " <&-" : " </dev/null") +
                                 ((closed & 2) != 0 ? " >&-" : " >/dev/null") +
                                 ((closed & 4) != 0 ? " 2>&-" : " 2>/dev/null");
    for (const std::string environment : {"", "NNRT_HOSTED=cpu "}) {
      const int status = std::system((environment + command + closings).c_str());
      ASSERT_TRUE(WIFEXITED(status));
      EXPECT_EQ(WEXITSTATUS(status), (closed & 2) != 0 ? 1 : 0) << environment << closings;
    }
  }
}

TEST(Output, NamesOfAModelAreNoCommands) {
  const Folder folder;
  const std::string model = hostile_model(folder);
  for (const std::string& command :
       std::vector<std::string>{"run", "run --compare cpu", "plan", "bench --runs 1 --json",
                                "profile --runs 1", "convert -o " + folder.file("y.jsonl")}) {
    const Outcome outcome = run_nnrt(command + " " + model);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(is_harmless(outcome.out)) << command << '\n' << outcome.out;
    EXPECT_TRUE(is_harmless(outcome.err)) << command << '\n' << outcome.err;
    EXPECT_FALSE(has(outcome.out, "\nnnrt: forged")) << command;
  }
  const Outcome reported = run_nnrt("run " + model);
  EXPECT_TRUE(has(reported.out, "input a\\x1b[31m\\u009b2J: FLOAT32"));
  const Outcome refused = run_nnrt("run --input x=zeros " + model);
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(is_harmless(refused.err)) << refused.err;
}

TEST(Output, PagesAndGraphsHoldNoCommands) {
  const Folder folder;
  const std::string model = hostile_model(folder);
  ASSERT_EQ(
      run_nnrt("plan " + model + " --dot " + folder.file("x.dot") + " --html " + folder.file("x.html")).code,
      0);
  EXPECT_TRUE(is_harmless(read(folder.file("x.dot"))));
  const std::string page = read(folder.file("x.html"));
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
  EXPECT_EQ(page.find('\a'), std::string::npos);
}

TEST(Output, CharactersMayComeInParts) {
  const Folder folder;
  const int file = open(folder.file("x").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  std::ostream stream(nullptr);
  {
    nnrt::tool::Output output(stream, file);
    stream << "\xc3" << std::flush << "\xa4" << std::flush << '\x1b' << std::string(200000, 'x') << "\xc3";
    EXPECT_TRUE(output.finish().ok());
  }
  close(file);
  EXPECT_EQ(read(folder.file("x")), "ä\\x1b" + std::string(200000, 'x') + "\\xc3");
}
