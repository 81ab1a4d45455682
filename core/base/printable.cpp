#include "core/base/printable.h"

#include <array>
#include <cstdint>
#include <cstdio>

namespace nnrt {
namespace {

// The sequence length announced by the first byte, and the smallest code point of that length.
Utf8 promised(unsigned char first) {
  if (first < 0x80) return {0, 1};
  if (first >= 0xc2 && first < 0xe0) return {0x80, 2};
  if (first >= 0xe0 && first < 0xf0) return {0x800, 3};
  if (first >= 0xf0 && first < 0xf5) return {0x10000, 4};
  return {};
}

void append_escape(std::string& target, const char* form, uint32_t number) {
  std::array<char, 16> escape;
  std::snprintf(escape.data(), escape.size(), form, static_cast<unsigned>(number));
  target += escape.data();
}

std::string escaped(std::string_view text, std::string_view retained) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Utf8 character = first_character(text);
    const size_t bytes = character.bytes == 0 ? 1 : character.bytes;
    if (character.bytes > 0 &&
        (is_harmless(character.code) || retained.find(text[0]) != std::string_view::npos)) {
      result += text.substr(0, bytes);
    } else if (character.code >= 0x80) {
      append_escape(result, "\\u%04x", character.code);
    } else {
      append_escape(result, "\\x%02x", static_cast<unsigned char>(text[0]));
    }
    text.remove_prefix(bytes);
  }
  return result;
}

}  // namespace

Utf8 first_character(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const Utf8 min = promised(byte(0));
  if (min.bytes == 0 || min.bytes > text.size()) return {};
  constexpr std::array<uint32_t, 5> kFirstBits{0, 0x7f, 0x1f, 0x0f, 0x07};
  Utf8 character{byte(0) & kFirstBits[min.bytes], min.bytes};
  for (size_t i = 1; i < min.bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    character.code = character.code << 6 | (byte(i) & 0x3f);
  }
  const bool is_surrogate = character.code >= 0xd800 && character.code < 0xe000;
  return character.code < min.code || character.code > 0x10ffff || is_surrogate ? Utf8{} : character;
}

bool is_harmless(uint32_t code) {
  const bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const bool ends_line = code == 0x2028 || code == 0x2029;
  const bool turns = code == 0x61c || code == 0x200e || code == 0x200f ||
                     (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return !is_control && !ends_line && !turns;
}

std::string printable(std::string_view text) { return escaped(text, ""); }
std::string printable_lines(std::string_view text) { return escaped(text, "\n\t"); }

size_t unfinished(std::string_view text) {
  for (size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xc0) == 0x80) continue;
    return promised(byte).bytes > back ? back : 0;
  }
  return 0;
}

}  // namespace nnrt
