#include "core/writer/list.h"

#include <gtest/gtest.h>

namespace nnrt::test {
namespace {

template <typename Read>
std::string message_of(const Read& read) {
  const Status status = converting([&]() -> Status {
    static_cast<void>(read());
    return {};
  });
  return status.ok() ? "none" : status.error().message;
}

TEST(List, HasTheElementsOfAVector) {
  List<int> list{1, 2, 3};
  list[0] = 4;
  list.back() = 6;
  EXPECT_EQ(list, (std::vector{4, 2, 6}));
  EXPECT_EQ(list.front(), 4);
  EXPECT_EQ(list.from(1), (List<int>{2, 6}));
  EXPECT_EQ(list.from(3), List<int>());
  EXPECT_EQ(list.before(2), (List<int>{4, 2}));
  list.insert_at(3, 7);
  list.erase_at(0);
  list.pop_back();
  EXPECT_EQ(list, (List<int>{2, 6}));
}

TEST(List, RejectsOutOfRangeIndices) {
  const List<int> list{1, 2};
  List<int> none;
  EXPECT_EQ(message_of([&] { return list[1]; }), "none");
  EXPECT_EQ(message_of([&] { return list[2]; }), "A list has 2 elements, not 3 or more.");
  EXPECT_EQ(message_of([&] { return list[static_cast<size_t>(-1)]; }),
            "A list has 2 elements, no element before its first.");
  EXPECT_EQ(message_of([&] { return none.front(); }), "A list has 0 elements, not 1 or more.");
  EXPECT_EQ(message_of([&] { return none.back(); }), "A list has 0 elements, no element before its first.");
  EXPECT_EQ(message_of([&] { return list.from(3); }), "A list has 2 elements, not 3 or more.");
  EXPECT_EQ(message_of([&] { return list.before(4); }), "A list has 2 elements, not 4 or more.");
  EXPECT_EQ(message_of([&] { return none.pop_back(), 0; }), "A list has 0 elements, not 1 or more.");
  EXPECT_EQ(message_of([&] { return none.erase_at(0), 0; }), "A list has 0 elements, not 1 or more.");
  EXPECT_EQ(message_of([&] { return none.insert_at(1, 0), 0; }), "A list has 0 elements, not 1 or more.");
}

TEST(List, NamesShapes) {
  const Dims shape{4, -1};
  EXPECT_EQ(message_of([&] { return shape[2]; }), "Shape [4, -1] has rank 2, not 3 or more.");
  EXPECT_EQ(message_of([] { return Dims()[0]; }), "Shape [] has rank 0, not 1 or more.");
}

TEST(List, EndsConversionsWithTheErrorOfAResult) {
  EXPECT_EQ(required(Result<int>(3)), 3);
  const Result<int> failed = converting([]() -> Result<int> {
    return required(Result<int>(Error{Code::unsupported, "No."}));
  });
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, Code::unsupported);
  EXPECT_EQ(failed.error().message, "No.");
}

}  // namespace
}  // namespace nnrt::test
