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
    bool is_name = false;  // may be elided in the middle, so that the table fits the terminal
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // Cells are made printable: names of files may stand in them.
  void add(std::vector<std::string> row);
  bool empty() const { return rows_.empty(); }
  void print(std::ostream& out) const;
  void print(std::ostream& out, size_t max_width) const;

 private:
  std::vector<size_t> widths(size_t max_width) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// The columns that a text takes on a terminal.
size_t width(const std::string& text);
// Columns of the terminal behind the descriptor.
size_t terminal_width(int descriptor, size_t unknown);
// Its beginning and end around "…" where it takes more columns than `columns`.
std::string elided(const std::string& text, size_t columns);
// Its beginning and "…" where it takes more columns than `columns`.
std::string shortened(const std::string& text, size_t columns);
// With so many digits behind the point.
std::string fixed(double value, int digits);
// "1.2 ms", "870 us", "3.4 s"
std::string duration(double ms);
// "12.5 MiB"
std::string byte_size(uint64_t bytes);

}  // namespace nnrt::tool
