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
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // Cells are made printable: names of files may stand in them.
  void add(std::vector<std::string> row);
  bool empty() const { return rows_.empty(); }
  void print(std::ostream& out) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// The columns that a text takes on a terminal.
size_t width(const std::string& text);
// Its beginning and "…" where it takes more columns than `columns`.
std::string shortened(const std::string& text, size_t columns);
// With so many digits behind the point.
std::string fixed(double value, int digits);
// "1.2 ms", "870 us", "3.4 s"
std::string duration(double ms);
// "12.5 MiB"
std::string byte_size(uint64_t bytes);

}  // namespace nnrt::tool
