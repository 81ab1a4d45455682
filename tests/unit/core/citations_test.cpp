// Comments cite the rules of docs/spec, and pages link to each other. A citation or a link that leads nowhere
// misleads its reader, so each must resolve; docs/spec/README.md says how citations are written.
#include "core/schema/schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace nnrt {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = NNRT_SOURCE_DIR;
const fs::path kSpec = kRoot / "docs/spec";

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<std::string> matches(const std::string& text, const char* pattern, size_t group = 1) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at) {
    found.push_back((*at)[group].str());
  }
  return found;
}

// GitHub's anchor of a heading.
std::string slug(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-') {
      anchor += char(std::tolower(static_cast<unsigned char>(c)));
    }
    if (c == ' ') anchor += '-';
  }
  return anchor;
}

const std::set<std::string>& anchors_of(const fs::path& page) {
  static std::map<std::string, std::set<std::string>> known;
  const auto [entry, is_new] = known.try_emplace(page.string());
  if (!is_new) return entry->second;
  const std::string text = text_of(page);
  for (const std::string& anchor : matches(text, R"re(<a id="([^"]+)">)re")) entry->second.insert(anchor);
  for (const std::string& heading : matches(text, "(^|\n)#+ ([^\n]+)", 2))
    entry->second.insert(slug(heading));
  return entry->second;
}

struct Citation {
  fs::path page;
  std::string anchor;
};

std::string lower(std::string text) {
  for (char& c : text) c = char(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// All that a comment or a page cites.
std::vector<Citation> citations(const std::string& text) {
  std::vector<Citation> found;
  for (const std::string& rule : matches(text, R"(\b(R\d+)\b)"))
    found.push_back({kSpec / "rules.md", lower(rule)});
  for (const std::string& rule : matches(text, R"(\b(A\d+)\b)"))
    found.push_back({kSpec / "api.md", lower(rule)});
  for (const std::string& function : matches(text, R"(\bapi\.md (OH_\w+))")) {
    found.push_back({kSpec / "api.md", lower(function)});
  }
  for (const std::string& list : matches(text, R"(\bapi\.md (\d[\d.]*((, | and |, and )\d[\d.]*)*))")) {
    for (const std::string& section : matches(list, R"((\d+(\.\d+)?))")) {
      found.push_back({kSpec / "api.md", section});
    }
  }
  const std::regex section(R"(\boperators/(\w+\.md) ([A-Z]\w+))");
  for (std::sregex_iterator at(text.begin(), text.end(), section), end; at != end; ++at) {
    found.push_back({kSpec / "operators" / (*at)[1].str(), lower((*at)[2])});
  }
  return found;
}

// The prose of a file: its comments, or the whole page. Two lines of one comment are one text.
std::string prose_of(const fs::path& path) {
  static const std::map<std::string, std::string> kComments = {
      {".h", "//"},  {".c", "//"},    {".cpp", "//"}, {".comp", "//"}, {".glsl", "//"},
      {".js", "//"}, {".cmake", "#"}, {".txt", "#"},  {".py", "#"},    {".sh", "#"}};
  if (path.extension() == ".md") return text_of(path);
  const auto begin = kComments.find(path.extension().string());
  if (begin == kComments.end()) return {};
  std::string prose;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const size_t comment = line.find(begin->second);
    prose += comment == std::string::npos ? "\n" : line.substr(comment + begin->second.size());
  }
  return prose;
}

// Regular expressions are slow, and few comments cite anything.
bool may_cite(const std::string& block) {
  for (size_t i = 0; i + 1 < block.size(); ++i) {
    if ((block[i] == 'R' || block[i] == 'A') && std::isdigit(static_cast<unsigned char>(block[i + 1])))
      return true;
  }
  return block.find("api.md") != std::string::npos || block.find("operators/") != std::string::npos;
}

std::vector<fs::path> files() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(kRoot)) {
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  }
  for (const char* folder : {"api", "backends", "bench", "cmake", "core", "docs", "examples", "nnapi",
                             "python", "shaders", "tests", "tools"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      if (entry.is_regular_file()) found.push_back(entry.path());
    }
  }
  return found;
}

TEST(Citations, EachNamesASectionOfTheSpecification) {
  size_t count = 0;
  for (const fs::path& path : files()) {
    if (path.filename() == "citations_test.cpp") continue;
    std::istringstream prose(prose_of(path));
    for (std::string block; std::getline(prose, block);) {
      if (!may_cite(block)) continue;
      for (const Citation& citation : citations(block)) {
        ++count;
        EXPECT_TRUE(anchors_of(citation.page).contains(citation.anchor))
            << path << " cites " << citation.anchor << ", which " << citation.page << " does not have";
      }
      if (path.extension() == ".md") continue;
      EXPECT_TRUE(matches(block, R"(\b(api\.md)(?! (\d|OH_)))").empty())
          << path << " cites no section of api.md";
    }
  }
  RecordProperty("citations", int(count));
  EXPECT_GT(count, 250u);  // fewer: this test does not see them
}

TEST(Citations, AnUnknownSectionIsSeen) {
  const auto unknown = [](const std::string& text) {
    for (const Citation& citation : citations(text)) {
      if (!anchors_of(citation.page).contains(citation.anchor)) return true;
    }
    return false;
  };
  for (const char* text : {"(R12)", "(A1)", "(api.md 4, 5 and 11.7)", "(api.md OH_NNModel_Finish)",
                           "(operators/gemm_conv.md CONV2D)"}) {
    EXPECT_FALSE(citations(text).empty()) << text;
    EXPECT_FALSE(unknown(text)) << text;
  }
  for (const char* text : {"(R22)", "(A10)", "(api.md 4, 5 and 11.9)", "(api.md OH_NNModel_End)",
                           "(operators/gemm_conv.md CONV4D)"}) {
    EXPECT_TRUE(unknown(text)) << text;
  }
}

TEST(Citations, LinksOfPagesResolve) {
  for (const fs::path& path : files()) {
    if (path.extension() != ".md") continue;
    for (const std::string& link : matches(text_of(path), R"(\]\(([^)\s]+)\))")) {
      if (link.find("://") != std::string::npos) continue;
      const size_t hash = std::min(link.find('#'), link.size());
      const fs::path target = hash == 0 ? path : path.parent_path() / link.substr(0, hash);
      ASSERT_TRUE(fs::exists(target)) << path << " links to " << link;
      if (hash == link.size()) continue;
      EXPECT_TRUE(anchors_of(target).contains(link.substr(hash + 1))) << path << " links to " << link;
    }
  }
}

TEST(Specification, HasASectionForEachFunction) {
  std::set<std::string> functions;
  for (const char* header : {"neural_network_core.h", "neural_network_runtime.h"}) {
    const std::string text = text_of(kRoot / "api/include/neural_network_runtime" / header);
    for (const std::string& function : matches(text, R"(\b(OH_NN\w+)\()")) functions.insert(function);
  }
  EXPECT_EQ(functions.size(), 75u);
  for (const std::string& function : functions) {
    EXPECT_TRUE(anchors_of(kSpec / "api.md").contains(lower(function))) << function;
  }
}

// The section of an operator names its number and its parameters, as the schema has them.
TEST(Specification, HasASectionForEachOperator) {
  std::map<std::string, std::string> sections;
  for (const auto& entry : fs::directory_iterator(kSpec / "operators")) {
    const std::string page = text_of(entry.path());
    for (const std::string& name : matches(page, "\n## (\\w+)\n")) {
      const size_t begin = page.find("\n## " + name + "\n");
      sections[name] = page.substr(begin, page.find("\n## ", begin + 1) - begin);
    }
  }
  EXPECT_EQ(sections.size(), all_schemas().size());
  for (const OpSchema& row : all_schemas()) {
    const std::string name(row.name);
    ASSERT_TRUE(sections.contains(name)) << name;
    const std::string& section = sections[name];
    const std::string head = "OH_NN_OPS_" + name + " = " + std::to_string(int(row.op)) + ", ";
    EXPECT_NE(section.find(head), std::string::npos) << head;
    for (const ParamRow& param : row.params) {
      const std::string cell = "| " + std::string(param.type_name) + " = " + std::to_string(param.type);
      EXPECT_NE(section.find(cell), std::string::npos) << cell;
    }
  }
}

}  // namespace
}  // namespace nnrt
