#include "tests/support/exported_symbols.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

extern "C" int make_and_free_from_c(void);

namespace {

using Names = std::set<std::string>;

Names declared_functions() {
  std::ifstream file(std::string(NNAPI_HEADERS) + "/NeuralNetworks.h");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  static const std::regex function(R"(\n(?:int|void|int64_t|uint64_t) (ANeuralNetworks\w+)\()");
  Names names;
  for (std::sregex_iterator at(text.begin(), text.end(), function), end; at != end; ++at)
    names.insert((*at)[1]);
  return names;
}

TEST(NnapiAbi, LibraryExportsWhatTheHeaderDeclaresAndNothingElse) {
  const Names declared = declared_functions();
  EXPECT_EQ(declared.size(), 69u);
  EXPECT_EQ(nnrt::test::exported_symbols(NNAPI_LIBRARY), declared);
}

TEST(NnapiAbi, HeadersServeC) { EXPECT_EQ(make_and_free_from_c(), 0); }

}  // namespace
