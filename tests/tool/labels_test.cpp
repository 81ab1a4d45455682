#include "tools/nnrt/data/labels.h"

#include <gtest/gtest.h>

namespace nnrt::tool {
namespace {

std::vector<std::string> parse(std::string_view text) { return parse_labels(std::as_bytes(std::span(text))); }

TEST(Labels, AreTheLinesOfAFile) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(parse(""), Lines{});
  EXPECT_EQ(parse("cat\ndog\n"), (Lines{"cat", "dog"}));
  EXPECT_EQ(parse("cat\r\n\r\ndog"), (Lines{"cat", "", "dog"}));
  EXPECT_EQ(parse("\n\n"), (Lines{"", ""}));
}

}  // namespace
}  // namespace nnrt::tool
