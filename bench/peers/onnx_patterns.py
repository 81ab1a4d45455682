"""Matches node patterns that a hand-written PyTorch network would express as one call (linear layers, SiLU, attention), so that the peer is not
slower than necessary."""
from onnx_model import Node


class Uses:
    def __init__(self, model):
        self.model = model
        self.made_by = {name: node for node in model.nodes for name in node.outputs}
        self.read_by = {}
        for node in model.nodes:
            for name in node.inputs:
                self.read_by.setdefault(name, []).append(node)

    def producer(self, name, kind):
        """The producer of the value, if it has this type and the value has no other reader."""
        node = self.made_by.get(name)
        alone = node is not None and node.kind == kind and len(self.read_by.get(name, [])) == 1
        return node if alone and name not in self.model.outputs else None

    def is_constant(self, name):
        return name in self.model.constants


def both_ways(node, kind):
    """The operands of a node of this type, in both orders."""
    return (node.inputs, node.inputs[::-1]) if node.kind == kind else ()


def linear(uses, node):
    """Add(MatMul(x, constant matrix), constant vector)."""
    for value, bias in both_ways(node, "Add"):
        product = uses.producer(value, "MatMul") if uses.is_constant(bias) else None
        if product and uses.is_constant(product.inputs[1]) and len(uses.model.constants[product.inputs[1]].shape) == 2 \
                and len(uses.model.constants[bias].shape) == 1:
            return [product], Node("Linear", [*product.inputs, bias], node.outputs, {})
    return None


def silu(uses, node):
    """Mul(x, Sigmoid(x))."""
    for value, gate in both_ways(node, "Mul"):
        sigmoid = uses.producer(gate, "Sigmoid")
        if sigmoid and sigmoid.inputs == [value]:
            return [sigmoid], Node("Silu", [value], node.outputs, {})
    return None


def attention(uses, node):
    """MatMul(Softmax(MatMul(q, Transpose(k)) * scale [+ constant]), v)."""
    softmax = uses.producer(node.inputs[0], "Softmax") if node.kind == "MatMul" else None
    if not softmax:
        return None
    taken, scores, mask = [softmax], softmax.inputs[0], None
    added = uses.producer(scores, "Add")
    if added and uses.is_constant(added.inputs[1]):
        scores, mask = added.inputs
        taken.append(added)
    scaled = uses.producer(scores, "Mul")
    product = uses.producer(scaled.inputs[0], "MatMul") if scaled and uses.is_constant(scaled.inputs[1]) else None
    turned = uses.producer(product.inputs[1], "Transpose") if product else None
    if not turned:
        return None
    order = turned.attributes["perm"]
    if order != [*range(len(order) - 2), len(order) - 1, len(order) - 2]:
        return None
    inputs = [product.inputs[0], turned.inputs[0], node.inputs[1], scaled.inputs[1]] + ([mask] if mask else [])
    return taken + [scaled, product, turned], Node("Attention", inputs, node.outputs, {})


def simplified(model, patterns=(linear, silu, attention)):
    """The nodes, with each matched pattern replaced by one node."""
    uses, gone, nodes = Uses(model), set(), []
    for node in reversed(model.nodes):
        if id(node) in gone:
            continue
        found = next(filter(None, (pattern(uses, node) for pattern in patterns)), None)
        if found:
            gone.update(id(each) for each in found[0])
            node = found[1]
        nodes.append(node)
    return nodes[::-1]
