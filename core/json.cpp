#include "core/json.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace nnrt {
namespace {

// Bytes of the UTF-8 sequence that `text` begins with; 0 where it is none.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto follows = [&](size_t i) { return (byte(i) & 0xC0u) == 0x80; };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF && follows(1)) return 2;
  const bool is_overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool is_no_character = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
  if (is_overlong || is_no_character) return 0;
  if (first >= 0xE0 && first <= 0xEF && follows(1) && follows(2)) return 3;
  if (first >= 0xF0 && first <= 0xF4 && follows(1) && follows(2) && follows(3)) return 4;
  return 0;
}

void append_escaped(std::string& json, char character) {
  std::array<char, 8> code{};
  std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned char>(character));
  json += code.data();
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string json = "\"";
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const char first = text.front();
    if (length == 0) {
      json += "\\ufffd";
    } else if (first == '"' || first == '\\') {
      json += {'\\', first};
    } else if (length == 1 && static_cast<unsigned char>(first) < 0x20) {
      append_escaped(json, first);
    } else {
      json += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return json + '"';
}

std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

std::string json_array(std::span<const int64_t> values) {
  return json_array(values, [](int64_t value) { return std::to_string(value); });
}

JsonObject& JsonObject::add_json(std::string_view key, std::string_view json) {
  if (!members_.empty()) members_ += ',';
  members_ += json_string(key);
  members_ += ':';
  members_ += json;
  return *this;
}

}  // namespace nnrt
