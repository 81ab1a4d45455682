#include "tools/nnrt/base/clock.h"
#include "tools/nnrt/base/interrupt.h"
#include "tools/nnrt/base/json_output.h"
#include "tools/nnrt/base/statistics.h"
#include "tools/nnrt/base/table.h"
#include "tools/nnrt/command/command.h"
#include "tools/nnrt/command/command_options.h"
#include "tools/nnrt/command/standard_input.h"
#include "tools/nnrt/generate/decoder.h"
#include "tools/nnrt/generate/sampler.h"
#include "tools/nnrt/generate/stop_text.h"
#include "tools/nnrt/generate/tokenizer.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>

namespace nnrt::tool {
namespace {

using Json = nlohmann::ordered_json;

struct GenerateOptions {
  ModelOptions decode;
  std::string prefill, prompt, tokenizer = "bytes";
  std::vector<std::string> stops;
  uint32_t tokens = 200;
  bool json = false;
  Sampling sampling;
};

// Milliseconds.
struct Timings {
  double prompt = 0, first_token = 0, decode = 0;
  uint32_t steps = 0;
};

// Runs the prefill model on the prompt; returns the logits of the last token.
Result<std::vector<float>> read_at_once(const Executable& prefill, const Tokens& tokens, Decoder& decoder) {
  if (prefill.inputs().size() != 1)
    return Error{Code::invalid_parameter, "The prefill model does not have one input."};
  NNRT_ASSIGN(Array input, make_array(prefill.inputs()[0].type, {1, static_cast<int32_t>(tokens.size())}));
  for (size_t i = 0; i < tokens.size(); ++i) input.set(i, static_cast<double>(tokens[i]));
  NNRT_ASSIGN(Runner runner, Runner::create(prefill, std::span(&input, 1)));
  NNRT_TRY(runner.run());
  NNRT_ASSIGN(const std::vector<Array> outputs, runner.outputs());
  if (outputs.empty()) return Error{Code::invalid_parameter, "The prefill model has no outputs."};
  NNRT_TRY(decoder.restore(std::span(outputs).subspan(1), static_cast<int64_t>(tokens.size())));
  return last_logits(outputs[0]);
}

// Runs the prompt token by token, without a prefill model.
Result<std::vector<float>> read_by_steps(const Tokens& tokens, Decoder& decoder) {
  std::vector<float> logits;
  for (size_t i = 0; i < tokens.size(); ++i) {
    NNRT_ASSIGN(const std::span<const float> row, decoder.step(tokens[i], static_cast<int64_t>(i)));
    logits.assign(row.begin(), row.end());
  }
  return logits;
}

// The generated text.
struct GenerationResult {
  std::string text;
  uint32_t tokens = 0;
  const char* end = "tokens";  // why it ends: tokens, full, stop or interrupted
};

Result<GenerationResult> write_text(const GenerateOptions& options, const Tokenizer& tokenizer,
                                    const Tokens& prompt, std::vector<float> logits, Decoder& decoder,
                                    const Stopwatch& since_prompt, Timings& times) {
  const CatchInterrupts catches;  // ends the text after the current token
  Sampler sampler(options.sampling);
  StopText stop(options.stops);
  GenerationResult generated;
  const auto write = [&](const std::string& text) {
    generated.text += text;
    if (!options.json) std::cout << text << std::flush;
  };
  auto position = static_cast<int64_t>(prompt.size());
  Stopwatch decode;
  while (!interrupted()) {
    NNRT_ASSIGN(const int64_t token, sampler.choose(logits));
    write(stop.add(tokenizer.decode(token)));
    if (generated.tokens++ == 0) {
      times.first_token = since_prompt.ms();
      decode = Stopwatch();
    }
    if (stop.found()) generated.end = "stop";
    if (stop.found() || generated.tokens == options.tokens) break;
    if (position == decoder.capacity()) {
      generated.end = "full";
      break;
    }
    NNRT_ASSIGN(const std::span<const float> row, decoder.step(token, position++));
    logits.assign(row.begin(), row.end());
    ++times.steps;
  }
  write(stop.finish());
  if (interrupted()) generated.end = "interrupted";
  times.decode = decode.ms();
  return generated;
}

double tokens_per_second(const Timings& times) { return 1000 * times.steps / times.decode; }

void print_times(const Timings& times, size_t prompt, const Device& device) {
  std::cerr << "\n"
            << prompt << " tokens of the prompt in " << duration(times.prompt) << ", the first token after "
            << duration(times.first_token);
  if (times.steps > 0)
    std::cerr << ", " << times.steps << " steps: " << fixed(tokens_per_second(times), 1)
              << " tokens a second";
  std::cerr << ", on " << device.name << (interrupted() ? "; stopped\n" : "\n");
}

void print_document(const GenerateOptions& options, const Device& device, const GenerationResult& generated,
                    const Timings& times, size_t prompt) {
  const bool has_steps = times.steps > 0;
  print_json(std::cout, {{"model", options.decode.model},
                         {"device", device.name},
                         {"device_id", std::to_string(device.id)},
                         {"prompt", options.prompt},
                         {"text", generated.text},
                         {"end", generated.end},
                         {"prompt_tokens", prompt},
                         {"tokens", generated.tokens},
                         {"prompt_ms", times.prompt},
                         {"first_token_ms", times.first_token},
                         {"tokens_per_second", has_steps ? Json(tokens_per_second(times)) : Json()}});
}

Status check_prompt(const Tokens& prompt, const Decoder& decoder) {
  if (static_cast<int64_t>(prompt.size()) > decoder.capacity())
    return invalid("The prompt has ", prompt.size(), " tokens, but the model has room for ",
                   decoder.capacity(), ".");
  for (const int64_t token : prompt) {
    if (token < 0 || token >= decoder.vocabulary())
      return invalid("Token ", token, " of the prompt is outside [0, ", decoder.vocabulary(),
                     "), the model's vocabulary.");
  }
  return {};
}

Status generate(const GenerateOptions& options) {
  if (std::ranges::count(options.stops, std::string()) > 0) return invalid("Option --stop is empty.");
  NNRT_ASSIGN(const std::unique_ptr<Tokenizer> tokenizer, make_tokenizer(options.tokenizer));
  NNRT_ASSIGN(const Tokens prompt, tokenizer->encode(options.prompt));
  if (prompt.empty()) return Error{Code::invalid_parameter, "The prompt has no token."};
  NNRT_ASSIGN(const ReadyModel ready, make_ready(options.decode));
  const Device device = ready.executable.device();
  NNRT_ASSIGN(Decoder decoder, Decoder::create(ready.executable));
  NNRT_TRY(check_prompt(prompt, decoder));
  std::optional<Executable> prefill;
  if (!options.prefill.empty()) {
    ModelOptions of_prompt = options.decode;
    of_prompt.model = options.prefill;
    of_prompt.device = std::to_string(device.id);
    of_prompt.device_given = true;
    NNRT_ASSIGN(ReadyModel made, make_ready(of_prompt));
    prefill = std::move(made.executable);
  }
  Timings times;
  const Stopwatch since_prompt;
  auto logits = prefill ? read_at_once(*prefill, prompt, decoder) : read_by_steps(prompt, decoder);
  if (!logits.ok()) return std::move(logits).error();
  times.prompt = since_prompt.ms();
  if (!options.json) std::cout << options.prompt << std::flush;
  NNRT_ASSIGN(
      const GenerationResult generated,
      write_text(options, *tokenizer, prompt, std::move(logits).value(), decoder, since_prompt, times));
  if (options.json) {
    print_document(options, device, generated, times, prompt.size());
    return {};
  }
  std::cout << '\n';
  print_times(times, prompt.size(), device);
  return {};
}

}  // namespace

void add_generate(CommandLine& app, Action& action) {
  const auto options = std::make_shared<GenerateOptions>();
  CommandLine command = app.command("generate", "Generates text with a language model, token by token");
  add_model_options(command, options->decode);
  add_device_option(command, options->decode);
  add_reading_options(command, options->decode);
  command
      .option("--prefill", options->prefill,
              "Model that processes the complete prompt at once; default: token by token")
      .type_name("MODEL");
  command.option("-p,--prompt", options->prompt, "Text to continue").required();
  command.option("-n,--tokens", options->tokens, "Maximum number of tokens to generate")
      .positive()
      .shows_default();
  command.option("--stop", options->stops, "Stop before this text, which is not printed; may be repeated")
      .type_name("TEXT")
      .one_value();
  command.option("--tokenizer", options->tokenizer, "bytes, or a tokenizer.json with byte-level BPE")
      .type_name("bytes|FILE")
      .shows_default();
  command
      .option("--device-local", options->decode.build.device_local,
              "Keep the state in GPU memory: on, off, or auto (if that is faster)")
      .type_name("auto|on|off");
  command.option("--temperature", options->sampling.temperature, "0: greedy, always the likeliest token")
      .not_negative()
      .shows_default();
  command.option("--top-k", options->sampling.top_k, "Sample from the k likeliest tokens; 0: all")
      .shows_default();
  command.option("--seed", options->sampling.seed, "The same seed gives the same text").shows_default();
  add_json_option(command, options->json);
  command.footer(
      "\nMODEL takes a token, its position and a state, and returns logits and the new state.\n"
      "Text goes to standard output, times to standard error; Ctrl-C stops the generation.\n"
      "Example: nnrt generate decode.onnx --prefill prefill.onnx -p 'In the beginning' -n 100");
  set_model_action(command, action, options->decode, [options] { return generate(*options); },
                   {&options->decode.model, &options->prefill});
}

}  // namespace nnrt::tool
