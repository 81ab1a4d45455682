#include "tools/nnrt/base/progress.h"

#include "tools/nnrt/base/table.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <functional>

using nnrt::tool::Progress;

namespace {

// What a process writes to a terminal with `columns` columns.
std::string on_terminal(unsigned short columns, const std::function<void()>& work) {
  int terminal = -1;
  winsize size{24, columns, 0, 0};
  std::fflush(nullptr);  // or the child flushes the buffers again
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child < 0) throw std::runtime_error("There is no terminal.");
  if (child == 0) {
    work();
    _exit(0);
  }
  std::string text;
  std::array<char, 256> buffer;
  // Returns EIO once the child has exited.
  for (ssize_t got = 0; (got = read(terminal, buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<size_t>(got));
  close(terminal);
  waitpid(child, nullptr, 0);
  return text;
}

void wait(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

}  // namespace

TEST(Progress, ReportsAfterOneSecond) {
  const std::string text = on_terminal(80, [] {
    const Progress progress("building for X");
    wait(1500);
  });
  EXPECT_EQ(text.find("\rbuilding for X, 1."), 0u) << text;
  EXPECT_TRUE(text.ends_with("\r\x1b[K")) << "The line is wiped.";
}

TEST(Progress, CountsSteps) {
  const std::string text = on_terminal(80, [] {
    Progress progress("running", 4);
    progress.step();
    progress.step();
    wait(1500);
  });
  EXPECT_EQ(text.find("\rrunning [###############               ] 2/4, 1."), 0u) << text;
}

TEST(Progress, IsSilentForLess) {
  EXPECT_EQ(on_terminal(80, [] { const Progress progress("short"); }), "");
}

TEST(Progress, LinesFitTheTerminalAndEscapeNames) {
  const std::string text = on_terminal(12, [] {
    const Progress progress("\x1b]0;building for a device with a long name");
    wait(1500);
  });
  const std::string line = text.substr(1, text.find("\x1b[K") - 1);
  EXPECT_EQ(nnrt::tool::width(line), 11u) << text;
  EXPECT_EQ(line.find('\x1b'), std::string::npos) << text;
}

namespace {

const std::string kLongTitle = "running on SwiftShader Device (Subzero)_SwiftShader driver";

std::string long_line(unsigned short columns) {
  const std::string text = on_terminal(columns, [] {
    Progress progress(kLongTitle, 500);
    for (int i = 0; i < 250; ++i) progress.step();
    wait(1200);
  });
  return text.substr(1, text.find("\x1b[K") - 1);
}

}  // namespace

TEST(Progress, TruncatesLongTitlesFirst) {
  const std::string line = long_line(80);
  EXPECT_EQ(line.find("running on SwiftShader Device (Subzero)_SwiftShade… [#####     ] 250/500, 1."), 0u)
      << line;
  EXPECT_EQ(nnrt::tool::width(line), 79u);
  EXPECT_EQ(nnrt::tool::width(long_line(40)), 39u);
}

TEST(Progress, IsNotWiderThanANarrowTerminal) {
  for (const int columns : {2, 5, 10, 20})
    EXPECT_LT(nnrt::tool::width(long_line(static_cast<unsigned short>(columns))), size_t(columns));
}
