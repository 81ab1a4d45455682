#include "tools/nnrt/generate/split_pattern.h"

#include "core/base/text.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>

namespace nnrt::tool {
namespace {

std::string message_of(int code) {
  std::array<PCRE2_UCHAR, 160> text{};
  pcre2_get_error_message(code, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

using Match = std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)>;

}  // namespace

Result<SplitPattern> SplitPattern::compile(const std::string& pattern) {
  int code = 0;
  PCRE2_SIZE offset = 0;
  pcre2_code* made = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                                   PCRE2_UTF | PCRE2_UCP, &code, &offset, nullptr);
  if (made == nullptr) {
    return Error{Code::invalid_file,
                 cat("The tokenizer's pattern is invalid at ", offset, ": ", message_of(code), ".")};
  }
  return SplitPattern(std::shared_ptr<void>(
      made, [](void* compiled) { pcre2_code_free(static_cast<pcre2_code*>(compiled)); }));
}

Result<std::vector<std::string>> SplitPattern::split(std::string_view text) const {
  const auto* code = static_cast<const pcre2_code*>(code_.get());
  const Match match(pcre2_match_data_create_from_pattern(code, nullptr), pcre2_match_data_free);
  if (!match) return Error{Code::memory, "There is no memory for the tokenizer's pattern."};
  std::vector<std::string> words;
  size_t from = 0;
  while (from < text.size()) {
    const int found = pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), from,
                                  PCRE2_NOTEMPTY, match.get(), nullptr);
    if (found == PCRE2_ERROR_NOMATCH) break;
    if (found < 0)
      return Error{Code::invalid_parameter, "The text cannot be split: " + message_of(found) + "."};
    const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(match.get());
    if (ends[0] > from) words.emplace_back(text.substr(from, ends[0] - from));
    words.emplace_back(text.substr(ends[0], ends[1] - ends[0]));
    from = ends[1];
  }
  if (from < text.size()) words.emplace_back(text.substr(from));
  return words;
}

}  // namespace nnrt::tool
