#include "tools/nnrt/base/table.h"

#include "core/base/printable.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>

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

namespace {

constexpr size_t kGap = 2, kIndent = 4;
constexpr size_t kEasyName = 28, kMinName = 12;  // widths at which names can be told apart, mostly and hardly
constexpr size_t kMinSentence = 24;

}  // namespace

std::vector<std::string> wrapped(const std::string& text, size_t columns) {
  std::vector<std::string> lines(1);
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    std::string& line = lines.back();
    if (line.empty() || width(line) + 1 + width(word) <= columns) {
      line += (begin > 0 && !line.empty() ? " " : "") + word;
    } else {
      lines.push_back(word);
    }
    begin = end + 1;
  }
  return lines;
}

void print_wrapped(std::ostream& out, const std::string& text, size_t indent) {
  const size_t room = terminal_width(STDOUT_FILENO, indent + std::max<size_t>(text.size(), 1));
  for (const std::string& line : wrapped(text, room - std::min(room - 1, indent)))
    out << std::string(indent, ' ') << line << '\n';
}

namespace {

// The only cell of a heading, but for the last column.
std::optional<size_t> heading_of(const std::vector<std::string>& row) {
  const auto is_there = [](const std::string& cell) { return !cell.empty(); };
  const auto cell = std::ranges::find_if(row, is_there);
  const bool is_heading = std::ranges::count_if(row, is_there) == 1 && cell + 1 != row.end();
  return is_heading ? std::optional(size_t(cell - row.begin())) : std::nullopt;
}

}  // namespace

Table::Layout Table::natural(size_t max_width) const {
  Layout layout;
  layout.max_width = max_width;
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t widest = width(columns_[i].title);
    for (const auto& row : rows_)
      if (!heading_of(row)) widest = std::max(widest, width(row[i]));
    const bool has_sentences =
        i > 0 && i + 1 == columns_.size() && columns_[i].align == Align::left && !columns_[i].is_name;
    if (has_sentences) {
      layout.sentence = widest;
    } else {
      layout.columns.push_back(i);
      layout.widths.push_back(widest);
    }
  }
  return layout;
}

namespace {

size_t sum(const std::vector<size_t>& widths, size_t sentence) {
  const size_t all = std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
  return all + (sentence > 0 ? kGap + sentence : 0);
}

}  // namespace

void Table::shrink_names(Layout& layout, size_t least) const {
  const size_t sentence = layout.is_below ? 0 : std::min(layout.sentence.value_or(0), kMinSentence);
  for (size_t all = sum(layout.widths, sentence); all > layout.max_width; --all) {
    size_t* longest = nullptr;
    for (size_t i = 0; i < layout.columns.size(); ++i) {
      size_t& one = layout.widths[i];
      if (columns_[layout.columns[i]].is_name && one > least && (longest == nullptr || one > *longest))
        longest = &one;
    }
    if (longest == nullptr) break;
    --*longest;
  }
}

void Table::drop_optional(Layout& layout) const {
  const size_t sentence = std::min(layout.sentence.value_or(0), kMinSentence);
  for (size_t i = layout.columns.size(); i-- > 0 && sum(layout.widths, sentence) > layout.max_width;) {
    if (!columns_[layout.columns[i]].is_optional) continue;
    layout.columns.erase(layout.columns.begin() + std::ptrdiff_t(i));
    layout.widths.erase(layout.widths.begin() + std::ptrdiff_t(i));
  }
}

void Table::print(std::ostream& out) const {
  constexpr size_t kNoTerminal = 100;
  if (const size_t max_width = terminal_width(STDOUT_FILENO, 0); max_width > 0) return print(out, max_width);
  Layout layout = natural(kNoTerminal);
  shrink_names(layout, kEasyName);
  print_all(out, layout);
}

void Table::print(std::ostream& out, size_t max_width) const {
  Layout layout = natural(max_width);
  shrink_names(layout, kEasyName);
  drop_optional(layout);
  shrink_names(layout, kMinName);
  if (layout.sentence) {
    const size_t others = sum(layout.widths, 0) + kGap;
    layout.is_below = others + std::min(*layout.sentence, kMinSentence) > max_width;
    const size_t taken = layout.is_below ? kIndent : others;
    layout.sentence = std::min(*layout.sentence, max_width > taken ? max_width - taken : 1);
  }
  print_all(out, layout);
}

void Table::print_row(std::ostream& out, const Layout& layout, const std::vector<std::string>& row,
                      bool is_title) const {
  std::string blanks;  // before the next cell: none at the end of a line
  const auto print_cell = [&](Style style, const std::string& cell) {
    if (cell.empty()) return;
    out << blanks;
    blanks.clear();
    print_styled(out, is_title ? Style::heading : style, cell);
  };
  if (const auto heading = heading_of(row); heading && !is_title) {
    size_t start = 0;
    for (size_t i = 0; i < layout.columns.size() && layout.columns[i] < *heading; ++i)
      start += layout.widths[i] + kGap;
    out << std::string(start, ' ')
        << elided(row[*heading], layout.max_width - std::min(layout.max_width, start)) << '\n';
    return;
  }
  for (size_t i = 0; i < layout.columns.size(); ++i) {
    const Column& column = columns_[layout.columns[i]];
    const std::string cell = elided(row[layout.columns[i]], layout.widths[i]);
    const std::string padding(layout.widths[i] - width(cell), ' ');
    if (column.align == Align::right) blanks += padding;
    print_cell(column.style, cell);
    blanks += (column.align == Align::right ? "" : padding) + std::string(kGap, ' ');
  }
  if (layout.sentence && !row.back().empty()) {
    const size_t start = layout.is_below ? kIndent : sum(layout.widths, 0) + kGap;
    bool is_first = !layout.is_below;
    for (const std::string& line : wrapped(row.back(), *layout.sentence)) {
      if (!is_first) {
        out << '\n';
        blanks.assign(start, ' ');
      }
      print_cell(columns_.back().style, line);
      is_first = false;
    }
  }
  out << '\n';
}

void Table::print_all(std::ostream& out, const Layout& layout) const {
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  print_row(out, layout, titles, true);
  for (const auto& row : rows_) print_row(out, layout, row, false);
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
