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

Names declared_functions(const std::string& header) {
  std::ifstream file(NNAPI_HEADERS "/" + header);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  static const std::regex function(R"(\n(?:int|void|int64_t|uint64_t) (ANeuralNetworks\w+)\()");
  Names names;
  for (std::sregex_iterator at(text.begin(), text.end(), function), end; at != end; ++at)
    names.insert((*at)[1]);
  return names;
}

TEST(NnapiAbi, ExportsMatchTheHeaders) {
  Names declared = declared_functions("NeuralNetworks.h");
  EXPECT_EQ(declared.size(), 69u);
  Names extensions = declared_functions("NeuralNetworksExtensions.h");
  EXPECT_EQ(extensions.size(), 6u);
  Names own = declared_functions("NeuralNetworksNNRt.h");
  EXPECT_EQ(own.size(), 1u);
  declared.merge(extensions);
  declared.merge(own);
  EXPECT_EQ(nnrt::test::exported_symbols(NNAPI_LIBRARY), declared);
}

TEST(NnapiAbi, HeadersServeC) { EXPECT_EQ(make_and_free_from_c(), 0); }

}  // namespace
