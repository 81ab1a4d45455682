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

}  // namespace
}  // namespace nnrt::tool
