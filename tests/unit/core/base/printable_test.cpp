#include "core/base/printable.h"

#include "core/platform/log.h"

#include <gtest/gtest.h>

namespace nnrt::test {
namespace {

TEST(Printable, TextStaysAsItIs) {
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(printable("conv1/Relu:0 [1, 2]"), "conv1/Relu:0 [1, 2]");
  EXPECT_EQ(printable("Größe 大きさ 🙂 \\n"), "Größe 大きさ 🙂 \\n");
}

TEST(Printable, ControlCharactersAreTold) {
  EXPECT_EQ(printable("\x1b[31mred\x7f\r\n\t"), "\\x1b[31mred\\x7f\\x0d\\x0a\\x09");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\xc2\x9b"), "\\u009b");      // C1: an escape sequence in one character
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\u202e");  // right-to-left override
  EXPECT_EQ(printable("\xe2\x80\xa8"), "\\u2028");  // line separator
  EXPECT_EQ(printable_lines("\x1b\n\ta"), "\\x1b\n\ta");
}

TEST(Printable, EscapesInvalidText) {
  EXPECT_EQ(printable("\x80\xff"), "\\x80\\xff");
  EXPECT_EQ(printable("\x9b\x33"), "\\x9b3");
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b");           // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a surrogate pair
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printable("a\xc3"), "a\\xc3");
}

TEST(Printable, DetectsIncompleteCharacter) {
  EXPECT_EQ(unfinished(""), 0u);
  EXPECT_EQ(unfinished("a"), 0u);
  EXPECT_EQ(unfinished("ä"), 0u);
  EXPECT_EQ(unfinished("a\xc3"), 1u);
  EXPECT_EQ(unfinished("\xf0\x9f\x99"), 3u);
  EXPECT_EQ(unfinished("\x80\x80\x80\x80"), 0u);
}

TEST(Log, EscapesControlCharacters) {
  std::string seen;
  set_log_sink([&](LogLevel, std::string_view message) { seen = message; });
  log(LogLevel::error, "Tensor (\x1b]0;x\a\nNNRt E: forged) is wrong.");
  set_log_sink({});
  EXPECT_EQ(seen, "Tensor (\\x1b]0;x\\x07\\x0aNNRt E: forged) is wrong.");
}

}  // namespace
}  // namespace nnrt::test
