#include "networks/networks.h"

#include <algorithm>
#include <stdexcept>

namespace bench {
namespace {

constexpr Network kNetworks[] = {
    {"squeezenet", "SqueezeNet 1.1", squeezenet},
    {"mobilenet_v2", "MobileNetV2", mobilenet_v2},
    {"mobilenet_v3", "MobileNetV3 large", mobilenet_v3},
    {"shufflenet_v2", "ShuffleNetV2 1.0", shufflenet_v2},
    {"mnasnet", "MnasNet 1.0", mnasnet},
    {"efficientnet_b0", "EfficientNet-B0", efficientnet_b0},
    {"resnet_18", "ResNet-18", resnet_18},
    {"googlenet", "GoogLeNet", googlenet},
    {"resnet_50", "ResNet-50", resnet_50},
    {"vgg_16", "VGG-16", vgg_16},
    {"bert_layer", "BERT-base layer", bert_layer},
    {"bert_base", "BERT-base", bert_base},
    {"gpt2_small", "GPT-2 small", gpt2_small},
    {"gpt2_small_64", "GPT-2 small, 64 tokens", gpt2_small_64},
    {"gpt2_decode", "GPT-2 small, one token after 128", gpt2_decode},
    {"vit_b16", "ViT-B/16", vit_b16},
    {"efficientnet_v2_s", "EfficientNetV2-S", efficientnet_v2_s},
    {"densenet_121", "DenseNet-121", densenet_121},
    {"maxvit_t", "MaxViT-T", maxvit_t},
    {"mobilevit_s", "MobileViT-S", mobilevit_s},
    {"lstm", "LSTM 32 x 256", lstm},
    {"squeezenet_int8", "SqueezeNet 1.1 int8", squeezenet_int8, true},
    {"resnet_18_int8", "ResNet-18 int8", resnet_18_int8, true},
};

}  // namespace

std::span<const Network> networks() { return kNetworks; }

const Network& network(std::string_view name) {
  const auto* found = std::ranges::find(kNetworks, name, &Network::name);
  if (found == std::end(kNetworks)) throw std::invalid_argument("There is no network " + std::string(name));
  return *found;
}

}  // namespace bench
