// Classifies the handwritten digit test images on a selected device.
#include "digits_api.h"
#include "digits_network.h"
#include "digits_placement.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

constexpr size_t kPixels = size_t{8} * 8;

struct Options {
  std::string device = "gpu";
  std::string predictions_file;
  size_t shown = 3;
  bool verbose = false;
};

size_t number_of(const std::string& word) {
  size_t number = 0;
  const char* const end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data(), end, number);
  if (error != std::errc() || rest != end) throw std::runtime_error("--images takes a number, not " + word);
  return number;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool has_value = i + 1 < argc;
    if (word == "--predictions" && has_value) {
      options.predictions_file = argv[++i];
    } else if (word == "--images" && has_value) {
      options.shown = number_of(argv[++i]);
    } else if (word == "--verbose") {
      options.verbose = true;
    } else if (word[0] != '-') {
      options.device = word;
    } else {
      throw std::runtime_error("usage: digits [DEVICE] [--verbose] [--predictions FILE] [--images N]");
    }
  }
  return options;
}

std::vector<unsigned char> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The first device of type "gpu" or "cpu", or whose name contains the word.
size_t find_device(const std::string& wanted) {
  const size_t* ids = nullptr;
  uint32_t count = 0;
  check(OH_NNDevice_GetAllDevicesID(&ids, &count), "OH_NNDevice_GetAllDevicesID");
  std::string names;
  for (uint32_t i = 0; i < count; ++i) {
    const char* name = nullptr;
    OH_NN_DeviceType type = OH_NN_OTHERS;
    check(OH_NNDevice_GetName(ids[i], &name), "OH_NNDevice_GetName");
    check(OH_NNDevice_GetType(ids[i], &type), "OH_NNDevice_GetType");
    const bool is_type = (wanted == "gpu" && type == OH_NN_GPU) || (wanted == "cpu" && type == OH_NN_CPU);
    if (is_type || std::strstr(name, wanted.c_str()) != nullptr) {
      std::printf("device: %s\n", name);
      return ids[i];
    }
    names += (names.empty() ? " " : ", ") + std::string(name);
  }
  throw std::runtime_error("no device matches " + wanted + "; there are:" + names);
}

// Compiles for the device. Unsupported operations go to the CPU; the placement shows where each runs.
Executor compile(const Model& model, size_t device, const Placement& placement) {
  const Compilation compilation(OH_NNCompilation_Construct(model.get()));
  check(OH_NNCompilation_SetDevice(compilation.get(), device), "OH_NNCompilation_SetDevice");
  const std::string path = placement.path();
  check(OH_NNCompilation_AddExtensionConfig(compilation.get(), "nnrt.placement", path.c_str(), path.size()),
        "OH_NNCompilation_AddExtensionConfig");
  check(OH_NNCompilation_Build(compilation.get()), "OH_NNCompilation_Build");
  return Executor(OH_NNExecutor_Construct(compilation.get()));  // the compilation is no longer needed
}

// A tensor in memory shared by host and device.
Tensor make_tensor(size_t device, NN_TensorDesc* description) {
  const TensorDesc desc(description);
  Tensor tensor(OH_NNTensor_Create(device, desc.get()));
  if (tensor == nullptr) throw std::runtime_error("OH_NNTensor_Create returned null");
  return tensor;
}

void show(const unsigned char* image, int predicted, int label) {
  constexpr char kInk[] = " .:-=+*#%@";
  for (size_t y = 0; y < 8; ++y) {
    for (size_t x = 0; x < 8; ++x) {
      const char ink = kInk[image[y * 8 + x] * 9 / 16];
      std::printf("%c%c", ink, ink);
    }
    std::printf("\n");
  }
  std::printf("predicted %d, labelled %d\n\n", predicted, label);
}

void run(const Options& options) {
  const std::string data = DIGITS_DATA;
  const std::vector<unsigned char> images = read_file(data + "/images.bin"),
                                   labels = read_file(data + "/labels.bin");

  const size_t device = find_device(options.device);
  const Placement placement;
  const Executor executor = compile(make_digits_model(data + "/weights.bin"), device, placement);
  if (executor == nullptr) throw std::runtime_error("OH_NNExecutor_Construct returned null");
  const Tensor input = make_tensor(device, OH_NNExecutor_CreateInputTensorDesc(executor.get(), 0));
  const Tensor output = make_tensor(device, OH_NNExecutor_CreateOutputTensorDesc(executor.get(), 0));
  auto* pixels = static_cast<float*>(OH_NNTensor_GetDataBuffer(input.get()));
  const auto* probabilities = static_cast<const float*>(OH_NNTensor_GetDataBuffer(output.get()));

  std::printf("\n");
  size_t right = 0;
  std::vector<int> predictions;
  std::chrono::duration<double, std::milli> spent{0};
  for (size_t i = 0; i < labels.size(); ++i) {
    const unsigned char* image = images.data() + i * kPixels;
    std::copy(image, image + kPixels, pixels);
    NN_Tensor* inputs[] = {input.get()};
    NN_Tensor* outputs[] = {output.get()};
    const auto start = std::chrono::steady_clock::now();
    check(OH_NNExecutor_RunSync(executor.get(), inputs, 1, outputs, 1), "OH_NNExecutor_RunSync");
    spent += std::chrono::steady_clock::now() - start;
    const auto predicted =
        static_cast<int>(std::max_element(probabilities, probabilities + 10) - probabilities);
    right += predicted == labels[i] ? 1 : 0;
    predictions.push_back(predicted);
    if (i < options.shown) show(image, predicted, labels[i]);
  }
  std::printf("images: %zu, time per image: %.3f ms\n", labels.size(),
              spent.count() / static_cast<double>(labels.size()));
  std::printf("accuracy %.1f %%\n", 100.0 * static_cast<double>(right) / static_cast<double>(labels.size()));

  std::printf("\n");
  placement.print(options.verbose);
  if (!options.verbose) std::printf("\n--verbose shows why, and which optimization passes were skipped.\n");

  if (options.predictions_file.empty()) return;
  std::ofstream file(options.predictions_file);
  for (const int predicted : predictions) file << predicted << "\n";
  if (!file.flush()) throw std::runtime_error("cannot write " + options.predictions_file);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(parse(argc, argv));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "digits: %s\n", error.what());
    return 1;
  }
}
