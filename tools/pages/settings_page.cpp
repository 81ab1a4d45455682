// Generates the settings page from the settings table: settings_page FILE.
#include "core/base/text.h"
#include "core/platform/settings.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

namespace {

using nnrt::cat;
using nnrt::SettingKind;
using nnrt::SettingRow;

std::string values_of(const SettingRow& row) {
  std::string text;
  for (const std::string& word : nnrt::list_entries(row.words, ' '))
    text += cat(text.empty() ? "" : ", ", '`', word, '`');
  if (row.separator == 0) return text;
  return cat(text, ", several with `", row.separator, "` between them");
}

// A default from the list of words is formatted as code; other text is part of a sentence.
std::string default_of(const SettingRow& row) {
  const auto words = nnrt::list_entries(row.words, ' ');
  const bool is_word = std::ranges::find(words, row.default_value) != words.end();
  return is_word ? cat('`', row.default_value, '`') : std::string(row.default_value);
}

void write_section(std::ostream& out, SettingKind kind, const char* title, const char* introduction) {
  out << cat("\n## ", title, "\n\n", introduction,
             "\n\n| name | values | default | meaning |\n| --- | --- | --- | --- |\n");
  for (const SettingRow& row : nnrt::all_settings()) {
    if (row.kind == kind)
      out << cat("| `", row.name, "` | ", values_of(row), " | ", default_of(row), " | ", row.meaning, " |\n");
  }
}

void write_page(std::ostream& out) {
  out << "# Settings\n\n"
         "Written by `cmake --build build --target write_settings_page` from the table in "
         "`core/platform/settings.cpp`.\n\n"
         "Words in capitals stand for what you choose: a number counts from 1, a path has a `/`. A name with "
         "`NNRT_` that is\nnone of these, a value that is not allowed and an unknown extension config are "
         "warned of once in a process, with a list\nof what is allowed. An empty variable is one that is not "
         "set, except that an empty `NNRT_DEVICES` offers no device.\n\n"
         "A program with rights that whoever starts it does not have (setuid, setgid, file capabilities) "
         "obeys "
         "none of the\nvariables: all have their defaults.\n";
  write_section(out, SettingKind::user, "Environment variables",
                "They are read by every program that uses the "
                "runtime, and by `nnrt`.");
  write_section(
      out, SettingKind::extension, "Extension configs",
      "`OH_NNCompilation_AddExtensionConfig` takes them for one compilation, as text. They count more "
      "than the\nvariables. A driver of a plugin may know further names.");
  write_section(out, SettingKind::foreign, "Variables of others", "The runtime obeys these as well.");
  write_section(out, SettingKind::test, "Environment variables for tests",
                "They help to find a fault, or to compare; no application needs them.");
  write_section(out, SettingKind::test_run, "Variables of the test programs",
                "Only the programs in `tests/` read these; the default may be less in a test of CTest.");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: settings_page FILE\n");
    return 2;
  }
  std::ofstream out(argv[1]);
  write_page(out);
  return out.flush() ? 0 : 1;
}
