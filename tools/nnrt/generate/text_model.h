// Text from a language model: tokenizer, decoder and sampler together.
#pragma once

#include "tools/nnrt/base/clock.h"
#include "tools/nnrt/generate/decoder.h"
#include "tools/nnrt/generate/sampler.h"
#include "tools/nnrt/generate/stop_text.h"
#include "tools/nnrt/generate/tokenizer.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace nnrt::tool {

struct GenerationOptions {
  uint32_t tokens = 200;  // at most
  std::vector<std::string> stops;
  std::vector<int64_t> ends;  // tokens that end the text and are not part of it
  Sampling sampling;
};

// Milliseconds.
struct GenerationTimes {
  double prompt = 0, first_token = 0, decode = 0;
  uint32_t steps = 0;
  size_t prompt_tokens = 0;  // read, without those that the state had from an earlier text
};

class TextModel {
 public:
  // `prefill` may be null. Both must outlive the text model. Texts have at most this number of tokens, unless
  // it is 0.
  static Result<TextModel> create(std::shared_ptr<const Tokenizer> tokenizer, const Executable& decoder,
                                  const Executable* prefill, int64_t positions);

  // Begins a text: reads the prompt. What an earlier text left in the state is used as far as this prompt
  // begins with it.
  Status start(const Tokens& prompt, const GenerationOptions& options);
  // The next piece of the text, which may be empty; nothing at the end.
  Result<std::optional<std::string>> next();
  // What next() held back, for a text that its reader ends.
  std::string finish() { return stop_.finish(); }

  uint32_t tokens() const { return count_; }
  // The tokens of the prompt and of the text so far.
  Tokens all_tokens() const;
  const char* end() const { return end_; }  // why the text ended: tokens, full, stop or token
  const GenerationTimes& times() const { return times_; }

 private:
  TextModel(std::shared_ptr<const Tokenizer> tokenizer, Decoder decoder, const Executable* prefill)
      : tokenizer_(std::move(tokenizer)), decoder_(std::move(decoder)), prefill_(prefill) {}

  Status check_prompt(const Tokens& prompt) const;
  Status read(const Tokens& prompt);
  Status read_at_once(const Tokens& prompt);
  std::optional<std::string> ended(const char* why, std::string last);

  std::shared_ptr<const Tokenizer> tokenizer_;
  Decoder decoder_;
  const Executable* prefill_;
  GenerationOptions options_;
  Sampler sampler_{{}};
  StopText stop_{{}};
  Tokens read_;  // by the decoder
  std::vector<float> logits_;
  std::optional<int64_t> chosen_;  // not read yet
  uint32_t count_ = 0;
  const char* end_ = nullptr;
  GenerationTimes times_;
  Stopwatch since_start_, since_first_;
};

}  // namespace nnrt::tool
