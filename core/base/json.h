// Builds JSON text for traces and placement reports.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace nnrt {

// Quoted; invalid UTF-8 is replaced, so that any client name gives valid JSON.
std::string json_string(std::string_view text);
std::string json_number(double value);  // null if not finite
std::string json_array(std::span<const int64_t> values);

// "[...]" of the results of `to_json`.
template <typename Range, typename ToJson>
std::string json_array(const Range& range, const ToJson& to_json) {
  std::string text = "[";
  for (const auto& value : range) {
    if (text.size() > 1) text += ',';
    text += to_json(value);
  }
  return text + ']';
}

class JsonObject {
 public:
  JsonObject& add(std::string_view key, std::string_view text) { return add_json(key, json_string(text)); }
  JsonObject& add(std::string_view key, const char* text) { return add(key, std::string_view(text)); }
  JsonObject& add(std::string_view key, double value) { return add_json(key, json_number(value)); }
  template <std::integral Integer>
  JsonObject& add(std::string_view key, Integer value) {
    return add_json(key, std::to_string(value));
  }
  // A value that already is JSON.
  JsonObject& add_json(std::string_view key, std::string_view json);

  bool empty() const { return members_.empty(); }
  std::string text() const { return '{' + members_ + '}'; }

 private:
  std::string members_;
};

}  // namespace nnrt
