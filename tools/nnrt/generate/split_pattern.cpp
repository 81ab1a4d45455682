#include "tools/nnrt/generate/split_pattern.h"

#include "core/base/text.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>
#include <cctype>

namespace nnrt::tool {
namespace {

std::string message_of(int code) {
  std::array<PCRE2_UCHAR, 160> text{};
  pcre2_get_error_message(code, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

using Match = std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)>;

// A pattern of Oniguruma's syntax in PCRE2's. Fails for what differs and has no short translation.
Result<std::string> in_pcre2(std::string_view pattern) {
  const auto refused = [](std::string_view part) {
    return Error{Code::unsupported, cat("A tokenizer with (", part, ") in a pattern is not supported.")};
  };
  static constexpr std::string_view kSameEscapes = "pPsSdDnrtfx";
  const auto refuses = [](std::string_view two, bool in_class) {
    if (two.size() < 2) return false;
    if (two[0] == '\\')
      return std::isalnum(static_cast<unsigned char>(two[1])) != 0 &&
             kSameEscapes.find(two[1]) == std::string_view::npos;
    if (in_class) return two == "&&" || two == "[^" || two == "[:";
    return two == "[]" || two == "}+" || two == "{,";
  };
  std::string made;
  int depth = 0;  // of brackets
  for (size_t i = 0; i < pattern.size(); ++i) {
    const std::string_view two = pattern.substr(i, 2);
    if (refuses(two, depth > 0)) return refused(two);
    if (two[0] == '\\') {
      const bool is_property = two == "\\p" || two == "\\P";
      const size_t end = is_property ? pattern.find('}', i) : i + 1;
      made += pattern.substr(i, end - i + 1);
      if (end == std::string_view::npos) break;
      i = end;
      continue;
    }
    // Brackets within brackets are a union.
    const bool is_inner = two[0] == '[' ? depth++ > 0 : two[0] == ']' && depth > 0 && --depth > 0;
    if (!is_inner) made += two[0];
  }
  return made;
}

}  // namespace

Result<SplitPattern> SplitPattern::compile_oniguruma(std::string_view pattern) {
  NNRT_ASSIGN(const std::string translated, in_pcre2(pattern));
  return compile(translated);
}

Result<SplitPattern> SplitPattern::compile(const std::string& pattern) {
  int code = 0;
  PCRE2_SIZE offset = 0;
  pcre2_code* made = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                                   PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE, &code, &offset, nullptr);
  if (made == nullptr) {
    return Error{Code::invalid_file,
                 cat("The tokenizer's pattern is invalid at ", offset, ": ", message_of(code), ".")};
  }
  return SplitPattern(std::shared_ptr<void>(
      made, [](void* compiled) { pcre2_code_free(static_cast<pcre2_code*>(compiled)); }));
}

std::string SplitPattern::literal(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    const bool is_plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
    if (!is_plain) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

Result<std::vector<SplitPattern::Part>> SplitPattern::parts(std::string_view text) const {
  const auto* code = static_cast<const pcre2_code*>(code_.get());
  const Match match(pcre2_match_data_create_from_pattern(code, nullptr), pcre2_match_data_free);
  if (!match) return Error{Code::memory, "Out of memory for the tokenizer's pattern."};
  std::vector<Part> parts;
  size_t from = 0;
  while (from < text.size()) {
    const int found = pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), from,
                                  PCRE2_NOTEMPTY, match.get(), nullptr);
    if (found == PCRE2_ERROR_NOMATCH) break;
    if (found < 0)
      return Error{Code::invalid_parameter, "The text cannot be split: " + message_of(found) + "."};
    const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(match.get());
    if (ends[0] > from) parts.push_back({std::string(text.substr(from, ends[0] - from)), false});
    parts.push_back({std::string(text.substr(ends[0], ends[1] - ends[0])), true});
    from = ends[1];
  }
  if (from < text.size()) parts.push_back({std::string(text.substr(from)), false});
  return parts;
}

Result<std::vector<std::string>> SplitPattern::split(std::string_view text, Behavior behavior,
                                                     bool inverted) const {
  NNRT_ASSIGN(const std::vector<Part> found, parts(text));
  std::vector<std::string> words;
  bool was_match = false;
  for (const Part& part : found) {
    const bool is_match = part.is_match != inverted;
    const bool joins = (behavior == Behavior::merged_with_previous && is_match && !was_match) ||
                       (behavior == Behavior::merged_with_next && !is_match && was_match) ||
                       (behavior == Behavior::contiguous && is_match == was_match);
    was_match = is_match;
    if (is_match && behavior == Behavior::removed) {
      // Keeps the next word from being the first.
      if (words.empty()) words.emplace_back();
    } else if (joins && !words.empty()) {
      words.back() += part.text;
    } else {
      words.push_back(part.text);
    }
  }
  return words;
}

Result<std::string> SplitPattern::replace(std::string_view text, std::string_view content) const {
  NNRT_ASSIGN(const std::vector<Part> found, parts(text));
  std::string replaced;
  for (const Part& part : found) replaced += part.is_match ? content : part.text;
  return replaced;
}

}  // namespace nnrt::tool
