// The character map of SentencePiece's normalizer, as tokenizer.json has it: replacements for characters,
// found in a double-array trie.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt::tool {

class CharacterMap {
 public:
  // Base64 of the trie's size in bytes, its units, and the replacements, each ended by a zero.
  static Result<CharacterMap> read(std::string_view base64);

  // Replaces user-perceived characters of less than six bytes, then single characters. `characters` are the
  // former.
  std::string normalized(const std::vector<std::string>& characters) const;

 private:
  std::optional<std::string_view> find(std::string_view text) const;

  std::vector<uint32_t> trie_;
  std::string replacements_;
};

}  // namespace nnrt::tool
