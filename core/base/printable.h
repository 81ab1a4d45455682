// Text that others wrote, such as the names in a model file, on its way to a terminal or a log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace nnrt {

struct Utf8 {
  uint32_t code = 0;
  size_t bytes = 0;  // 0: the text begins with no character
};
// `text` must not be empty.
Utf8 first_character(std::string_view text);

// Returns false for control characters, line ends and changes of direction.
bool is_harmless(uint32_t code);

// The text in one line of UTF-8 that no terminal takes for a command: control characters (a line feed too),
// bytes that are no UTF-8, and characters that turn the direction of what follows become "\x1b", "\u202e".
std::string printable(std::string_view text);

// The same, but line feeds and tabulators stay.
std::string printable_lines(std::string_view text);

// Returns how many bytes at the end of the text begin a character whose rest may still come: 0 to 3.
size_t unfinished(std::string_view text);

}  // namespace nnrt
