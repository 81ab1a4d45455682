#include "core/base/text.h"

#include "core/base/counted.h"

#include <gtest/gtest.h>

#include <new>
#include <ostream>

namespace nnrt {
namespace {

struct NoMemory {
  friend std::ostream& operator<<(std::ostream& out, const NoMemory&) {
    out.setstate(std::ios::badbit);  // simulates out-of-memory in the stream
    return out;
  }
};

TEST(Text, IsWholeOrNotThere) {
  EXPECT_EQ(cat("a", 1, 'c'), "a1c");
  EXPECT_THROW(cat("a", NoMemory(), "c"), std::exception);
}

TEST(Text, CountsOneInTheSingular) {
  EXPECT_EQ(counted(0, "run"), "0 runs");
  EXPECT_EQ(counted(1, "run"), "1 run");
  EXPECT_EQ(counted(size_t{2}, "class", "classes"), "2 classes");
}

TEST(Text, TellsTheEntriesOfAList) {
  using Entries = std::vector<std::string>;
  EXPECT_EQ(list_entries("", ','), Entries());
  EXPECT_EQ(list_entries("a", ','), Entries({"a"}));
  EXPECT_EQ(list_entries(",a,,b c,", ','), Entries({"a", "b c"}));
  EXPECT_EQ(list_entries("/x:/y", ':'), Entries({"/x", "/y"}));
}

}  // namespace
}  // namespace nnrt
