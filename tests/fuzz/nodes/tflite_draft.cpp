#include "tests/fuzz/nodes/node_drafts.h"
#include "tools/import/tflite/tflite_operators.h"

#include <flatbuffers/flexbuffers.h>

#include <algorithm>
#include <cctype>

namespace nnrt::test {
namespace {

namespace format = import::tflite::format;
using format::BuiltinOperator;
using format::BuiltinOptions;
using format::TensorType;

const std::vector<const import::tflite::Row*>& rows() {
  static const std::vector<const import::tflite::Row*> all = [] {
    std::vector<const import::tflite::Row*> listed;
    for (const auto family : import::tflite::all_rows())
      for (const import::tflite::Row& row : family) listed.push_back(&row);
    return listed;
  }();
  return all;
}

std::string letters_of(std::string_view name) {
  std::string letters;
  for (const char c : name)
    if (c != '_') letters += static_cast<char>(std::tolower(c));
  return letters;
}

// Conv2DOptions of CONV_2D; several operators share the options of another.
BuiltinOptions options_of(Choices& choices, const import::tflite::Row& row) {
  const std::string code = letters_of(format::EnumNameBuiltinOperator(row.code));
  std::vector<BuiltinOptions> known;
  for (int number = 1; number <= int(BuiltinOptions::MAX); ++number) {
    const std::string name = letters_of(format::EnumNameBuiltinOptions(BuiltinOptions(number)));
    if (name.empty()) continue;
    if (name == code + "options" && !choices.one_in(16)) return BuiltinOptions(number);
    known.push_back(BuiltinOptions(number));
  }
  if (code.starts_with("reduce") || code == "sum" || code == "mean") return BuiltinOptions::ReducerOptions;
  if (code.ends_with("pool2d")) return BuiltinOptions::Pool2DOptions;
  return choices.one_in(2) ? BuiltinOptions::NONE : known[choices.below(known.size())];
}

// Fields of four bytes, whatever their type is.
flatbuffers::Offset<void> draw_options(Choices& choices, flatbuffers::FlatBufferBuilder& builder) {
  std::vector<std::pair<flatbuffers::voffset_t, int32_t>> fields;
  for (flatbuffers::voffset_t id = 0; id < 10; ++id)
    if (choices.one_in(2))
      fields.emplace_back(static_cast<flatbuffers::voffset_t>(4 + 2 * id),
                          static_cast<int32_t>(choices.integer()));
  const auto begin = builder.StartTable();
  for (const auto& [field, value] : fields) builder.AddElement<int32_t>(field, value);
  return {builder.EndTable(begin)};
}

std::vector<uint8_t> draw_custom_options(Choices& choices) {
  if (choices.one_in(2)) {
    std::vector<uint8_t> numbers;
    for (int i = 0; i < 6; ++i) {
      numbers.push_back(static_cast<uint8_t>(choices.integer()));
      numbers.insert(numbers.end(), 3, 0);
    }
    return numbers;
  }
  flexbuffers::Builder builder;
  builder.Map([&] {
    for (const char* const name :
         {"max_detections", "max_classes_per_detection", "detections_per_class", "use_regular_nms",
          "num_classes", "output_height", "output_width", "left_x", "channels"})
      if (!choices.one_in(4)) builder.Int(name, choices.integer());
    for (const char* const name :
         {"nms_score_threshold", "nms_iou_threshold", "y_scale", "x_scale", "h_scale", "w_scale"})
      if (!choices.one_in(4)) builder.Float(name, choices.real());
  });
  builder.Finish();
  return builder.GetBuffer();
}

class Draft {
 public:
  explicit Draft(Choices& choices) : choices_(choices), usual_(choices.shape(true)) {
    buffers_.push_back(format::CreateBuffer(builder_));
  }

  int32_t add_tensor(bool may_be_constant) {
    const auto type = choices_.of<TensorType>(
        {TensorType::FLOAT32, TensorType::FLOAT32, TensorType::FLOAT32, TensorType::INT32, TensorType::INT8,
         TensorType::UINT8, TensorType::INT16, TensorType::INT64, TensorType::BOOL, TensorType::FLOAT16});
    const bool is_constant = may_be_constant && choices_.one_in(2);
    std::vector<int64_t> shape = choices_.one_in(3) ? choices_.shape(!is_constant) : usual_;
    if (is_constant) std::ranges::replace(shape, -1, 1);
    const std::vector<int32_t> lengths(shape.begin(), shape.end());
    uint32_t buffer = 0;
    if (is_constant) {
      const std::string bytes = small_elements(choices_, shape, size_of(type));
      buffer = static_cast<uint32_t>(buffers_.size());
      builder_.ForceVectorAlignment(bytes.size(), 1, 16);
      buffers_.push_back(format::CreateBuffer(
          builder_, builder_.CreateVector(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size())));
    }
    flatbuffers::Offset<format::QuantizationParameters> quantization = 0;
    if (const size_t scales = choices_.of<size_t>({0, 0, 1, 1, 2, 4}); scales > 0) {
      const auto real = builder_.CreateVector(std::vector<float>(scales, choices_.of({0.5f, 1.0f, 0.0f})));
      const auto zero = builder_.CreateVector(
          std::vector<int64_t>(choices_.one_in(8) ? 1 : scales, static_cast<int64_t>(choices_.below(4))));
      format::QuantizationParametersBuilder made(builder_);
      made.add_scale(real);
      made.add_zero_point(zero);
      made.add_quantized_dimension(static_cast<int32_t>(choices_.below(5)));
      quantization = made.Finish();
    }
    const auto name = builder_.CreateString("t" + std::to_string(tensors_.size()));
    const auto dimensions = builder_.CreateVector(lengths);
    format::TensorBuilder tensor(builder_);
    tensor.add_shape(dimensions);
    tensor.add_type(type);
    tensor.add_buffer(buffer);
    tensor.add_name(name);
    tensor.add_quantization(quantization);
    tensor.add_is_variable(choices_.one_in(16));
    tensor.add_has_rank(!choices_.one_in(8));
    tensors_.push_back(tensor.Finish());
    const auto id = static_cast<int32_t>(tensors_.size() - 1);
    if (may_be_constant && !is_constant) inputs_.push_back(id);
    return id;
  }

  std::vector<uint8_t> finish(const import::tflite::Row& row, const std::vector<int32_t>& read,
                              const std::vector<int32_t>& written) {
    const BuiltinOptions type = options_of(choices_, row);
    const auto options = type == BuiltinOptions::NONE ? 0 : draw_options(choices_, builder_);
    const bool is_custom = row.code == BuiltinOperator::CUSTOM;
    const auto custom = is_custom ? builder_.CreateVector(draw_custom_options(choices_)) : 0;
    const auto name = is_custom ? builder_.CreateString(std::string(row.custom_name)) : 0;
    const auto given = builder_.CreateVector(read), made = builder_.CreateVector(written);
    format::OperatorBuilder op(builder_);
    op.add_inputs(given);
    op.add_outputs(made);
    op.add_builtin_options_type(type);
    op.add_builtin_options(options);
    op.add_custom_options(custom);
    const auto node = builder_.CreateVector(std::vector{op.Finish()});
    format::OperatorCodeBuilder code(builder_);
    code.add_builtin_code(static_cast<int32_t>(row.code));
    code.add_custom_code(name);
    const auto codes = builder_.CreateVector(std::vector{code.Finish()});
    const auto tensors = builder_.CreateVector(tensors_);
    const auto inputs = builder_.CreateVector(inputs_);
    format::SubGraphBuilder graph(builder_);
    graph.add_tensors(tensors);
    graph.add_inputs(inputs);
    graph.add_outputs(made);
    graph.add_operators(node);
    std::vector graphs{graph.Finish()};
    // A body for control flow: its results are its inputs.
    format::SubGraphBuilder body(builder_);
    body.add_tensors(tensors);
    body.add_inputs(inputs);
    body.add_outputs(inputs);
    graphs.push_back(body.Finish());
    const auto all_graphs = builder_.CreateVector(graphs);
    const auto all_buffers = builder_.CreateVector(buffers_);
    format::ModelBuilder model(builder_);
    model.add_version(3);
    model.add_operator_numbers(codes);
    model.add_subgraphs(all_graphs);
    model.add_buffers(all_buffers);
    builder_.Finish(model.Finish(), "TFL3");
    return {builder_.GetBufferPointer(), builder_.GetBufferPointer() + builder_.GetSize()};
  }

 private:
  static size_t size_of(TensorType type) {
    switch (type) {
      case TensorType::INT64: return 8;
      case TensorType::FLOAT16:
      case TensorType::INT16: return 2;
      case TensorType::INT8:
      case TensorType::UINT8:
      case TensorType::BOOL: return 1;
      default: return 4;
    }
  }

  Choices& choices_;
  std::vector<int64_t> usual_;
  flatbuffers::FlatBufferBuilder builder_;
  std::vector<flatbuffers::Offset<format::Buffer>> buffers_;
  std::vector<flatbuffers::Offset<format::Tensor>> tensors_;
  std::vector<int32_t> inputs_;
};

}  // namespace

std::vector<uint8_t> draft_tflite(Choices& choices) {
  const import::tflite::Row& row = *rows()[choices.below(rows().size())];
  Draft draft(choices);
  const size_t most = row.max_inputs == import::tflite::kMany ? 5 : size_t{row.max_inputs} + 1;
  const size_t count = choices.one_in(4) ? choices.below(most + 1) : row.min_inputs;
  std::vector<int32_t> read, written;
  for (size_t i = 0; i < count; ++i) {
    const size_t kind = choices.below(16);
    if (kind == 15) {
      read.push_back(-1);
    } else if (kind == 14 && !read.empty()) {
      read.push_back(read.front());
    } else {
      read.push_back(draft.add_tensor(true));
    }
  }
  for (size_t i = choices.of<size_t>({1, 1, 2, 3, 4, 0}); i-- > 0;)
    written.push_back(draft.add_tensor(false));
  return draft.finish(row, read, written);
}

}  // namespace nnrt::test
