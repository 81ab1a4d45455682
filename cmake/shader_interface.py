"""Reads what a compute shader binds from its SPIR-V, so that kernels need no second declaration of it."""
from collections import defaultdict

HEADER_WORDS = 5
# Instructions.
TYPE_INT, TYPE_FLOAT, TYPE_VECTOR, TYPE_IMAGE, TYPE_SAMPLED_IMAGE, TYPE_ARRAY = 21, 22, 23, 25, 27, 28
TYPE_STRUCT, TYPE_POINTER, CONSTANT, SPEC_CONSTANT_COMPOSITE, VARIABLE, DECORATE, MEMBER_DECORATE = 30, 32, 43, 51, 59, 71, 72
# Decorations.
SPEC_ID, ARRAY_STRIDE, BUILT_IN, NON_WRITABLE, NON_READABLE, BINDING, DESCRIPTOR_SET, OFFSET = 1, 6, 11, 24, 25, 33, 34, 35
UNIFORM_CONSTANT, UNIFORM, PUSH_CONSTANT, STORAGE_BUFFER = 0, 2, 9, 12  # storage classes
WORKGROUP_SIZE, BUFFER_DIMENSION, SAMPLED = 25, 5, 1


class ShaderError(Exception):
    """The shader breaks a rule."""


def require(condition, message):
    if not condition:
        raise ShaderError(message)


def instructions(words):
    """Yields each instruction's opcode and operands."""
    position = HEADER_WORDS
    while position < len(words):
        size = words[position] >> 16
        yield words[position] & 0xffff, words[position + 1:position + size]
        position += size


class Interface:
    """The bindings of descriptor set 0, each as (kind, reads, writes), and the bytes of push constants."""

    def __init__(self, words):
        self.types, self.constants, self.composites, self.variables = {}, {}, {}, []
        self.decorations = defaultdict(dict)  # by id: {decoration: operand}
        self.members = defaultdict(lambda: defaultdict(dict))  # by structure and member
        for opcode, operands in instructions(words):
            self.read(opcode, operands)
        self.bindings, self.push_bytes = self.bound(), self.pushed()
        size = next((i for i, found in self.decorations.items() if found.get(BUILT_IN) == WORKGROUP_SIZE), None)
        ids = [self.decorations[i].get(SPEC_ID) for i in self.composites.get(size, [])]
        require(ids == [0, 1, 2], 'the local size is not that of the specialization constants 0 to 2')
        require(any(writes for _, _, writes in self.bindings), 'it writes nothing')

    def read(self, opcode, operands):
        if TYPE_INT <= opcode <= TYPE_POINTER:
            self.types[operands[0]] = opcode, operands[1:]
        elif opcode == CONSTANT:
            self.constants[operands[1]] = operands[2]
        elif opcode == SPEC_CONSTANT_COMPOSITE:
            self.composites[operands[1]] = operands[2:]
        elif opcode == VARIABLE:
            self.variables.append(operands[:3])
        elif opcode == DECORATE:
            self.decorations[operands[0]][operands[1]] = operands[2] if len(operands) > 2 else True
        elif opcode == MEMBER_DECORATE:
            self.members[operands[0]][operands[1]][operands[2]] = operands[3] if len(operands) > 3 else True

    def pointee(self, pointer):
        return self.types[pointer][1][1]

    def bound(self):
        found = {}
        for pointer, variable, storage in self.variables:
            if storage not in (UNIFORM_CONSTANT, UNIFORM, STORAGE_BUFFER):
                continue
            place = self.decorations[variable].get(DESCRIPTOR_SET), self.decorations[variable].get(BINDING)
            require(place[0] == 0 and place[1] not in found, f'the binding {place} is not one of set 0, or is used twice')
            found[place[1]] = self.buffer(pointer, variable) if storage == STORAGE_BUFFER else self.texels(pointer)
        require(sorted(found) == list(range(len(found))), f'there are gaps between the bindings {sorted(found)}')
        return [found[i] for i in range(len(found))]

    def buffer(self, pointer, variable):
        """An access is excluded by a decoration of the variable, or of all members of its block."""
        block = self.pointee(pointer)
        members = [self.members[block][i] for i in range(len(self.types[block][1]))]

        def excludes(decoration):
            return decoration in self.decorations[variable] or all(decoration in member for member in members)

        return 'storage', not excludes(NON_READABLE), not excludes(NON_WRITABLE)

    def texels(self, pointer):
        """Texels of four floats, which no shader writes."""
        opcode, operands = self.types[self.pointee(pointer)]
        if opcode == TYPE_SAMPLED_IMAGE:
            opcode, operands = self.types[operands[0]]
        require(opcode == TYPE_IMAGE and operands[1] == BUFFER_DIMENSION, 'a binding is not a buffer')
        return 'texels' if operands[5] == SAMPLED else 'images', True, False

    def pushed(self):
        blocks = [self.pointee(pointer) for pointer, _, storage in self.variables if storage == PUSH_CONSTANT]
        bytes_ = max(map(self.size, blocks), default=0)
        require(bytes_ <= 128, f'there are {bytes_} bytes of push constants; devices may allow only 128')
        return bytes_

    def size(self, type_):
        opcode, operands = self.types[type_]
        if opcode in (TYPE_INT, TYPE_FLOAT):
            return operands[0] // 8
        if opcode == TYPE_VECTOR:
            return operands[1] * self.size(operands[0])
        if opcode == TYPE_ARRAY:
            return self.decorations[type_][ARRAY_STRIDE] * self.constants[operands[1]]
        require(opcode == TYPE_STRUCT, f'push constants of type {opcode} have no known size')
        return max(self.members[type_][i][OFFSET] + self.size(member) for i, member in enumerate(operands))
