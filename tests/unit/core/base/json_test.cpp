#include "core/base/json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>

namespace nnrt {
namespace {

TEST(Json, EscapesStrings) { EXPECT_EQ(json_string("a\"b\\c\n\x01"), R"("a\"b\\c\u000a\u0001")"); }

TEST(Json, ReplacesInvalidUtf8) {
  EXPECT_EQ(json_string("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"), "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"");
  for (const char* broken :
       {"\x80", "\xC0\xAF", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xFF"}) {
    const std::string json = json_string(broken);
    EXPECT_TRUE(json.starts_with("\"\\ufffd")) << json;
    EXPECT_TRUE(nlohmann::json::accept(json)) << json;
  }
}

TEST(Json, WritesNonFiniteNumbersAsNull) {
  EXPECT_EQ(json_number(-0.5), "-0.5");
  EXPECT_EQ(json_number(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(json_number(std::numeric_limits<double>::quiet_NaN()), "null");
}

TEST(Json, ObjectsHoldEveryKindOfValue) {
  const std::string text = JsonObject()
                               .add("text", "x")
                               .add("count", size_t{18446744073709551615u})
                               .add("real", 1e300)
                               .add_json("shape", json_array(std::vector<int64_t>{1, -1, 3}))
                               .text();
  EXPECT_EQ(text, R"({"text":"x","count":18446744073709551615,"real":1e+300,"shape":[1,-1,3]})");
  EXPECT_EQ(JsonObject().text(), "{}");
}

}  // namespace
}  // namespace nnrt
