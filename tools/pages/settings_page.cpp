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
         "Words in capitals are placeholders: numbers count from 1, paths contain a `/`. An unknown `NNRT_` "
         "variable, an\ninvalid value and an unknown extension config `nnrt.` are logged once per process, "
         "with the "
         "list "
         "of allowed ones. An\nempty variable counts as unset, except that an empty `NNRT_DEVICES` offers no "
         "device.\n\n"
         "Privileged programs (setuid, setgid, file capabilities) ignore all variables and use the "
         "defaults.\n";
  write_section(out, SettingKind::user, "Environment variables",
                "Read by every program that uses the runtime, including `nnrt`.");
  write_section(
      out, SettingKind::extension, "Extension configs",
      "Set for one compilation with `OH_NNCompilation_AddExtensionConfig`, as text. They override the "
      "variables.\nOther names are for drivers: OpenHarmony's that MindSpore Lite passes on have no effect "
      "here.");
  write_section(out, SettingKind::foreign, "Other variables",
                "Standard variables that the runtime reads as well.");
  write_section(out, SettingKind::test, "Environment variables for tests",
                "For debugging and comparisons; applications do not need them.");
  write_section(out, SettingKind::test_run, "Variables of the test programs",
                "Read only by the programs in `tests/`. CTest may lower the defaults.");
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
