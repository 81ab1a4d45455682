#include "tools/nnrt/data/sample_classes.h"

#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>

namespace nnrt::tool {
namespace {

Result<SampleClasses> listed(const std::vector<std::string>& names, const std::string& list,
                             const std::vector<std::string>& labels) {
  const tool_tests::Folder folder;
  tool_tests::write(folder.file("truth.txt"), list);
  std::vector<Sample> samples;
  for (const std::string& name : names) samples.push_back({name, name});
  return classes_of(samples, folder.file("truth.txt"), labels);
}

TEST(SampleClasses, NamesOfFilesAndClassesMayHaveBlanks) {
  const std::vector<std::string> labels{"cat", "coffee mug", "mug"};
  const auto classes =
      listed({"a.png", "my photo 1.png", "b, c.png"},
             "a.png coffee mug\nmy photo 1.png\tcat\nb, c.png, mug \nother.png dog\n\n", labels)
          .value();
  EXPECT_EQ(classes.numbers, (std::vector<size_t>{1, 0, 2}));
}

TEST(SampleClasses, TheLongestNameOfASampleCounts) {
  const auto classes = listed({"a", "a b"}, "a b 1\na 2\n", {}).value();
  EXPECT_EQ(classes.numbers, (std::vector<size_t>{2, 1}));
}

TEST(SampleClasses, RefusesListsThatLackSomething) {
  EXPECT_EQ(listed({"a", "b"}, "a 1\n", {}).error().message.find("Sample (b) has no line in "), 0u);
  EXPECT_EQ(listed({"a"}, "a\n", {}).error().message.find("Line (a) of "), 0u);
  EXPECT_EQ(listed({"a"}, "a dog\n", {"cat"}).error().message,
            "Class (dog) is neither a number nor one of the labels.");
}

}  // namespace
}  // namespace nnrt::tool
