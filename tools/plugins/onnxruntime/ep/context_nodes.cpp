#include "tools/plugins/onnxruntime/ep/context_nodes.h"

#include "core/base/text.h"
#include "core/memory/byte_source.h"
#include "core/platform/atomic_file.h"
#include "tools/import/onnx/onnx_attributes.h"

#include <filesystem>

namespace nnrt::ep {
namespace {

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

}  // namespace

bool is_context(const onnx_file::NodeProto& node) {
  return node.op_type() == kType && node.domain() == kDomain &&
         import::onnx::Attributes(node).text("source") == kEpName;
}

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

}  // namespace nnrt::ep
