// Splits text into the words within which a tokenizer merges.
#pragma once

#include "core/base/result.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt::tool {

class SplitPattern {
 public:
  // A regular expression from tokenizer.json: UTF-8, with \p{L} and lookahead.
  static Result<SplitPattern> compile(const std::string& pattern);

  // Returns the matches and the text between them, in order. Fails for invalid UTF-8.
  Result<std::vector<std::string>> split(std::string_view text) const;

 private:
  explicit SplitPattern(std::shared_ptr<void> code) : code_(std::move(code)) {}

  std::shared_ptr<void> code_;
};

}  // namespace nnrt::tool
