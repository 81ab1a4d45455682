// docs/spec/operators has a section for each operator, with its number and its parameters.
#include "core/schema/schema.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

namespace nnrt {
namespace {

std::map<std::string, std::string> sections_of_operators() {
  std::map<std::string, std::string> sections;
  for (const auto& entry : std::filesystem::directory_iterator(NNRT_SOURCE_DIR "/docs/spec/operators")) {
    std::ifstream page(entry.path());
    std::string* section = nullptr;
    for (std::string line; std::getline(page, line);) {
      if (line.starts_with("## ")) section = &sections[line.substr(3)];
      if (section != nullptr) *section += line + '\n';
    }
  }
  return sections;
}

TEST(Specification, HasASectionForEachOperator) {
  const std::map<std::string, std::string> sections = sections_of_operators();
  EXPECT_EQ(sections.size(), all_schemas().size());
  for (const OpSchema& row : all_schemas()) {
    const std::string name(row.name);
    const auto section = sections.find(name);
    ASSERT_NE(section, sections.end()) << name;
    const std::string head = "OH_NN_OPS_" + name + " = " + std::to_string(int(row.op)) + ", ";
    EXPECT_NE(section->second.find(head), std::string::npos) << head;
    for (const ParamRow& param : row.params) {
      const std::string cell = "| " + std::string(param.type_name()) + " = " + std::to_string(param.type());
      EXPECT_NE(section->second.find(cell), std::string::npos) << name << ": " << cell;
    }
  }
}

}  // namespace
}  // namespace nnrt
