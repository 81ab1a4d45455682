"""Shaders with cooperative matrices, from what compilers of long-term distributions emit to what drivers want.

These compilers know VK_NV_cooperative_matrix alone. Many drivers know VK_KHR_cooperative_matrix alone, in which matrix types
also state their use.
"""
from shader_interface import CONSTANT, TYPE_INT, require

CAPABILITY, EXTENSION, CONSTANT_TRUE, CONSTANT_FALSE, LOAD, STORE, CONTROL_BARRIER = 17, 10, 41, 42, 61, 62, 224
NV_CAPABILITY, NV_TYPE, NV_LOAD, NV_STORE, NV_MULTIPLY_ADD, NV_LENGTH = range(5357, 5363)
KHR_TYPE, KHR_LOAD, KHR_STORE, KHR_MULTIPLY_ADD, KHR_LENGTH = range(4456, 4461)
KHR_CAPABILITY = 6022
NV_EXTENSION, KHR_EXTENSION = b'SPV_NV_cooperative_matrix', b'SPV_KHR_cooperative_matrix'
FIRST, SECOND, SUM = range(3)  # uses of a matrix type
ROW_MAJOR, COLUMN_MAJOR = range(2)
ALL_SIGNED = 0xf  # signed components of both operands, accumulator and result

MASKS = {LOAD: 3, STORE: 2, NV_LOAD: 5, NV_STORE: 4}  # index of the memory access operand; scopes come after it
ALIGNED, AVAILABLE, VISIBLE = 2, 8, 16  # memory access
BOTH = 0x6000  # memory semantics MakeAvailable and MakeVisible
WORKGROUP = 2  # scope


def has_matrices(code):
    return any(opcode == NV_TYPE for opcode, _ in code)


def with_barrier_visibility(code, bound):
    """Moves the visibility of shared memory from single accesses to barriers; returns the code and the bound of its ids.

    Under the Vulkan memory model, which cooperative matrices need, glslang marks every access to shared memory as
    MakePointerAvailable or MakePointerVisible, and drivers wait after each of them. Our shaders only communicate across
    barriers.
    """
    constants = {operands[1]: operands[2] for opcode, operands in code if opcode == CONSTANT and len(operands) == 3}
    semantics = {operands[2] for opcode, operands in code if opcode == CONTROL_BARRIER}
    require(semantics <= constants.keys(), 'the semantics of a barrier are not a constant')
    wider = {}

    def end_of_mask(operands, mask):
        return mask + (2 if operands[mask] & ALIGNED else 1)

    def is_marked(operands, mask):
        if mask is None or len(operands) <= mask or not operands[mask] & (AVAILABLE | VISIBLE):
            return False
        return constants.get(operands[end_of_mask(operands, mask)]) == WORKGROUP

    written = []
    for opcode, operands in code:
        mask = MASKS.get(opcode)
        if opcode == CONTROL_BARRIER:
            operands = [*operands[:2], wider[operands[2]]]
        elif is_marked(operands, mask):
            operands = [*operands[:mask], operands[mask] & ~(AVAILABLE | VISIBLE), *operands[mask + 1:end_of_mask(operands, mask)]]
        written.append((opcode, operands))
        if opcode == CONSTANT and operands[1] in semantics:
            wider[operands[1]] = bound
            written.append((CONSTANT, [operands[0], bound, operands[2] | BOTH]))
            bound += 1
    return written, bound


class Matrices:
    """What a module declares of matrices."""

    def __init__(self, code):
        self.uint = None
        self.uses, self.types, self.layouts = {}, {}, {}  # by matrix type, by matrix, by BOOL constant
        self.signed = set()  # integer types, and matrix types of them
        for opcode, operands in code:
            self.read(opcode, operands)

    def read(self, opcode, operands):
        if opcode == TYPE_INT:
            if operands[1:] == [32, 0]:
                self.uint = operands[0]
            if operands[2]:
                self.signed.add(operands[0])
        elif opcode in (CONSTANT_TRUE, CONSTANT_FALSE):
            self.layouts[operands[1]] = COLUMN_MAJOR if opcode == CONSTANT_TRUE else ROW_MAJOR
        elif opcode == NV_TYPE:
            self.uses[operands[0]] = None
            if operands[1] in self.signed:
                self.signed.add(operands[0])
        elif len(operands) > 1 and operands[0] in self.uses:  # the second operand is a value of this type
            self.types[operands[1]] = operands[0]
        if opcode == NV_MULTIPLY_ADD:
            for matrix, use in zip(operands[1:], (SUM, FIRST, SECOND, SUM)):
                self.note(self.types[matrix], use)

    def note(self, type_, use):
        require(self.uses[type_] in (None, use), 'a type of matrices has two uses')
        self.uses[type_] = use

    def layout(self, constant):
        require(constant in self.layouts, 'the layout of a matrix is not a constant')
        return self.layouts[constant]


def with_khr_matrices(code, bound):
    """The code by VK_KHR_cooperative_matrix, and the bound of its ids."""
    matrices = Matrices(code)
    require(matrices.uint is not None, 'it has no unsigned integers')
    written = []
    has_constants = False
    for opcode, operands in code:
        if opcode == CAPABILITY and operands[0] == NV_CAPABILITY:
            operands = [KHR_CAPABILITY]
        elif opcode == EXTENSION and text_of(operands) == NV_EXTENSION:
            operands = words_of(KHR_EXTENSION)
        elif opcode == NV_TYPE:
            if not has_constants:
                written += [(CONSTANT, [matrices.uint, bound + value, value]) for value in range(3)]
            has_constants = True
            use = matrices.uses[operands[0]]
            opcode, operands = KHR_TYPE, [*operands, bound + (SUM if use is None else use)]
        elif opcode in (NV_LOAD, NV_STORE):  # in both, the stride precedes the layout
            at = 3 if opcode == NV_LOAD else 2
            opcode = KHR_LOAD if opcode == NV_LOAD else KHR_STORE
            operands = [*operands[:at], bound + matrices.layout(operands[at + 1]), operands[at], *operands[at + 2:]]
        elif opcode == NV_MULTIPLY_ADD:  # signedness is not part of the type
            opcode, operands = KHR_MULTIPLY_ADD, [*operands, *([ALL_SIGNED] if operands[0] in matrices.signed else [])]
        elif opcode == NV_LENGTH:
            opcode = KHR_LENGTH
        written.append((opcode, operands))
    return written, bound + 3


def text_of(operands):
    return b''.join(word.to_bytes(4, 'little') for word in operands).split(b'\0')[0]


def words_of(text):
    padded = text + bytes(4 - len(text) % 4)
    return [int.from_bytes(padded[i:i + 4], 'little') for i in range(0, len(padded), 4)]
