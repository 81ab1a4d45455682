#include "tools/nnrt/base/table.h"

#include <gtest/gtest.h>

#include <sstream>

namespace nnrt::tool {
namespace {

TEST(Elided, KeepsBothEnds) {
  EXPECT_EQ(elided("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(elided("abcdefghij", 7), "abc…hij");
  EXPECT_EQ(elided("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f"
                   "x",
                   3),
            "\xc3\xa4…x");
}

TEST(Table, ElidesNamesToFitTheWidth) {
  Table table({{"layer", Table::Align::left, true}, {"time", Table::Align::right}});
  table.add({"MobilenetV1/" + std::string(200, 'x') + "/Relu6", "1.25 ms"});
  std::ostringstream out;
  table.print(out, 60);
  const std::string text = out.str();
  EXPECT_NE(text.find("MobilenetV1/"), std::string::npos) << text;
  EXPECT_NE(text.find("/Relu6  1.25 ms\n"), std::string::npos) << text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(width(line), 60u) << line;
}

std::string printed(const Table& table, size_t columns) {
  std::ostringstream out;
  table.print(out, columns);
  std::istringstream lines(out.str());
  for (std::string line; std::getline(lines, line);) EXPECT_LE(width(line), columns) << line;
  return out.str();
}

TEST(Table, BreaksSentencesBetweenWords) {
  Table table({{"device"}, {"why there"}});
  table.add({"CPU_NNRt", "The GPU has no kernel for this operator and these types."});
  EXPECT_EQ(printed(table, 40),
            "device    why there\n"
            "CPU_NNRt  The GPU has no kernel for this\n"
            "          operator and these types.\n");
}

TEST(Table, GivesSentencesLinesOfTheirOwnWhereOthersNeedTheWidth) {
  Table table({{"operator"}, {"count", Table::Align::right}, {"why"}});
  table.add({"CONV2D_TRANSPOSE", "12", "Its stride is larger than the kernel."});
  table.add({"ADD", "1", ""});
  EXPECT_EQ(printed(table, 30),
            "operator          count\n"
            "    why\n"
            "CONV2D_TRANSPOSE     12\n"
            "    Its stride is larger than\n"
            "    the kernel.\n"
            "ADD                   1\n");
}

TEST(Table, LeavesOutWhatIsOptional) {
  using enum Table::Align;
  Table table({{"output", left, true}, {"largest", right}, {"mean", right, false, Style::plain, true}, {""}});
  table.add({"probabilities", "1.5e-07", "1e-08", "differs"});
  EXPECT_EQ(printed(table, 60),
            "output         largest   mean\n"
            "probabilities  1.5e-07  1e-08  differs\n");
  EXPECT_EQ(printed(table, 31),
            "output         largest\n"
            "probabilities  1.5e-07  differs\n");
}

TEST(Table, HeadingsMayTakeTheWidth) {
  Table table({{"#", Table::Align::right}, {"operator"}, {"time", Table::Align::right}});
  table.add({"", "Conv /features/0/conv + Relu", ""});
  table.add({"10", "  CONV2D", "1 ms"});
  EXPECT_EQ(printed(table, 31),
            " #  operator  time\n"
            "    Conv /feature…0/conv + Relu\n"
            "10    CONV2D  1 ms\n");
}

TEST(Wrapped, KeepsLongWordsWhole) {
  EXPECT_EQ(wrapped("a bcdefgh  ij k", 4), (std::vector<std::string>{"a", "bcdefgh", "ij k"}));
  EXPECT_EQ(wrapped("", 4), std::vector<std::string>{""});
}

}  // namespace
}  // namespace nnrt::tool
