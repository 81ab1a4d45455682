#include "tools/nnrt/data/sample_classes.h"

#include "core/base/text.h"
#include "tools/nnrt/data/labels.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace nnrt::tool {
namespace {

std::optional<size_t> number_of(const std::string& text) {
  size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

constexpr const char* kBlanks = " \t,";

// Reads lines of "name class". Both may contain blanks: the name is the longest of a sample. Lines of other
// files are skipped.
Result<std::map<std::string, std::string>> read_list(std::span<const Sample> samples,
                                                     const std::filesystem::path& path) {
  NNRT_ASSIGN(const std::vector<std::string> lines, read_labels(path));
  std::set<std::string_view> names;
  for (const Sample& sample : samples) names.insert(sample.name);
  std::map<std::string, std::string> classes;
  for (const std::string& line : lines) {
    const size_t size = line.find_last_not_of(kBlanks) + 1;
    if (size == 0) continue;
    size_t end = line.find_last_of(kBlanks, size - 1);
    if (end == std::string::npos)
      return invalid("Line (", line, ") of ", path.string(), " is not of the form NAME CLASS.");
    while (end != std::string::npos && !names.contains(std::string_view(line).substr(0, end)))
      end = end == 0 ? std::string::npos : line.find_last_of(kBlanks, end - 1);
    if (end == std::string::npos) continue;
    const size_t begin = line.find_first_not_of(kBlanks, end);
    classes[line.substr(0, end)] = line.substr(begin, size - begin);
  }
  return classes;
}

Result<std::vector<std::string>> names_in_list(std::span<const Sample> samples,
                                               const std::filesystem::path& list) {
  NNRT_ASSIGN(const auto listed, read_list(samples, list));
  std::vector<std::string> names;
  for (const Sample& sample : samples) {
    const auto found = listed.find(sample.name);
    if (found == listed.end())
      return invalid("Sample (", sample.name, ") has no line in ", list.string(), ".");
    names.push_back(found->second);
  }
  return names;
}

Result<std::vector<std::string>> names_of_folders(std::span<const Sample> samples) {
  std::vector<std::string> names;
  for (const Sample& sample : samples) {
    const size_t end = sample.name.find('/');
    if (end == std::string::npos) {
      return invalid("Sample (", sample.name, ") is not in a class folder, and --truth was not given.");
    }
    names.push_back(sample.name.substr(0, end));
  }
  return names;
}

}  // namespace

Result<SampleClasses> classes_of(std::span<const Sample> samples, const std::filesystem::path& list,
                                 std::span<const std::string> labels) {
  NNRT_ASSIGN(const std::vector<std::string> names,
              list.empty() ? names_of_folders(samples) : names_in_list(samples, list));
  const std::set<std::string> sorted(names.begin(), names.end());
  const bool are_numbers =
      std::ranges::all_of(sorted, [](const std::string& name) { return number_of(name).has_value(); });
  SampleClasses classes;
  for (const std::string& name : names) {
    const auto label = std::ranges::find(labels, name);
    if (label != labels.end()) {
      classes.numbers.push_back(static_cast<size_t>(label - labels.begin()));
    } else if (const auto number = number_of(name); number && (are_numbers || !labels.empty())) {
      classes.numbers.push_back(*number);
    } else if (labels.empty() && list.empty()) {
      classes.numbers.push_back(static_cast<size_t>(std::distance(sorted.begin(), sorted.find(name))));
      classes.counted_folders = sorted.size();
    } else {
      return invalid("Class (", name, ") is neither a number nor one of the labels.");
    }
  }
  return classes;
}

}  // namespace nnrt::tool
