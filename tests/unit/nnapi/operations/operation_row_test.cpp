#include "nnapi/operations/operation_row.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <string>

namespace nnrt::nnapi {
namespace {

TEST(OperationRow, IsThereForEachOperationOfTheHeader) {
  std::ifstream header(NNAPI_HEADER_OF_TYPES);
  const std::regex entry(R"(  ANEURALNETWORKS_(\w+) = (\d+),?)");
  std::smatch match;
  bool inside = false;
  int32_t next = 0;
  for (std::string line; std::getline(header, line);) {
    inside = (inside || line.find("ANEURALNETWORKS_ADD = 0") != std::string::npos) &&
             line.find("} OperationCode") == std::string::npos;
    if (!inside || !std::regex_match(line, match, entry)) continue;
    EXPECT_EQ(std::stoi(match[2]), next);
    const OperationRow* const row = find_operation(next++);
    ASSERT_NE(row, nullptr) << match[1];
    EXPECT_EQ(row->name, match[1].str());
    EXPECT_EQ(row->code, next - 1);
  }
  EXPECT_EQ(next, 106);
}

TEST(OperationRow, IsThereForNoOther) {
  for (const int32_t code : {-1, 106, 10000, INT32_MIN, INT32_MAX}) EXPECT_EQ(find_operation(code), nullptr);
}

TEST(OperationRow, HasValidFeatureLevel) {
  for (int32_t code = 0; code < 106; ++code) {
    const int32_t level = find_operation(code)->level;
    EXPECT_TRUE((level >= 27 && level <= 31) || (level >= 1000006 && level <= 1000008)) << code;
  }
}

}  // namespace
}  // namespace nnrt::nnapi
