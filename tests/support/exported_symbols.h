// Reads the exported symbols of a library from its dynamic symbol table.
#pragma once

#include <elf.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace nnrt::test {

inline std::set<std::string> exported_symbols(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes(std::filesystem::file_size(path));
  file.read(bytes.data(), std::streamsize(bytes.size()));
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(bytes.data());
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(bytes.data() + header->e_shoff);
  std::set<std::string> names;
  for (size_t i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_DYNSYM) continue;
    const auto* symbols = reinterpret_cast<const Elf64_Sym*>(bytes.data() + sections[i].sh_offset);
    const char* strings = bytes.data() + sections[sections[i].sh_link].sh_offset;
    for (size_t k = 0; k < sections[i].sh_size / sizeof(Elf64_Sym); ++k) {
      // ARM linkers also list sections, which have no names.
      const bool is_section = ELF64_ST_TYPE(symbols[k].st_info) == STT_SECTION;
      if (symbols[k].st_shndx != SHN_UNDEF && !is_section) names.insert(strings + symbols[k].st_name);
    }
  }
  return names;
}

}  // namespace nnrt::test
