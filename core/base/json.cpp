#include "core/base/json.h"

#include "core/base/printable.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace nnrt {
namespace {

void append_escaped(std::string& json, uint32_t code) {
  std::array<char, 16> escape{};
  std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(code));
  json += escape.data();
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string json = "\"";
  while (!text.empty()) {
    const Utf8 character = first_character(text);
    const char first = text.front();
    if (character.bytes == 0) {
      json += "\\ufffd";
    } else if (first == '"' || first == '\\') {
      json += {'\\', first};
    } else if (!is_harmless(character.code)) {
      append_escaped(json, character.code);
    } else {
      json += text.substr(0, character.bytes);
    }
    text.remove_prefix(character.bytes == 0 ? 1 : character.bytes);
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
