#include "tools/nnrt/base/table.h"

#include "core/base/printable.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>

namespace nnrt::tool {
namespace {

// Continuation bytes of UTF-8 take no room.
bool begins_character(char byte) { return (byte & 0xc0) != 0x80; }

}  // namespace

size_t width(const std::string& text) {
  return static_cast<size_t>(std::ranges::count_if(text, begins_character));
}

std::string shortened(const std::string& text, size_t columns) {
  if (width(text) <= columns) return text;
  size_t end = 0;
  for (size_t taken = 0; end < text.size(); ++end) {
    if (begins_character(text[end]) && ++taken >= std::max<size_t>(columns, 1)) break;
  }
  return text.substr(0, end) + (columns > 0 ? "…" : "");
}

void Table::add(std::vector<std::string> row) {
  for (std::string& cell : row) cell = printable(cell);
  rows_.push_back(std::move(row));
}

void Table::print(std::ostream& out) const {
  std::vector<size_t> widths;
  std::vector<std::string> titles;
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t widest = width(columns_[i].title);
    for (const auto& row : rows_) widest = std::max(widest, width(row[i]));
    widths.push_back(widest);
    titles.push_back(columns_[i].title);
  }
  const auto print_row = [&](const std::vector<std::string>& row) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - width(row[i]), ' ');
      if (i > 0) line += "  ";
      line += columns_[i].align == Align::right ? padding + row[i] : row[i] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  };
  print_row(titles);
  for (const auto& row : rows_) print_row(row);
}

std::string fixed(double value, int digits) {
  std::array<char, 64> text;
  const int length = std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return {text.data(), std::min(static_cast<size_t>(std::max(length, 0)), text.size() - 1)};
}

std::string duration(double ms) {
  if (ms >= 10000) return fixed(ms / 1000, 2) + " s";
  if (ms >= 1) return fixed(ms, 2) + " ms";
  return fixed(ms * 1000, 1) + " us";
}

std::string byte_size(uint64_t bytes) {
  constexpr const char* kUnits[] = {" B", " KiB", " MiB", " GiB", " TiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  return fixed(value, unit == 0 ? 0 : 1) + kUnits[unit];
}

}  // namespace nnrt::tool
