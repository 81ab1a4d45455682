#include <elf.h>
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

// The symbols that a library exports, read from its dynamic symbol table.
Names exported_symbols(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(bytes.data());
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(bytes.data() + header->e_shoff);
  Names names;
  for (size_t i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_DYNSYM) continue;
    const auto* symbols = reinterpret_cast<const Elf64_Sym*>(bytes.data() + sections[i].sh_offset);
    const char* strings = bytes.data() + sections[sections[i].sh_link].sh_offset;
    for (size_t k = 0; k < sections[i].sh_size / sizeof(Elf64_Sym); ++k) {
      if (symbols[k].st_shndx != SHN_UNDEF) names.insert(strings + symbols[k].st_name);
    }
  }
  return names;
}

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
  EXPECT_EQ(exported_symbols(NNAPI_LIBRARY), declared);
}

TEST(NnapiAbi, HeadersServeC) { EXPECT_EQ(make_and_free_from_c(), 0); }

}  // namespace
