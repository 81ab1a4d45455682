#include "tools/nnrt/base/table.h"

#include "core/base/printable.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>

namespace nnrt::tool {
namespace {

// UTF-8 continuation bytes take no column.
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

size_t terminal_width(int descriptor, size_t unknown) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : unknown;
}

std::string elided(const std::string& text, size_t columns) {
  const size_t all = width(text);
  if (all <= columns) return text;
  if (columns < 3) return shortened(text, columns);
  const size_t tail = (columns - 1) / 2;
  size_t begin = text.size();
  for (size_t taken = 0; begin > 0 && taken < tail;) taken += begins_character(text[--begin]) ? 1 : 0;
  return shortened(text, columns - tail) + text.substr(begin);
}

void Table::add(std::vector<std::string> row) {
  for (std::string& cell : row) cell = printable(cell);
  rows_.push_back(std::move(row));
}

// Shrinks name columns, the widest first. Sentences in the last column may exceed the width.
std::vector<size_t> Table::widths(size_t max_width) const {
  constexpr size_t kMinName = 28, kGap = 2;
  std::vector<size_t> widths;
  size_t total = 0;
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t widest = width(columns_[i].title);
    for (const auto& row : rows_) widest = std::max(widest, width(row[i]));
    widths.push_back(widest);
    const bool is_prose =
        i > 0 && i + 1 == columns_.size() && columns_[i].align == Align::left && !columns_[i].is_name;
    total += (is_prose ? width(columns_[i].title) : widest) + (i > 0 ? kGap : 0);
  }
  while (total > max_width) {
    size_t* longest = nullptr;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const bool can_shrink = columns_[i].is_name && widths[i] > std::max(kMinName, width(columns_[i].title));
      if (can_shrink && (longest == nullptr || widths[i] > *longest)) longest = &widths[i];
    }
    if (longest == nullptr) break;
    --*longest;
    --total;
  }
  return widths;
}

void Table::print(std::ostream& out) const {
  constexpr size_t kNoTerminal = 100;
  print(out, terminal_width(STDOUT_FILENO, kNoTerminal));
}

void Table::print(std::ostream& out, size_t max_width) const {
  const std::vector<size_t> widths = this->widths(max_width);
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  const auto print_row = [&](const std::vector<std::string>& row) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string cell = elided(row[i], widths[i]);
      const std::string padding(widths[i] - width(cell), ' ');
      if (i > 0) line += "  ";
      line += columns_[i].align == Align::right ? padding + cell : cell + padding;
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
