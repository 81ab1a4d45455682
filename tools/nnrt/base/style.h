// Styles of text on a terminal. NO_COLOR turns them off.
#pragma once

#include <ostream>
#include <string_view>

namespace nnrt::tool {

enum class Style { plain, heading, time };

// Prints the text, in that style if the stream is an Output on a terminal that has styles.
void print_styled(std::ostream& out, Style style, std::string_view text);
// Prints the text. Lines that are not indented and end with a colon are headings.
void print_with_headings(std::ostream& out, std::string_view text);

}  // namespace nnrt::tool
