// Tables for terminals: columns as wide as their widest cell.
#pragma once

#include <cstdint>
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
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // Escapes control characters in cells, which may hold file names.
  void add(std::vector<std::string> row);
  bool empty() const { return rows_.empty(); }
  void print(std::ostream& out) const;
  void print(std::ostream& out, size_t max_width) const;

 private:
  std::vector<size_t> widths(size_t max_width) const;

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
// With `digits` decimals.
std::string fixed(double value, int digits);
// "1.2 ms", "870 us", "3.4 s"
std::string duration(double ms);
// "12.5 MiB"
std::string byte_size(uint64_t bytes);

}  // namespace nnrt::tool
