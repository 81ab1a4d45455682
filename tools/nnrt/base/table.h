// Tables for terminals: columns as wide as their widest cell, as far as they fit.
#pragma once

#include "tools/nnrt/base/style.h"

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace nnrt::tool {

class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::left;
    bool is_name = false;  // may be elided in the middle to fit the terminal
    Style style = Style::plain;
    bool is_optional = false;  // left out on narrow terminals
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // Escapes control characters in cells, which may hold file names. A row with only one cell is a heading,
  // as wide as the table.
  void add(std::vector<std::string> row);
  bool empty() const { return rows_.empty(); }
  // Fits the terminal. Without one, no column is left out and no sentence is broken, so that programs can
  // read the lines.
  void print(std::ostream& out) const;
  // Fits the width. A sentence in the last column continues below itself, or has lines of its own.
  void print(std::ostream& out, size_t max_width) const;

 private:
  struct Layout {
    std::vector<size_t> columns;     // those that are shown
    std::vector<size_t> widths;      // of these
    std::optional<size_t> sentence;  // width of the last column, if it has sentences
    size_t max_width = 0;
    bool is_below = false;  // sentences have lines of their own
  };

  Layout natural(size_t max_width) const;
  // Shrinks names to `least` columns, the widest first, until all fit.
  void shrink_names(Layout& layout, size_t least) const;
  void drop_optional(Layout& layout) const;
  void print_row(std::ostream& out, const Layout& layout, const std::vector<std::string>& row,
                 bool is_title) const;
  void print_all(std::ostream& out, const Layout& layout) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Terminal columns taken by the text.
size_t width(const std::string& text);
// Width of the terminal at `descriptor`; `unknown` if it is not a terminal.
size_t terminal_width(int descriptor, size_t unknown);
// Elides the middle with "…" if the text is wider than `columns`.
std::string elided(const std::string& text, size_t columns);
// Cuts the end, with "…", if the text is wider than `columns`.
std::string shortened(const std::string& text, size_t columns);
// Lines of at most `columns`, broken between words. A longer word has a line of its own.
std::vector<std::string> wrapped(const std::string& text, size_t columns);
// Prints these lines for the terminal, indented; without one, a single line.
void print_wrapped(std::ostream& out, const std::string& text, size_t indent = 0);
// With `digits` decimals.
std::string fixed(double value, int digits);
// "1.2 ms", "870 us", "3.4 s"
std::string duration(double ms);
// "12.5 MiB"
std::string byte_size(uint64_t bytes);

}  // namespace nnrt::tool
