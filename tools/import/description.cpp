#include "tools/import/description.h"

#include "core/base/byte_io.h"

namespace nnrt {

template <>
inline constexpr auto kLast<OH_NN_DataType> = OH_NN_FLOAT64;
template <>
inline constexpr auto kLast<OH_NN_Format> = OH_NN_FORMAT_ND;
template <>
inline constexpr auto kMembers<import::Quantization> = std::tuple(&import::Quantization::scales,
                                                                  &import::Quantization::zero_points);
template <>
inline constexpr auto kMembers<import::Tensor> = std::tuple(&import::Tensor::name, &import::Tensor::type,
                                                            &import::Tensor::format, &import::Tensor::shape,
                                                            &import::Tensor::quantization);
template <>
inline constexpr auto kMembers<import::AttachedFile> = std::tuple(&import::AttachedFile::name,
                                                                  &import::AttachedFile::data);

}  // namespace nnrt

namespace nnrt::import {
namespace {

constexpr uint64_t kMagic = 0x0a0d'6b73'6544'8921;  // the last digit is the version

std::vector<Tensor> read_tensors(ByteReader& reader) {
  auto tensors = reader.get<std::vector<Tensor>>();
  for (const Tensor& tensor : tensors) {
    if (tensor.quantization.scales.size() != tensor.quantization.zero_points.size())
      reader.fail("The numbers of scales and zero points of a tensor differ.");
  }
  return tensors;
}

std::vector<Tensor> tensors_of(const Network& network, const std::vector<TensorId>& ids) {
  std::vector<Tensor> tensors;
  for (const TensorId id : ids) {
    tensors.push_back(network.tensors[id]);
    tensors.back().data = nullptr;  // an output may be a constant
  }
  return tensors;
}

}  // namespace

Description description_of(const Network& network, std::vector<AttachedFile> files) {
  return {tensors_of(network, network.inputs), tensors_of(network, network.outputs), std::move(files)};
}

Bytes encode_description(const Description& description) {
  ByteWriter writer;
  writer.put(kMagic);
  writer.put(description.inputs);
  writer.put(description.outputs);
  writer.put(description.files);
  return writer.take();
}

Result<Description> decode_description(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  if (reader.get<uint64_t>() != kMagic) reader.fail("It is not a description.");
  Description description;
  description.inputs = read_tensors(reader);
  description.outputs = read_tensors(reader);
  description.files = reader.get<std::vector<AttachedFile>>();
  if (!reader.at_end()) reader.fail("There are extra bytes at the end.");
  Status status = reader.status();
  if (!status.ok()) return std::move(status).error().during("reading the description of a model");
  return description;
}

}  // namespace nnrt::import
