#include "tools/nnrt/generate/text_model.h"

#include "core/base/counted.h"

#include <algorithm>

namespace nnrt::tool {

Result<TextModel> TextModel::create(std::shared_ptr<const Tokenizer> tokenizer, const Executable& decoder,
                                    const Executable* prefill, int64_t positions) {
  if (prefill != nullptr && prefill->inputs().size() != 1)
    return Error{Code::invalid_parameter, "The prefill model does not have one input."};
  NNRT_ASSIGN(Decoder made, Decoder::create(decoder));
  if (positions > 0) made.limit(positions);
  return TextModel(std::move(tokenizer), std::move(made), prefill);
}

Status TextModel::check_prompt(const Tokens& prompt) const {
  if (prompt.empty()) return Error{Code::invalid_parameter, "The prompt has no token."};
  if (static_cast<int64_t>(prompt.size()) > decoder_.capacity())
    return invalid("The prompt has ", counted(prompt.size(), "token"), ", but the model has room for ",
                   decoder_.capacity(), ".");
  const int64_t vocabulary = decoder_.vocabulary();
  for (const int64_t token : prompt) {
    if (token < 0 || (vocabulary > 0 && token >= vocabulary))
      return invalid("Token ", token, " of the prompt is outside [0, ", vocabulary,
                     "), the model's vocabulary.");
  }
  return {};
}

Status TextModel::start(const Tokens& prompt, const GenerationOptions& options) {
  NNRT_TRY(check_prompt(prompt));
  options_ = options;
  sampler_ = Sampler(options.sampling);
  stop_ = StopText(options.stops);
  count_ = 0;
  end_ = nullptr;
  chosen_.reset();
  times_ = {};
  since_start_ = {};
  NNRT_TRY(decoder_.reserve(static_cast<int64_t>(prompt.size()) + options.tokens));
  NNRT_TRY(prefill_ != nullptr ? read_at_once(prompt) : read(prompt));
  times_.prompt = since_start_.ms();
  return {};
}

Status TextModel::read(const Tokens& prompt) {
  const bool continues = decoder_.position() == static_cast<int64_t>(read_.size()) &&
                         prompt.size() > read_.size() &&
                         std::equal(read_.begin(), read_.end(), prompt.begin());
  if (!continues) {
    read_.clear();
    NNRT_TRY(decoder_.reset());
  }
  times_.prompt_tokens = prompt.size() - read_.size();
  NNRT_ASSIGN(const std::span<const float> row, decoder_.read(std::span(prompt).subspan(read_.size())));
  logits_.assign(row.begin(), row.end());
  read_ = prompt;
  return {};
}

Status TextModel::read_at_once(const Tokens& prompt) {
  NNRT_ASSIGN(Array input, make_array(prefill_->inputs()[0].type, {1, static_cast<int32_t>(prompt.size())}));
  for (size_t i = 0; i < prompt.size(); ++i) input.set(i, static_cast<double>(prompt[i]));
  NNRT_ASSIGN(Runner runner, Runner::create(*prefill_, std::span(&input, 1)));
  NNRT_TRY(runner.run());
  NNRT_ASSIGN(const std::vector<Array> outputs, runner.outputs());
  if (outputs.empty()) return Error{Code::invalid_parameter, "The prefill model has no outputs."};
  NNRT_TRY(decoder_.restore(std::span(outputs).subspan(1), static_cast<int64_t>(prompt.size())));
  times_.prompt_tokens = prompt.size();
  NNRT_ASSIGN(logits_, last_logits(outputs[0].type, outputs[0].shape, outputs[0].bytes.data()));
  read_ = prompt;
  return {};
}

Tokens TextModel::all_tokens() const {
  Tokens tokens = read_;
  if (chosen_) tokens.push_back(*chosen_);
  return tokens;
}

std::optional<std::string> TextModel::ended(const char* why, std::string last) {
  end_ = why;
  times_.decode = since_first_.ms();
  return last + stop_.finish();
}

Result<std::optional<std::string>> TextModel::next() {
  using Piece = std::optional<std::string>;
  if (end_ != nullptr) return Piece();
  if (chosen_) {
    NNRT_ASSIGN(const std::span<const float> row, decoder_.read(std::span(&*chosen_, 1)));
    logits_.assign(row.begin(), row.end());
    read_.push_back(*chosen_);
    chosen_.reset();
    ++times_.steps;
  }
  NNRT_ASSIGN(const int64_t token, sampler_.choose(logits_));
  if (count_++ == 0) {
    times_.first_token = since_start_.ms();
    since_first_ = {};
  }
  if (std::ranges::count(options_.ends, token) > 0) return ended("token", "");
  std::string piece = stop_.add(tokenizer_->decode(token));
  chosen_ = token;
  if (stop_.found()) return ended("stop", std::move(piece));
  if (count_ == options_.tokens) return ended("tokens", std::move(piece));
  if (decoder_.position() == decoder_.capacity()) return ended("full", std::move(piece));
  return Piece(std::move(piece));
}

}  // namespace nnrt::tool
