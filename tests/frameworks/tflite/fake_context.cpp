#include "tests/frameworks/tflite/fake_context.h"

#include <algorithm>

namespace nnrt::test {
namespace {

FakeContext& fake_of(TfLiteContext* context) { return *static_cast<FakeContext*>(context->impl_); }

}  // namespace

FakeContext::FakeContext() {
  context_.impl_ = this;
  context_.GetExecutionPlan = [](TfLiteContext* context, TfLiteIntArray** plan) {
    *plan = fake_of(context).ints(fake_of(context).order_);
    return kTfLiteOk;
  };
  context_.GetNodeAndRegistration = [](TfLiteContext* context, int number, TfLiteNode** node,
                                       TfLiteRegistration** registration) {
    *node = &fake_of(context).node(number);
    *registration = &fake_of(context).registration(number);
    return kTfLiteOk;
  };
}

TfLiteContext* FakeContext::get() {
  context_.tensors = tensors_.data();
  context_.tensors_size = tensors_.size();
  return &context_;
}

TfLiteIntArray* FakeContext::ints(const std::vector<int32_t>& values) {
  memory_.push_back(std::make_unique<char[]>(sizeof(TfLiteIntArray) + values.size() * sizeof(int)));
  auto* array = reinterpret_cast<TfLiteIntArray*>(memory_.back().get());
  array->size = static_cast<int>(values.size());
  std::ranges::copy(values, array->data);
  return array;
}

TfLiteFloatArray* FakeContext::floats(const std::vector<float>& values) {
  memory_.push_back(std::make_unique<char[]>(sizeof(TfLiteFloatArray) + values.size() * sizeof(float)));
  auto* array = reinterpret_cast<TfLiteFloatArray*>(memory_.back().get());
  array->size = static_cast<int>(values.size());
  std::ranges::copy(values, array->data);
  return array;
}

int32_t FakeContext::add_tensor(TfLiteType type, const std::vector<int32_t>& shape) {
  TfLiteTensor tensor{};
  tensor.type = type;
  tensor.dims = ints(shape);
  tensor.allocation_type = kTfLiteArenaRw;
  tensors_.push_back(tensor);
  return static_cast<int32_t>(tensors_.size() - 1);
}

int32_t FakeContext::add_constant(TfLiteType type, const std::vector<int32_t>& shape,
                                  const std::vector<char>& data) {
  const int32_t number = add_tensor(type, shape);
  data_.push_back(data);
  tensor(number).allocation_type = kTfLiteMmapRo;
  tensor(number).data.raw = data_.back().data();
  tensor(number).bytes = data.size();
  return number;
}

void FakeContext::quantize(int32_t number, const std::vector<float>& scales,
                           const std::vector<int32_t>& zero_points, int32_t dimension) {
  quantizations_.push_back({floats(scales), ints(zero_points), dimension});
  tensor(number).quantization = {kTfLiteAffineQuantization, &quantizations_.back()};
}

int32_t FakeContext::add_node(int32_t code, const std::vector<int32_t>& inputs,
                              const std::vector<int32_t>& outputs, void* builtin_data, int version) {
  const auto number = static_cast<int32_t>(nodes_.size());
  TfLiteNode node{};
  node.inputs = ints(inputs);
  node.outputs = ints(outputs);
  node.builtin_data = builtin_data;
  nodes_.push_back(node);
  TfLiteRegistration registration{};
  registration.builtin_code = code;
  registration.version = version;
  registrations_.push_back(registration);
  order_.push_back(number);
  return number;
}

}  // namespace nnrt::test
