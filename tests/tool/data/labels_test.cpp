#include "tools/nnrt/data/labels.h"

#include "core/base/bytes_of.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace nnrt::tool {
namespace {

std::vector<std::string> parse(std::string_view text) { return parse_labels(std::as_bytes(std::span(text))); }

TEST(Labels, AreTheLinesOfAFile) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(parse(""), Lines{});
  EXPECT_EQ(parse("cat\ndog\n"), (Lines{"cat", "dog"}));
  EXPECT_EQ(parse("cat\r\n\r\ndog"), (Lines{"cat", "", "dog"}));
  EXPECT_EQ(parse("\n\n"), (Lines{"", ""}));
  EXPECT_EQ(parse("\xef\xbb\xbf"
                  "cat\n"),
            Lines{"cat"});
}

std::vector<std::string> labels(const std::vector<std::pair<std::string, std::string>>& attached) {
  std::vector<import::AttachedFile> files;
  for (const auto& [name, text] : attached) {
    files.push_back({name, bytes_of(text)});
  }
  return attached_labels(files);
}

TEST(AttachedLabels, AreTheLinesOfTheOnlyTextFile) {
  EXPECT_EQ(labels({{"icon.png", "\x89PNG"}, {"labelmap.txt", "cat\ndog\n"}}),
            (std::vector<std::string>{"cat", "dog"}));
  EXPECT_TRUE(labels({{"a.txt", "cat"}, {"b.txt", "dog"}}).empty());
  EXPECT_TRUE(labels({}).empty());
}

}  // namespace
}  // namespace nnrt::tool
