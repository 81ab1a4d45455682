// A pattern of tokenizer.json, which splits text or is replaced in it.
#pragma once

#include "core/base/result.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt::tool {

class SplitPattern {
 public:
  // What becomes of a match.
  enum class Behavior : uint8_t { removed, isolated, merged_with_previous, merged_with_next, contiguous };

  // A regular expression of PCRE2, and one of a tokenizer.json, which are Oniguruma's.
  static Result<SplitPattern> compile(const std::string& pattern);
  static Result<SplitPattern> compile_oniguruma(std::string_view pattern);
  // An expression that matches this text.
  static std::string literal(std::string_view text);

  // The text in parts, in order; an empty part stands for one removed at the beginning. If inverted, what
  // lies between the matches is taken for them. Fails for invalid UTF-8.
  Result<std::vector<std::string>> split(std::string_view text, Behavior behavior = Behavior::isolated,
                                         bool inverted = false) const;
  // The text with `content` in place of the matches.
  Result<std::string> replace(std::string_view text, std::string_view content) const;

 private:
  struct Part {
    std::string text;
    bool is_match = false;
  };

  explicit SplitPattern(std::shared_ptr<void> code) : code_(std::move(code)) {}
  Result<std::vector<Part>> parts(std::string_view text) const;

  std::shared_ptr<void> code_;
};

}  // namespace nnrt::tool
