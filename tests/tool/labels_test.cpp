#include "tools/nnrt/data/labels.h"

#include "tests/support/zip_archive.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

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

class AttachedLabels : public testing::Test {
 protected:
  // Gives those of a file that begins as a model does.
  std::vector<std::string> labels(const std::vector<test::ZipEntry>& attached) {
    std::ofstream(path_, std::ios::binary) << "xxxxTFL3" << test::zip(attached);
    return attached_labels(path_);
  }
  void TearDown() override { std::filesystem::remove(path_); }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("labelled" + std::to_string(getpid()) + ".tflite");
};

TEST_F(AttachedLabels, AreTheLinesOfTheOnlyTextFile) {
  EXPECT_EQ(labels({{"icon.png", "\x89PNG"}, {"labelmap.txt", "cat\ndog\n"}}),
            (std::vector<std::string>{"cat", "dog"}));
  EXPECT_TRUE(labels({{"a.txt", "cat"}, {"b.txt", "dog"}}).empty());
  EXPECT_TRUE(labels({}).empty());
  EXPECT_TRUE(attached_labels("/nowhere.tflite").empty());
  EXPECT_TRUE(attached_labels(NNRT_TEST_MODELS "/onnx/digits.onnx").empty());
}

}  // namespace
}  // namespace nnrt::tool
