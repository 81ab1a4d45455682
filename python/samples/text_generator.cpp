#include "python/samples/text_generator.h"

#include "python/samples/result.h"
#include "tools/import/load_network.h"
#include "tools/nnrt/generate/text_files.h"

#include <algorithm>

namespace nnrt::python {
namespace {

void check(const Status& status) {
  if (!status.ok()) throw_failure(status.error());
}

tool::GenerationOptions options_of(const TextRequest& request, const tool::TextFiles& files) {
  if (request.tokens == 0) refuse("The number of tokens is 0.");
  if (std::ranges::count(request.stops, std::string()) > 0) refuse("A stop text is empty.");
  tool::Sampling sampling = files.sampling;
  sampling.temperature = request.temperature.value_or(sampling.temperature);
  sampling.top_k = request.top_k.value_or(sampling.top_k);
  sampling.top_p = request.top_p.value_or(sampling.top_p);
  sampling.seed = request.seed;
  if (!(sampling.temperature >= 0)) refuse("The temperature is not a number of at least 0.");
  if (!(sampling.top_p >= 0 && sampling.top_p <= 1)) refuse("top_p is not between 0 and 1.");
  return {request.tokens, request.stops, files.ends, sampling};
}

}  // namespace

TextGenerator::TextGenerator(const TextRequest& request) {
  const tool::TextFiles files = value_of(tool::find_text_files(request.model));
  const tool::GenerationOptions options = options_of(request, files);
  const std::string beside = files.tokenizer.empty() ? "bytes" : files.tokenizer.string();
  const std::shared_ptr<const tool::Tokenizer> tokenizer =
      value_of(tool::make_tokenizer(request.tokenizer.empty() ? beside : request.tokenizer));
  const tool::Tokens prompt = value_of(tokenizer->encode(request.prompt));
  import::Options reading;
  const import::Interface interface = value_of(import::read_interface(files.model));
  auto positions = static_cast<int64_t>(prompt.size() + request.tokens);
  if (files.positions > 0) positions = std::min(positions, files.positions);
  if (!interface.inputs.empty()) check(tool::fit_to_generation(interface, positions, reading));
  tool::ModelFile file = value_of(tool::open_model(files.model, reading));
  const tool::Device device = value_of(tool::find_device(request.device));
  executable_ =
      std::make_unique<const tool::Executable>(value_of(tool::Executable::build_once(file, device, {})));
  model_ = value_of(tool::TextModel::create(tokenizer, *executable_, nullptr, files.positions));
  check(model_->start(prompt, options));
}

std::optional<std::string> TextGenerator::next() { return value_of(model_->next()); }

}  // namespace nnrt::python
