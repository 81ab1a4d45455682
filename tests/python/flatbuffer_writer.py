"""Writes FlatBuffers."""

import struct


class FlatBuffer:
    """Strings, vectors and tables; a table is a dict from slots to values, a scalar (format of struct, value)."""

    def __init__(self, root, identifier):
        self._bytes = bytearray(4) + identifier
        self._reference(0, root)

    def bytes(self):
        return bytes(self._bytes)

    def _align(self, size, after=0):
        self._bytes += bytes(-(len(self._bytes) + after) % size)

    def _reference(self, at, value):
        self._bytes[at:at + 4] = struct.pack('<I', self._write(value) - at)

    def _write(self, value):
        if isinstance(value, dict):
            return self._table(value)
        if isinstance(value, str):
            return self._vector(len(value), value.encode() + b'\0', 4)
        if isinstance(value, bytes):
            return self._vector(len(value), value, 16)
        if all(isinstance(item, int) for item in value):
            return self._vector(len(value), struct.pack(f'<{len(value)}i', *value), 4)
        position = self._vector(len(value), bytes(4 * len(value)), 4)
        for i, item in enumerate(value):
            self._reference(position + 4 + 4 * i, item)
        return position

    def _vector(self, count, data, alignment):
        self._align(alignment, after=4)
        position = len(self._bytes)
        self._bytes += struct.pack('<I', count) + data
        return position

    def _table(self, fields):
        offsets, data, references = [0] * (max(fields, default=-1) + 1), bytearray(4), []
        for slot, value in fields.items():
            scalar = value if isinstance(value, tuple) else ('I', 0)
            size = struct.calcsize(scalar[0])
            data += bytes(-len(data) % size)
            offsets[slot] = len(data)
            if not isinstance(value, tuple):
                references.append((len(data), value))
            data += struct.pack('<' + scalar[0], scalar[1])
        vtable = struct.pack(f'<{len(offsets) + 2}H', 2 * len(offsets) + 4, len(data), *offsets)
        self._align(4, after=len(vtable))
        position = len(self._bytes) + len(vtable)
        data[:4] = struct.pack('<i', len(vtable))
        self._bytes += vtable + data
        for at, value in references:
            self._reference(position + at, value)
        return position
