#include "tools/plugins/onnxruntime/ep/execution_provider.h"

#include "core/base/counted.h"
#include "core/base/text.h"
#include "core/memory/byte_source.h"
#include "core/platform/atomic_file.h"
#include "core/platform/log.h"
#include "tools/import/onnx/onnx_attributes.h"
#include "tools/plugins/onnxruntime/ep/ort_api.h"
#include "tools/plugins/onnxruntime/run/compiled_group.h"

#include <algorithm>
#include <filesystem>

namespace nnrt::ep {
namespace {

// A compiled group as a node of ONNX Runtime.
class NodeCompute : public OrtNodeComputeInfo {
 public:
  explicit NodeCompute(std::shared_ptr<CompiledGroup> group);

  const CompiledGroup& group() const { return *group_; }

 private:
  static OrtStatus* ORT_API_CALL create_state(OrtNodeComputeInfo* self, OrtNodeComputeContext*, void** state);
  static OrtStatus* ORT_API_CALL compute(OrtNodeComputeInfo* self, void*, OrtKernelContext* context);
  static void ORT_API_CALL release_state(OrtNodeComputeInfo*, void*) {}

  Status run(OrtKernelContext* context) const;

  std::shared_ptr<CompiledGroup> group_;
};

Result<HostTensor> tensor_of(const OrtKernelContext* context, size_t index) {
  const OrtValue* value = nullptr;
  NNRT_TRY(taken(ort().KernelContext_GetInput(context, index, &value)));
  if (value == nullptr)
    return Error{Code::invalid_parameter, "Input " + std::to_string(index) + " is absent."};
  HostTensor tensor;
  NNRT_TRY(taken(ort().GetTensorData(value, &tensor.data)));
  OrtTensorTypeAndShapeInfo* info = nullptr;
  NNRT_TRY(taken(ort().GetTensorTypeAndShape(value, &info)));
  const Released<OrtTensorTypeAndShapeInfo> owned(info, ort().ReleaseTensorTypeAndShapeInfo);
  size_t rank = 0;
  NNRT_TRY(taken(ort().GetDimensionsCount(info, &rank)));
  tensor.shape.resize(rank);
  NNRT_TRY(taken(ort().GetDimensions(info, tensor.shape.data(), rank)));
  return tensor;
}

NodeCompute::NodeCompute(std::shared_ptr<CompiledGroup> group)
    : OrtNodeComputeInfo{}, group_(std::move(group)) {
  ort_version_supported = ORT_API_VERSION;
  CreateState = create_state;
  Compute = compute;
  ReleaseState = release_state;
}

OrtStatus* NodeCompute::create_state(OrtNodeComputeInfo* self, OrtNodeComputeContext*, void** state) {
  *state = self;
  return nullptr;
}

OrtStatus* NodeCompute::compute(OrtNodeComputeInfo* self, void*, OrtKernelContext* context) {
  return guarded([&] { return static_cast<NodeCompute*>(self)->run(context); });
}

Status NodeCompute::run(OrtKernelContext* context) const {
  size_t count = 0;
  NNRT_TRY(taken(ort().KernelContext_GetInputCount(context, &count)));
  std::vector<HostTensor> inputs;
  for (size_t i = 0; i < count; ++i) {
    NNRT_ASSIGN(inputs.emplace_back(), tensor_of(context, i));
  }
  return group_->run(inputs, [&](size_t index, const Dimensions& shape) -> Result<void*> {
    OrtValue* value = nullptr;
    void* data = nullptr;
    NNRT_TRY(taken(ort().KernelContext_GetOutput(context, index, shape.data(), shape.size(), &value)));
    if (value == nullptr) return Error{Code::failed, "Output " + std::to_string(index) + " has no memory."};
    NNRT_TRY(taken(ort().GetTensorMutableData(value, &data)));
    return data;
  });
}

// EPContext nodes: compiled models inside an ONNX file.
constexpr const char* kType = "EPContext";
constexpr const char* kDomain = "com.microsoft";

std::filesystem::path model_path_of(const OrtGraph* graph) {
  const ORTCHAR_T* path = nullptr;
  if (!taken(ort().Graph_GetModelPath(graph, &path)).ok() || path == nullptr) return {};
  return path;
}

// Writes the model beside the model of context nodes, and returns the file's name. Without a path for that
// one, ONNX Runtime puts it beside the original.
Result<std::string> write_beside(const ContextModels& contexts, const OrtGraph* graph,
                                 const std::string& name, const Bytes& bytes) {
  const std::filesystem::path model =
      contexts.path.empty() ? model_path_of(graph) : std::filesystem::path(contexts.path);
  if (model.empty())
    return Error{Code::invalid_path,
                 "A model from memory needs ep.context_file_path or ep.context_embed_mode."};
  const std::string file = cat(model.stem().string(), "_", name, ".nnrt");
  NNRT_TRY(replace_file((model.parent_path() / file).string(), bytes));
  return file;
}

// The file is in the model's folder, whatever the node says.
Result<Bytes> read_file(const std::filesystem::path& folder, const std::string& name) {
  const std::filesystem::path file(name);
  if (name.empty() || file != file.filename())
    return Error{Code::invalid_file, cat("The compiled model (", name, ") is not a file beside the model.")};
  NNRT_ASSIGN(const auto source, source_of_file((folder / file).string(), Code::invalid_path));
  Bytes bytes(source->size());
  NNRT_TRY(source->read(0, bytes));
  return bytes;
}

class AttributeList {
 public:
  AttributeList() = default;
  ~AttributeList() {
    for (OrtOpAttr* const attribute : attributes_) ort().ReleaseOpAttr(attribute);
  }
  AttributeList(const AttributeList&) = delete;
  AttributeList& operator=(const AttributeList&) = delete;

  Status add(const char* name, const void* data, size_t size, OrtOpAttrType type) {
    attributes_.push_back(nullptr);
    return taken(ort().CreateOpAttr(name, data, static_cast<int>(size), type, &attributes_.back()));
  }
  Status add(const char* name, int64_t value) { return add(name, &value, 1, ORT_OP_ATTR_INT); }
  Status add(const char* name, const std::string& value) {
    return add(name, value.data(), value.size(), ORT_OP_ATTR_STRING);
  }
  std::vector<OrtOpAttr*>& attributes() { return attributes_; }

 private:
  std::vector<OrtOpAttr*> attributes_;
};

// ONNX Runtime's strings end at a zero byte: every byte becomes two letters.
std::string to_letters(ByteView bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    text.push_back(static_cast<char>('a' + (static_cast<int>(byte) >> 4)));
    text.push_back(static_cast<char>('a' + (static_cast<int>(byte) & 15)));
  }
  return text;
}

Result<Bytes> from_letters(const std::string& text) {
  Bytes bytes(text.size() / 2);
  for (size_t i = 0; i < text.size(); ++i) {
    const int half = text[i] - 'a';
    if (text.size() % 2 != 0 || half < 0 || half > 15)
      return Error{Code::invalid_file, "The compiled model in the node is damaged."};
    bytes[i / 2] |= static_cast<std::byte>(i % 2 == 0 ? half << 4 : half);
  }
  return bytes;
}

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> result;
  for (const std::string& text : texts) result.push_back(text.c_str());
  return result;
}

// Whether this provider made the node.
bool is_context(const onnx_file::NodeProto& node) {
  return node.op_type() == kType && node.domain() == kDomain &&
         import::onnx::Attributes(node).text("source") == kEpName;
}

// The compiled model, from the node or from the file that it names.
Result<Bytes> model_of_context(const onnx_file::NodeProto& node, const OrtGraph* graph) {
  const import::onnx::Attributes attributes(node);
  const std::string text = attributes.text("ep_cache_context");
  if (attributes.integer("embed_mode", 1) != 0) return from_letters(text);
  return read_file(model_path_of(graph).parent_path(), text);
}

Result<Released<OrtNode>> make_context_node(const plugins::CompiledNetwork& model, const OrtGraph* graph,
                                            const OrtNode* fused, const ContextModels& contexts) {
  NNRT_ASSIGN(const Boundary boundary, boundary_of(fused));
  NNRT_ASSIGN(const std::string name, name_of(fused));
  NNRT_ASSIGN(const Bytes bytes, model.export_model());
  AttributeList attributes;
  NNRT_TRY(attributes.add("main_context", 1));
  NNRT_TRY(attributes.add("embed_mode", contexts.is_embedded ? 1 : 0));
  NNRT_TRY(attributes.add("source", std::string(kEpName)));
  NNRT_TRY(attributes.add("partition_name", name));
  if (contexts.is_embedded) {
    NNRT_TRY(attributes.add("ep_cache_context", to_letters(bytes)));
  } else {
    NNRT_ASSIGN(const std::string file, write_beside(contexts, graph, name, bytes));
    NNRT_TRY(attributes.add("ep_cache_context", file));
  }
  const auto inputs = pointers(boundary.inputs), outputs = pointers(boundary.outputs);
  OrtNode* made = nullptr;
  NNRT_TRY(taken(tables().editor->CreateNode(kType, kDomain, name.c_str(), inputs.data(), inputs.size(),
                                             outputs.data(), outputs.size(), attributes.attributes().data(),
                                             attributes.attributes().size(), &made)));
  return Released<OrtNode>(made, ort().ReleaseNode);
}

constexpr int kDistinctNames = 25;  // first version that names the groups of a session differently

}  // namespace

ExecutionProvider::ExecutionProvider(plugins::PluginDevice device, plugins::PluginOptions options,
                                     ContextModels contexts, const OrtLogger* logger)
    : OrtEp{},
      device_(std::move(device)),
      options_(std::move(options)),
      contexts_(std::move(contexts)),
      logger_(logger) {
  ort_version_supported = ORT_API_VERSION;
  GetName = name;
  GetCapability = get_capability;
  Compile = compile;
  ReleaseNodeComputeInfos = release_computes;
}

void ExecutionProvider::log(OrtLoggingLevel level, const std::string& message) const {
  static_cast<void>(
      taken(ort().Logger_LogMessage(logger_, level, message.c_str(), __FILE__, __LINE__, kEpName)));
}

OrtStatus* ExecutionProvider::get_capability(OrtEp* self, const OrtGraph* graph,
                                             OrtEpGraphSupportInfo* support) noexcept {
  return guarded([&] { return static_cast<ExecutionProvider*>(self)->get_capability(graph, support); });
}

std::vector<Group> ExecutionProvider::groups_of(OrtGraphReading& reading) const {
  const auto ask = [&](HostGraph& graph, const Group& group) {
    return ask_device(graph, group, device_, options_);
  };
  const auto declined = [&](int position, const std::string& reason) {
    const auto& node = reading.graph.nodes[static_cast<size_t>(position)].proto;
    log(ORT_LOGGING_LEVEL_INFO, cat("Node ", node.name(), " (", node.op_type(), ") is left: ", reason));
  };
  return accepted_groups(reading.graph, ask, declined);
}

Result<bool> ExecutionProvider::is_in_taken_node(const OrtGraph* graph) const {
  const OrtNode* parent = nullptr;
  NNRT_TRY(taken(ort().Graph_GetParentNode(graph, &parent)));
  if (parent == nullptr) return false;
  const OrtGraph* outer = nullptr;
  NNRT_TRY(taken(ort().Node_GetGraph(parent, &outer)));
  if (outer == nullptr) return false;
  NNRT_ASSIGN(const bool is_deeper, is_in_taken_node(outer));
  if (is_deeper) return true;
  NNRT_ASSIGN(OrtGraphReading reading, read_graph(outer));
  const auto position = static_cast<int>(std::ranges::find(reading.nodes, parent) - reading.nodes.begin());
  return std::ranges::any_of(groups_of(reading),
                             [&](const Group& group) { return std::ranges::binary_search(group, position); });
}

Status ExecutionProvider::get_capability(const OrtGraph* graph, OrtEpGraphSupportInfo* support) {
  NNRT_ASSIGN(const bool is_inner, is_in_taken_node(graph));
  if (is_inner) return {};
  NNRT_ASSIGN(OrtGraphReading reading, read_graph(graph));
  if (tables().minor_version < kDistinctNames && (reading.is_body || has_compiled_)) {
    log(ORT_LOGGING_LEVEL_INFO,
        "ONNX Runtime before 1.25 gives groups in several graphs the same name: this graph is skipped.");
    return {};
  }
  std::vector<Group> groups = groups_of(reading);
  for (const auto& [name, value] : reading.graph.values)
    if (value.is_inferred) inferred_.insert_or_assign(name, value);
  for (int i = 0; i < static_cast<int>(reading.graph.nodes.size()); ++i)
    if (is_context(reading.graph.nodes[static_cast<size_t>(i)].proto)) groups.push_back({i});
  OrtNodeFusionOptions fusion{};
  fusion.ort_version_supported = ORT_API_VERSION;
  fusion.drop_constant_initializers = true;  // the compiled model has them
  size_t count = 0;
  for (const Group& group : groups) {
    std::vector<const OrtNode*> nodes;
    for (const int position : group) nodes.push_back(reading.nodes[static_cast<size_t>(position)]);
    NNRT_TRY(
        taken(tables().ep->EpGraphSupportInfo_AddNodesToFuse(support, nodes.data(), nodes.size(), &fusion)));
    count += nodes.size();
  }
  log(ORT_LOGGING_LEVEL_INFO, cat(count, " of ", counted(reading.nodes.size(), "node runs", "nodes run"),
                                  " on ", device_.name, " in ", counted(groups.size(), "group"), "."));
  return {};
}

Result<plugins::CompiledNetwork> ExecutionProvider::compile(const OrtGraph* graph,
                                                            const OrtNode* fused) const {
  NNRT_ASSIGN(OrtGraphReading reading, read_graph(graph));
  for (auto& [name, value] : reading.graph.values) {
    const auto known = inferred_.find(name);
    const bool has_no_rank = value.info.type().tensor_type().shape().dim_size() == 0;  // as far as is known
    if (known != inferred_.end() && has_no_rank && !value.is_constant) value = known->second;
  }
  NNRT_ASSIGN(const std::string name, name_of(fused));
  const std::vector<HostNode>& nodes = reading.graph.nodes;
  if (nodes.size() == 1 && is_context(nodes[0].proto)) {
    NNRT_ASSIGN(Bytes model, model_of_context(nodes[0].proto, graph));
    return plugins::CompiledNetwork::restore(std::move(model), device_, options_);
  }
  Group group(nodes.size());
  for (size_t i = 0; i < group.size(); ++i) group[i] = static_cast<int>(i);
  NNRT_ASSIGN(const Boundary boundary, boundary_of(fused));
  int failed = -1;
  NNRT_ASSIGN(Network network,
              import_group(reading.graph, group, boundary, import::Constants::copied, failed));
  return plugins::CompiledNetwork::build(std::move(network), device_, options_, name, contexts_.is_enabled);
}

OrtStatus* ExecutionProvider::compile(OrtEp* self, const OrtGraph** graphs, const OrtNode** fused,
                                      size_t count, OrtNodeComputeInfo** computes,
                                      OrtNode** contexts) noexcept {
  auto* const provider = static_cast<ExecutionProvider*>(self);
  return guarded([&]() -> Status {
    provider->has_compiled_ = true;
    std::vector<std::unique_ptr<NodeCompute>> made;
    std::vector<Released<OrtNode>> nodes;
    for (size_t i = 0; i < count; ++i) {
      auto model = provider->compile(graphs[i], fused[i]);
      if (!model.ok()) return std::move(model).error().during(cat("compiling for ", provider->device_.name));
      NNRT_ASSIGN(auto group, CompiledGroup::create(std::move(model).value()));
      if (provider->contexts_.is_enabled) {
        NNRT_ASSIGN(auto node, make_context_node(group->model(), graphs[i], fused[i], provider->contexts_));
        nodes.push_back(std::move(node));
      }
      made.push_back(std::make_unique<NodeCompute>(std::move(group)));
    }
    for (size_t i = 0; i < count; ++i) computes[i] = made[i].release();
    for (size_t i = 0; i < nodes.size(); ++i) contexts[i] = nodes[i].release();
    return {};
  });
}

void ExecutionProvider::release_computes(OrtEp*, OrtNodeComputeInfo** computes, size_t count) noexcept {
  for (size_t i = 0; i < count; ++i) {
    const std::unique_ptr<NodeCompute> compute(static_cast<NodeCompute*>(computes[i]));
    if (compute == nullptr) continue;
    // The session's logger no longer exists.
    best_effort([&] {
      const CompiledGroup& group = compute->group();
      nnrt::log(LogLevel::info, cat("Group ", i, " copied ", counted(group.copied_bytes(), "byte"), " in ",
                                    counted(group.runs(), "run"), "."));
    });
  }
}

}  // namespace nnrt::ep
