#include "tools/nnrt/generate/stop_text.h"

#include <gtest/gtest.h>

namespace nnrt::tool {
namespace {

// What is printed for a text that arrives in these parts.
std::string printed(StopText& stop, const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += stop.add(part);
  return text + stop.finish();
}

TEST(StopText, EndsBeforeTheFirstStop) {
  StopText stop({"END", "\n\n"});
  EXPECT_EQ(printed(stop, {"one\n\ntwo END"}), "one");
  EXPECT_TRUE(stop.found());
}

TEST(StopText, FindsAStopInSeveralParts) {
  StopText stop({"abab"});
  EXPECT_EQ(printed(stop, {"x", "a", "b", "a", "a", "ba", "bc"}), "xaba");
  EXPECT_TRUE(stop.found());
}

TEST(StopText, HoldsBackOnlyTheBeginningOfAStop) {
  StopText stop({"stop"});
  EXPECT_EQ(stop.add("a st"), "a ");
  EXPECT_EQ(stop.add("one"), "stone");
  EXPECT_EQ(stop.add("sto"), "");
  EXPECT_EQ(stop.finish(), "sto");
  EXPECT_FALSE(stop.found());
}

TEST(StopText, WithoutStopsPassesEverything) {
  StopText stop({});
  EXPECT_EQ(stop.add("any"), "any");
  EXPECT_FALSE(stop.found());
}

}  // namespace
}  // namespace nnrt::tool
