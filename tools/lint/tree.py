"""The files of the tree, their texts and their includes."""
import functools
import pathlib
import posixpath
import re
from typing import NamedTuple

PARTS = ('api', 'backends', 'bench', 'cmake', 'core', 'docs', 'examples', 'mindspore', 'nnapi', 'python', 'shaders', 'tests', 'tools')
CODE = {'.h', '.cpp', '.comp', '.glsl'}
SOURCES = CODE | {'.c', '.py', '.js', '.sh'}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)


class Problem(NamedTuple):
    path: str
    line: int  # 0: the file or folder itself
    text: str

    def __str__(self):
        return f'{self.path}:{self.line}: {self.text}' if self.line else f'{self.path}: {self.text}'


def line_of(text, position):
    return text.count('\n', 0, position) + 1


def folder_of(path):
    return posixpath.dirname(path)


def is_within(path, folder):
    return path == folder or path.startswith(folder + '/')


def is_public(path):
    """Public headers have the names and paths clients expect."""
    return path.startswith(('api/include/', 'nnapi/include/', 'tools/import/include/'))


class Tree:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        found = [path for path in self.root.glob('*.md')]
        for part in PARTS:
            found += (path for path in (self.root / part).rglob('*') if '__pycache__' not in path.parts)
        self.files = sorted(path.relative_to(self.root).as_posix() for path in found if path.is_file())

    def having(self, suffixes, folder=None):
        return [path for path in self.files
                if posixpath.splitext(path)[1] in suffixes and (folder is None or is_within(path, folder))]

    def exists(self, path):
        return (self.root / path).exists()

    @functools.cache
    def text(self, path):
        return (self.root / path).read_text(encoding='utf-8', errors='replace')

    @functools.cache
    def includes(self, path):
        """(line, header) of each #include; headers next to the file, or of shaders, get their path from the root."""
        found = []
        for match in INCLUDE.finditer(self.text(path)):
            header = match[1]
            for place in (folder_of(path), 'shaders/include'):
                beside = posixpath.normpath(posixpath.join(place, header))
                if self.exists(beside):
                    header = beside
            found.append((line_of(self.text(path), match.start()), header))
        return found
