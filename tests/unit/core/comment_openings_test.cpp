// Comments begin with sentences, or with noun phrases that stand by themselves. "How many rows it has.", "of
// the whole file" and "where it begins" are half sentences; "Returns how many rows it has.", "bytes of the
// whole file" and "the beginning" stand by themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt {
namespace {

namespace fs = std::filesystem;

enum class Language { cpp, python, script };  // scripts: CMake, shells and YAML

// Words that only half a sentence begins with, on lines of its own or behind code.
constexpr std::array<std::string_view, 10> kFragments{"how",     "of",    "those", "what",  "where",
                                                      "whether", "which", "who",   "whose", "why"};
constexpr std::array<std::string_view, 10> kFragmentsBehindCode{"how",     "of",    "that", "what",  "where",
                                                                "whether", "which", "who",  "whose", "why"};
constexpr std::string_view kMarks = "/*#!<:\" \t";

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Returns the first word of a comment behind its marks, in lower case; none if that is the beginning
// of an identifier or a call. A preposition before "which", "what" or "how" is passed over.
std::string first_word(std::string_view comment) {
  constexpr std::array<std::string_view, 9> kPrepositions{"at", "behind", "by", "for", "from",
                                                          "in", "on",     "to", "with"};
  comment.remove_prefix(std::min(comment.find_first_not_of(kMarks), comment.size()));
  std::string word;
  while (word.size() < comment.size() && is_letter(comment[word.size()]))
    word += char(std::tolower(static_cast<unsigned char>(comment[word.size()])));
  const std::string_view rest = comment.substr(word.size());
  if (rest.starts_with('(') || rest.starts_with('_')) return {};
  if (std::ranges::find(kPrepositions, word) == kPrepositions.end()) return word;
  for (const std::string_view next : {"how", "what", "which"})
    if (rest.substr(0, 1) == " " && rest.substr(1).starts_with(next)) return std::string(next);
  return word;
}

// Returns whether a string or a character is open at the end of the text. In 1'000 there is no character.
bool ends_in_quotes(std::string_view text) {
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
    } else if (c == '"' ||
               (c == '\'' && (i == 0 || !std::isalnum(static_cast<unsigned char>(text[i - 1]))))) {
      quote = c;
    }
  }
  return quote != 0;
}

// Returns where the first comment of a line begins, or npos.
size_t comment_in(std::string_view line, Language language) {
  const char mark = language == Language::cpp ? '/' : '#';
  for (size_t i = line.find(mark); i != line.npos; i = line.find(mark, i + 1)) {
    const bool begins = language == Language::cpp ? line.substr(i, 2) == "//" || line.substr(i, 2) == "/*"
                                                  : i == 0 || is_blank(line[i - 1]);
    if (begins && !ends_in_quotes(line.substr(0, i))) return i;
  }
  return line.npos;
}

using Findings = std::vector<std::string>;  // "12: how" for line 12

// Finds the half sentences that comments and docstrings begin with. Questions are whole.
class Scan {
 public:
  explicit Scan(Language language) : language_(language) {}

  Findings take(const std::string& text) {
    for (size_t next = 0; next < text.size();) {
      const size_t end = std::min(text.find('\n', next), text.size());
      const std::string_view line = std::string_view(text).substr(next, end - next);
      next = end + 1;
      ++number_;
      const size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
      if (in_block_)
        take_block(line, begin);
      else
        take_line(line, begin);
    }
    return found_;
  }

 private:
  // Paragraphs begin behind "/**" and behind empty lines.
  void take_block(std::string_view line, size_t begin) {
    in_block_ = line.find("*/") == line.npos;
    if (!goes_on_) check(line.substr(begin), kFragments);
    goes_on_ = in_block_ && line.find_first_not_of(kMarks) != line.npos;
  }

  void take_line(std::string_view line, size_t begin) {
    if (language_ == Language::python &&
        (line.substr(begin, 3) == "\"\"\"" || line.substr(begin, 4) == "r\"\"\""))
      check(line.substr(line.find('"')), kFragments);
    const size_t column = comment_in(line, language_);
    const bool is_comment = column != line.npos, is_alone = column == begin;
    const std::string_view comment = line.substr(std::min(column, line.size()));
    // A comment behind code goes on in lines that begin below it.
    if (is_comment && (!is_alone || column != column_))
      check(comment, is_alone ? kFragments : kFragmentsBehindCode);
    in_block_ = comment.starts_with("/*") && comment.find("*/", 2) == comment.npos;
    goes_on_ = in_block_ && comment.find_first_not_of(kMarks) != comment.npos;
    column_ = is_comment && !in_block_ && !line.starts_with("#!") ? std::optional(column) : std::nullopt;
  }

  void check(std::string_view comment, const std::array<std::string_view, 10>& words) {
    const std::string word = first_word(comment);
    if (std::ranges::find(words, word) == words.end() || comment.find('?') != comment.npos) return;
    found_.push_back(std::to_string(number_) + ": " + word);
  }

  const Language language_;
  size_t number_ = 0;
  bool in_block_ = false, goes_on_ = false;  // goes_on_: so does the paragraph of the block
  std::optional<size_t> column_;             // the comment's on the line before
  Findings found_;
};

Findings fragments_in(const std::string& text, Language language) { return Scan(language).take(text); }

std::optional<Language> language_of(const fs::path& path) {
  const std::string type = path.extension().string(), name = path.filename().string();
  if (type == ".h" || type == ".cpp" || type == ".c" || type == ".comp" || type == ".glsl" || type == ".js")
    return Language::cpp;
  if (type == ".py") return Language::python;
  if (type == ".cmake" || type == ".sh" || type == ".yml" || name == "CMakeLists.txt" || name == "dev" ||
      name == "run" || name == "nnrt-conformance")
    return Language::script;
  return std::nullopt;
}

size_t expect_whole(const fs::path& path, const fs::path& root) {
  const auto language = language_of(path);
  if (!language) return 0;
  std::string text(fs::file_size(path), 0);
  std::ifstream(path, std::ios::binary).read(text.data(), std::streamsize(text.size()));
  for (const std::string& found : fragments_in(text, *language))
    ADD_FAILURE() << fs::relative(path, root).string() << ":" << found
                  << " begins half a sentence; write \"Returns ...\", or a noun that stands by itself";
  return 1;
}

TEST(VocabularyOfComments, OpensWithWholeSentences) {
  const fs::path root(NNRT_SOURCE_DIR);
  size_t files = 0;
  for (const char* folder : {"api", "backends", "bench", "cmake", "core", "examples", "nnapi", "python",
                             "shaders", "tests", "tools"}) {
    for (fs::recursive_directory_iterator it(root / folder), end; it != end; ++it) {
      // Runners are kept as they came.
      if (it->path() == root / "tests/conformance/runner" || it->path() == root / "tests/nnapi/runner")
        it.disable_recursion_pending();
      else if (it->is_regular_file())
        files += expect_whole(it->path(), root);
    }
  }
  for (const char* file : {"CMakeLists.txt", "dev", ".ci/run", ".github/workflows/ci.yml"})
    if (fs::exists(root / file)) files += expect_whole(root / file, root);
  EXPECT_GT(files, 1000u);
}

TEST(VocabularyOfComments, FindsPlantedFragmentsOnTheirOwnLines) {
  EXPECT_EQ(fragments_in("// What a device reports.\n"
                         "int a;\n"
                         "// What does it cost? Much.\n"
                         "int b;\n"
                         "// The size of b.\n"
                         "// Of course it goes on.\n"
                         "int c;\n"
                         "  // Whether c is known.\n"
                         "/** How many. */\n"
                         "const char* text = \"// Why\";\n"
                         "// where(x < 0, 0, x).\n"
                         "int d;\n"
                         "// In which order.\n",
                         Language::cpp),
            (Findings{"1: what", "8: whether", "9: how", "13: which"}));
}

TEST(VocabularyOfComments, FindsPlantedFragmentsInBlocks) {
  EXPECT_EQ(fragments_in("/**\n"
                         " * How fast it is.\n"
                         " * Of course it goes on.\n"
                         " *\n"
                         " * Which of them.\n"
                         " */\n"
                         "int a;\n"
                         "/* MY_NUMBER, two\n"
                         " * of them. */\n",
                         Language::cpp),
            (Findings{"2: how", "5: which"}));
}

TEST(VocabularyOfComments, FindsPlantedFragmentsBehindCode) {
  EXPECT_EQ(fragments_in("int a = 1'000;  // of the whole\n"
                         "int b;  // those of a\n"
                         "char c = '\"';  // where it begins\n"
                         "int d;  // bytes\n"
                         "        // of the whole\n"
                         "f(\"// which\");  /* Why not. */\n"
                         "int e;  // what is it?\n"
                         "int f;  // why_not is empty\n",
                         Language::cpp),
            (Findings{"1: of", "3: where", "6: why"}));
}

TEST(VocabularyOfComments, FindsPlantedFragmentsInScriptsAndDocstrings) {
  const std::string text =
      "#!/bin/sh\n"
      "# What it runs.\n"
      "a = '# of'  # of a\n"
      "# The rest,\n"
      "# which goes on.\n"
      "def f():\n"
      "    \"\"\"Where it is.\"\"\"\n"
      "    \"\"\"What is it?\"\"\"\n"
      "    r\"\"\"How it is.\"\"\"\n";
  EXPECT_EQ(fragments_in(text, Language::script), (Findings{"2: what", "3: of"}));
  EXPECT_EQ(fragments_in(text, Language::python), (Findings{"2: what", "3: of", "7: where", "9: how"}));
}

}  // namespace
}  // namespace nnrt
