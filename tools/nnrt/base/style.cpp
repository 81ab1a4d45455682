#include "tools/nnrt/base/style.h"

#include "tools/nnrt/base/output.h"

namespace nnrt::tool {

void print_styled(std::ostream& out, Style style, std::string_view text) {
  auto* const output = dynamic_cast<Output*>(out.rdbuf());
  if (style == Style::plain || output == nullptr || !output->has_styles()) {
    out << text;
    return;
  }
  output->write_escape(style == Style::heading ? "\x1b[1m" : "\x1b[36m");
  out << text;
  output->write_escape("\x1b[0m");
}

void print_with_headings(std::ostream& out, std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const bool is_heading = line.ends_with(':') && !line.starts_with(' ');
    print_styled(out, is_heading ? Style::heading : Style::plain, line);
    text.remove_prefix(line.size());
    if (text.empty()) return;
    out << '\n';
    text.remove_prefix(1);
  }
}

}  // namespace nnrt::tool
