#include "tools/import/description.h"

#include "core/base/byte_io.h"

namespace nnrt::import {
namespace {

constexpr uint64_t kMagic = 0x0a0d'6b73'6544'8921;  // the last digit is the version
constexpr size_t kMinTensorBytes = 40, kMinFileBytes = 16;

void write(ByteWriter& writer, const std::vector<Tensor>& tensors) {
  writer.put(uint64_t{tensors.size()});
  for (const Tensor& tensor : tensors) {
    writer.text(tensor.name);
    writer.put(int32_t(tensor.type));
    writer.put(int32_t(tensor.format));
    writer.list(std::span(tensor.shape));
    writer.list(std::span(tensor.quantization.scales));
    writer.list(std::span(tensor.quantization.zero_points));
  }
}

std::vector<Tensor> read_tensors(ByteReader& reader) {
  std::vector<Tensor> tensors;
  for (size_t left = reader.count(kMinTensorBytes); left > 0 && !reader.bad(); --left) {
    Tensor tensor;
    tensor.name = reader.text();
    tensor.type = static_cast<OH_NN_DataType>(reader.number<int32_t>(OH_NN_FLOAT64));
    tensor.format = static_cast<OH_NN_Format>(reader.number<int32_t>(OH_NN_FORMAT_ND));
    tensor.shape = reader.list<int32_t>();
    tensor.quantization.scales = reader.list<double>();
    tensor.quantization.zero_points = reader.list<int32_t>();
    if (tensor.type < 0 || tensor.format < 0) reader.fail("A type is out of range.");
    if (tensor.quantization.scales.size() != tensor.quantization.zero_points.size())
      reader.fail("The numbers of scales and zero points of a tensor differ.");
    tensors.push_back(std::move(tensor));
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
  write(writer, description.inputs);
  write(writer, description.outputs);
  writer.put(uint64_t{description.files.size()});
  for (const AttachedFile& file : description.files) {
    writer.text(file.name);
    writer.list(std::span(file.data));
  }
  return writer.take();
}

Result<Description> decode_description(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  if (reader.get<uint64_t>() != kMagic) reader.fail("It is not a description.");
  Description description;
  description.inputs = read_tensors(reader);
  description.outputs = read_tensors(reader);
  for (size_t left = reader.count(kMinFileBytes); left > 0 && !reader.bad(); --left) {
    std::string name(reader.text());
    description.files.push_back({std::move(name), reader.list<std::byte>()});
  }
  if (!reader.at_end()) reader.fail("There are extra bytes at the end.");
  Status status = reader.status();
  if (!status.ok()) return std::move(status).error().during("reading the description of a model");
  return description;
}

}  // namespace nnrt::import
