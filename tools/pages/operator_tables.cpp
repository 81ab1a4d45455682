// Writes what the schema says into the pages of the specification's operators: operator_tables FROM TO.
// Copies the pages of folder FROM to TO with each section's line of numbers and its tables, and in README.md
// the list of sections, rewritten. Prose, the columns "shape" and "values", and what follows a semicolon in
// another cell are kept.
#include "core/base/dtype.h"
#include "core/base/text.h"
#include "core/schema/rules.h"
#include "core/schema/schema.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using nnrt::cat;
using Lines = std::vector<std::string>;
using Cells = std::vector<std::string>;
using Table = std::map<std::string, Cells>;  // by the name of the operand or parameter

// What an author adds to a generated cell follows this.
constexpr std::string_view kRemark = "; ";

std::string join(const Lines& parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) text += cat(text.empty() ? "" : separator, part);
  return text;
}

Lines split(std::string_view text, std::string_view separator) {
  Lines parts;
  for (size_t from = 0; from <= text.size();) {
    const size_t to = std::min(text.find(separator, from), text.size());
    parts.emplace_back(text.substr(from, to - from));
    from = to + separator.size();
  }
  return parts;
}

std::string trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

std::string with_remark(const std::string& generated, const std::string& written) {
  const size_t remark = written.find(kRemark);
  return remark == std::string::npos ? generated : generated + written.substr(remark);
}

// By the sets of R1 where it can, "float, index, BOOL".
std::string dtypes(nnrt::DTypeSet left, bool quantized_only = false) {
  struct NamedSet {
    std::string_view name;
    nnrt::DTypeSet dtypes;
  };
  constexpr std::array kSets = {NamedSet{"any", nnrt::kAny}, NamedSet{"real", nnrt::kReal},
                                NamedSet{"num", nnrt::kNum}, NamedSet{"float", nnrt::kFloat},
                                NamedSet{"index", nnrt::kIndex}};
  const auto each = [](nnrt::DTypeSet dtypes, const auto& take) {
    for (int i = 1; i < nnrt::kDTypeCount; ++i)
      if (dtypes.contains(nnrt::DType(i))) take(nnrt::DType(i));
  };
  const auto drop = [&](nnrt::DTypeSet dropped) {
    nnrt::DTypeSet rest;
    each(left, [&](nnrt::DType dtype) {
      if (!dropped.contains(dtype)) rest = rest | dtype;
    });
    left = rest;
  };
  Lines parts;
  if (quantized_only) drop(nnrt::DType::i8);
  for (const NamedSet& named : kSets) {
    if ((left | named.dtypes) != left) continue;
    parts.emplace_back(named.name);
    drop(named.dtypes);
  }
  if (quantized_only) parts.emplace_back("quantized INT8");
  each(left, [&](nnrt::DType dtype) { parts.emplace_back(name(dtype)); });
  return join(parts, ", ");
}

std::string kind(const nnrt::InputRow& row) {
  Lines parts;
  if (row.many) parts.emplace_back("2 or more");
  if (row.value) parts.emplace_back("value");
  if (row.constant) parts.emplace_back("constant");
  if (row.optional) parts.emplace_back("optional");
  return join(parts, ", ");
}

std::string count(nnrt::Count count) {
  if (count.max == nnrt::kManyElements) return cat(count.min, " or more");
  if (count.max == count.min) return cat(count.min);
  return cat(count.min, count.max == count.min + 1 ? " or " : " to ", count.max);
}

std::string default_value(const nnrt::ParamRow& row) {
  if (row.required) return "required";
  if (row.default_value.empty()) return "absent";
  if (row.dtypes == nnrt::DType::boolean) return row.default_value[0] != 0 ? "true" : "false";
  Lines values;
  for (const double value : row.default_value) values.push_back(cat(value));
  return values.size() == 1 ? values[0] : cat("[", join(values, ", "), "]");
}

std::string dtypes(const nnrt::OpSchema& row, const nnrt::OutputRow& output) {
  switch (output.rule) {
    case nnrt::DTypeRule::same_as: return cat("as ", row.inputs[size_t(output.same_as)].name);
    case nnrt::DTypeRule::promoted: return "promoted";
    default: return dtypes(output.dtypes);
  }
}

// "ADD = 1, since API 9"
std::string since(int number, int level) {
  constexpr int kExtensions = 1000;
  return cat(" = ", number, ", ",
             number < kExtensions ? cat("since API ", level) : "an operator of this runtime");
}

std::string head(const nnrt::OpSchema& row, const std::string& written) {
  const std::pair<std::string, bool> traits[]{{"quantized (R12)", row.quantized},
                                              {"copy (R11)", row.copy},
                                              {"layout-dependent (R16)", row.layout_dependent}};
  Lines parts{cat(name(row.op), since(int(row.op), row.since()))};
  for (const auto& [trait, has] : traits)
    if (has) parts.push_back(trait);
  for (const std::string& remark : split(written.substr(0, written.find_last_not_of(". ") + 1), kRemark)) {
    const bool is_generated =
        remark.empty() || remark.starts_with("OH_NN_OPS_") ||
        std::ranges::find(traits, remark, &std::pair<std::string, bool>::first) != std::end(traits);
    if (!is_generated) parts.push_back(remark);
  }
  return join(parts, kRemark) + ".";
}

class Section {
 public:
  Section(const nnrt::OpSchema& row, Lines lines) : row_(row) {
    Table* table = nullptr;
    for (const std::string& line : lines) {
      if (line.starts_with('|')) {
        read_row(line, table);
      } else {
        table = nullptr;
        read_prose(line);
      }
    }
  }

  std::string text() const {
    std::string text = cat("## ", row_.name, "\n\n", head(row_, head_), "\n\n", prose(before_));
    text += inputs() + parameters() + outputs();
    return text + prose(after_);
  }

 private:
  void read_row(const std::string& line, Table*& table) {
    Cells cells;
    for (const std::string& cell : split(line, "|")) cells.push_back(trimmed(cell));
    cells.erase(cells.begin());
    if (table == nullptr) {
      table = &tables_[cells[0]];
      return;
    }
    const std::string& first = cells[0];
    (*table)[first.substr(0, first.find_first_of(" ,"))] = cells;
  }

  void read_prose(const std::string& line) {
    const bool continues = !head_.empty() && !has_head_;
    if (line.starts_with("OH_NN_OPS_") || (continues && !line.empty())) {
      head_ += cat(head_.empty() ? "" : " ", line);
      return;
    }
    has_head_ = !head_.empty();
    (tables_.empty() && !line.starts_with("- ") && after_.empty() ? before_ : after_).push_back(line);
  }

  // Without empty lines at the ends, and one behind.
  static std::string prose(Lines lines) {
    const auto is_empty = [](const std::string& line) { return line.empty(); };
    lines.erase(lines.begin(), std::ranges::find_if_not(lines, is_empty));
    while (!lines.empty() && lines.back().empty()) lines.pop_back();
    return lines.empty() ? std::string() : join(lines, "\n") + "\n\n";
  }

  Cells written(const char* table, std::string_view row) const {
    const auto found = tables_.find(table);
    if (found == tables_.end()) return Cells(6);
    const auto cells = found->second.find(std::string(row));
    return cells == found->second.end() ? Cells(6) : cells->second;
  }

  static void fill(std::string& cell, const char* text) {
    if (cell.empty()) cell = text;
  }

  std::string inputs() const {
    std::string text = "| input | dtypes | shape | kind |\n| --- | --- | --- | --- |\n";
    for (const nnrt::InputRow& input : row_.inputs) {
      Cells cells = written("input", input.name);
      if (row_.infer == nnrt::same_shape) fill(cells[2], "any rank");
      const std::string generated = input.same_as == nnrt::kNone
                                        ? dtypes(input.dtypes, input.quantized_only)
                                        : cat("as ", row_.inputs[size_t(input.same_as)].name);
      text += cat("| ", input.name, " | ", with_remark(generated, cells[1]), " | ", cells[2], " | ",
                  with_remark(kind(input), cells[3]), " |\n");
    }
    return text + "\n";
  }

  std::string parameters() const {
    if (row_.params.empty()) return {};
    std::string text = "| parameter | dtype | count | default | values |\n| --- | --- | --- | --- | --- |\n";
    for (const nnrt::ParamRow& param : row_.params) {
      const Cells cells = written("parameter", param.type_name());
      text +=
          cat("| ", param.type_name(), " = ", param.type(),
              param.is_extension() || param.since() == row_.since() ? "" : cat(", since API ", param.since()),
              " | ", with_remark(dtypes(param.dtypes), cells[1]), " | ",
              with_remark(count(param.count), cells[2]), " | ", with_remark(default_value(param), cells[3]),
              " | ", cells[4], " |\n");
    }
    return text + "\n";
  }

  std::string outputs() const {
    std::string text = "| output | dtype | shape |\n| --- | --- | --- |\n";
    for (const nnrt::OutputRow& output : row_.outputs) {
      Cells cells = written("output", output.name);
      if (row_.infer == nnrt::same_shape) fill(cells[2], "as input");
      text += cat("| ", output.name, output.many ? ", 1 or more" : "", " | ",
                  with_remark(dtypes(row_, output), cells[1]), " | ", cells[2], " |\n");
    }
    return text + "\n";
  }

  const nnrt::OpSchema& row_;
  std::string head_;
  bool has_head_ = false;
  Lines before_, after_;  // the tables
  std::map<std::string, Table> tables_;
};

const nnrt::OpSchema& operator_of(std::string_view title) {
  for (const nnrt::OpSchema& row : nnrt::all_schemas()) {
    if (row.name == title) return row;
  }
  throw std::runtime_error(cat("There is no operator ", title, "."));
}

struct Page {
  Lines before;  // its sections
  std::vector<Section> sections;
  std::string title, list;  // "[SIN](unary.md#sin), ..."
};

Page read_page(const std::filesystem::path& path) {
  Page page;
  std::string operator_name;
  Lines lines;
  const auto end_section = [&] {
    if (operator_name.empty()) {
      page.before = lines;
    } else {
      page.sections.emplace_back(operator_of(operator_name), lines);
    }
    lines.clear();
  };
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("# ")) page.title = line.substr(2);
    if (!line.starts_with("## ")) {
      lines.push_back(line);
      continue;
    }
    end_section();
    operator_name = line.substr(3);
    std::string anchor = operator_name;
    std::ranges::transform(anchor, anchor.begin(), [](char c) { return char(std::tolower(c)); });
    page.list += cat(page.list.empty() ? "" : ", ", "[", operator_name, "](", path.filename().string(), "#",
                     anchor, ")");
  }
  end_section();
  return page;
}

// The rows of the list of pages, "| [Unary operators](unary.md) | ... |", with all sections.
void list_sections(Lines& lines, const std::map<std::string, Page>& pages) {
  for (std::string& line : lines) {
    for (const auto& [file, page] : pages) {
      const std::string start = cat("| [", page.title, "](", file, ") |");
      if (line.starts_with(start)) line = cat(start, " ", page.list, " |");
    }
  }
}

void write(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::map<std::string, Page> pages;
  for (const auto& entry : std::filesystem::directory_iterator(from)) {
    pages[entry.path().filename()] = read_page(entry.path());
  }
  list_sections(pages.at("README.md").before, pages);
  size_t sections = 0;
  std::filesystem::create_directories(to);
  for (const auto& [name, page] : pages) {
    std::string text = join(page.before, "\n") + "\n";
    for (const Section& section : page.sections) text += section.text();
    text.erase(text.find_last_not_of('\n') + 2);
    if (!(std::ofstream(to / name) << text)) throw std::runtime_error(cat(name, " cannot be written."));
    sections += page.sections.size();
  }
  if (sections != nnrt::all_schemas().size()) {
    throw std::runtime_error(
        cat("There are ", sections, " sections for ", nnrt::all_schemas().size(), " operators."));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: operator_tables FROM TO\n");
    return 2;
  }
  try {
    write(argv[1], argv[2]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "operator_tables: %s\n", error.what());
    return 1;
  }
}
