// Networks that applications run, described in code with random weights: NHWC, with the sizes of their papers
// and batch norms folded into convolutions, as exporters do. One description generates both the model for our
// devices and the ONNX file for peers (onnx_writer.h).
#pragma once

#include "case.h"

#include <span>
#include <string_view>

namespace bench {

// The size of a network. Tests use small ones: same structure, fewer pixels and channels.
struct Scale {
  int32_t side = 224;   // image side; sequences always have full length
  int32_t divisor = 1;  // divides all channel counts
  int32_t classes = 1000;
  int32_t batch = 1;  // images, or ViT sequences; ignored by other networks
};
constexpr Scale kSmall{64, 8, 10};

struct Network {
  std::string_view name;
  std::string_view title;
  conformance::Case (*describe)(const Scale& scale);
  bool int8 = false;
};

std::span<const Network> networks();
// Throws std::invalid_argument for an unknown name.
const Network& network(std::string_view name);

conformance::Case squeezenet(const Scale& scale);     // 1.1
conformance::Case mobilenet_v2(const Scale& scale);   // 65 operators, 3.5 million weights
conformance::Case mobilenet_v3(const Scale& scale);   // large
conformance::Case shufflenet_v2(const Scale& scale);  // 1.0
conformance::Case mnasnet(const Scale& scale);        // B1, 1.0
conformance::Case efficientnet_b0(const Scale& scale);
conformance::Case resnet_18(const Scale& scale);
conformance::Case resnet_50(const Scale& scale);  // 25.5 million weights
conformance::Case googlenet(const Scale& scale);  // without LRN
conformance::Case vgg_16(const Scale& scale);
conformance::Case bert_layer(
    const Scale& scale);                          // one layer of BERT-base: sequence 128, width 768, 12 heads
conformance::Case bert_base(const Scale& scale);  // 12 layers
conformance::Case gpt2_small(const Scale& scale);     // 12 layers, sequence length 128
conformance::Case gpt2_small_64(const Scale& scale);  // sequence length 64
conformance::Case gpt2_decode(const Scale& scale);    // one token after 128 others, with the logits
conformance::Case vit_b16(const Scale& scale);
conformance::Case efficientnet_v2_s(const Scale& scale);
conformance::Case densenet_121(const Scale& scale);
conformance::Case maxvit_t(const Scale& scale);
conformance::Case mobilevit_s(const Scale& scale);  // 256 x 256 images
conformance::Case lstm(const Scale& scale);         // one layer: 32 steps, width 256
conformance::Case squeezenet_int8(
    const Scale& scale);  // weights quantized per channel, activations per tensor
conformance::Case resnet_18_int8(const Scale& scale);
// Two large fully connected layers, for file formats that few networks can be written in. Not in networks().
conformance::Case dense(const Scale& scale);

}  // namespace bench
