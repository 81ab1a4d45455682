#include "tools/nnrt/generate/character_map.h"

#include "core/base/text.h"
#include "tools/nnrt/generate/utf8.h"

#include <cstring>

namespace nnrt::tool {
namespace {

std::optional<std::string> from_base64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  while (text.ends_with('=')) text.remove_suffix(1);
  for (const char c : text) {
    const size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return {};
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xff);
  }
  return bytes;
}

// A unit of the trie.
bool has_leaf(uint32_t unit) { return (unit >> 8 & 1) != 0; }
uint32_t value_of(uint32_t unit) { return unit & 0x7fffffff; }
uint32_t label_of(uint32_t unit) { return unit & 0x800000ff; }
uint32_t offset_of(uint32_t unit) { return (unit >> 10) << ((unit & 0x200) >> 6); }

}  // namespace

Result<CharacterMap> CharacterMap::read(std::string_view base64) {
  const Error damaged{Code::invalid_file, "The tokenizer's character map is damaged."};
  const std::optional<std::string> bytes = from_base64(base64);
  uint32_t size = 0;
  if (!bytes || bytes->size() < sizeof size) return damaged;
  std::memcpy(&size, bytes->data(), sizeof size);
  if (size % sizeof(uint32_t) != 0 || size == 0 || size > bytes->size() - sizeof size) return damaged;
  CharacterMap map;
  map.trie_.resize(size / sizeof(uint32_t));
  std::memcpy(map.trie_.data(), bytes->data() + sizeof size, size);
  map.replacements_ = bytes->substr(sizeof size + size);
  return map;
}

// The replacement of the shortest prefix in the map.
std::optional<std::string_view> CharacterMap::find(std::string_view text) const {
  uint32_t node = offset_of(trie_[0]);
  for (const char c : text) {
    node ^= static_cast<unsigned char>(c);
    if (c == 0 || node >= trie_.size()) return {};
    const uint32_t unit = trie_[node];
    if (label_of(unit) != static_cast<unsigned char>(c)) return {};
    node ^= offset_of(unit);
    if (node >= trie_.size()) return {};
    if (!has_leaf(unit)) continue;
    const size_t begin = value_of(trie_[node]);
    if (begin > replacements_.size()) return {};
    return std::string_view(replacements_).substr(begin, replacements_.find('\0', begin) - begin);
  }
  return {};
}

std::string CharacterMap::normalized(const std::vector<std::string>& characters) const {
  constexpr size_t kWholeBelow = 6;
  std::string made;
  for (const std::string& character : characters) {
    if (const auto whole = character.size() < kWholeBelow ? find(character) : std::nullopt) {
      made += *whole;
      continue;
    }
    for (const std::string_view point : code_points(character)) made += find(point).value_or(point);
  }
  return made;
}

}  // namespace nnrt::tool
