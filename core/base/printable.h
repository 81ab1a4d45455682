// Makes untrusted text, such as names in model files, safe to print or log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace nnrt {

struct Utf8 {
  uint32_t code = 0;
  size_t bytes = 0;  // 0: no valid character
};
// `text` must not be empty.
Utf8 first_character(std::string_view text);

// Returns false for control characters, line breaks and bidirectional controls.
bool is_harmless(uint32_t code);

// The text as one line of UTF-8 without terminal control: control characters (including line feeds), invalid
// bytes and bidirectional controls are escaped as "\x1b", "\u202e".
std::string printable(std::string_view text);

// The same, but keeps line feeds and tabs.
std::string printable_lines(std::string_view text);

// Number of bytes (0 to 3) of an incomplete character at the end of the text.
size_t unfinished(std::string_view text);

}  // namespace nnrt
