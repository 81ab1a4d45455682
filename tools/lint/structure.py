"""Layers and rooms."""
import posixpath
import re

import rooms
from tree import SOURCES, Problem, folder_of, is_public, is_within

ROW = re.compile(r'^\| `([^`]+)` \| .*\S.* \|$', re.MULTILINE)


def is_foreign(path):
    return any(is_within(path, folder) for folder in rooms.FOREIGN)


def layers(tree, table=rooms.LAYERS):
    for folder, forbidden, exceptions in table:
        paths = tree.having({'.h', '.cpp'}, folder)
        if not paths:
            yield Problem('tools/lint/rooms.py', 0, f'LAYERS names {folder}, which has no sources')
        for path in paths:
            for line, header in tree.includes(path):
                if any(is_within(header, name) for name in forbidden.split()) and not any(
                        is_within(header, name) for name in exceptions.split()):
                    yield Problem(path, line, f'{folder} may not include {header} (LAYERS in tools/lint/rooms.py)')


def place(area, room):
    return area if room == '.' else f'{area}/{room}'


def room_of(area, table, path):
    """The innermost room that holds the file."""
    found = [room for room in table if is_within(folder_of(path), place(area, room))]
    return max(found, key=lambda room: len(place(area, room)), default=None)


def room_includes(tree, areas=rooms.AREAS):
    for area, table in areas.items():
        known = set()
        empty = set(table)
        for room, allowed in table.items():
            for name in set(allowed.split()) - known:
                yield Problem('tools/lint/rooms.py', 0, f'{name} of {area} must precede {room}, which includes it')
            known.add(room)
        for path in tree.having(SOURCES, area):
            room = room_of(area, table, path)
            if room is None:
                yield Problem(path, 0, f'{folder_of(path)} is no room of {area} (AREAS in tools/lint/rooms.py)')
                continue
            empty.discard(room)
            for line, header in tree.includes(path):
                if not is_within(header, area):
                    continue
                other = room_of(area, table, header)
                if other != room and other not in table[room].split():
                    yield Problem(path, line, f'{place(area, room)} may not include {header} (AREAS in tools/lint/rooms.py)')
        yield from (Problem('tools/lint/rooms.py', 0, f'{place(area, room)} has no sources') for room in sorted(empty))


def described_folders(tree, folder):
    """Folders with a row in the README of this folder or its nearest parent, in order."""
    while folder and not tree.exists(f'{folder}/README.md'):
        folder = folder_of(folder)
    page = posixpath.join(folder, 'README.md')
    rows = ROW.findall(tree.text(page)) if tree.exists(page) else []
    return page, [posixpath.normpath(posixpath.join(folder, row)) for row in rows]


def readme_rows(tree, areas=rooms.AREAS):
    for area, table in areas.items():
        expected = [place(area, room) for room in table if room != '.']
        page, described = described_folders(tree, area)
        rows = [folder for folder in described if folder in expected]
        if rows != expected and tree.having(SOURCES, area):
            yield Problem(page, 0, f'lists the rooms of {area} as {rows}; tools/lint/rooms.py has {expected}')
    for folder in sorted({folder_of(path) for path in tree.having(SOURCES) if not is_public(path)}):
        if is_within(folder, 'tests') or is_within(folder, 'docs') or tree.exists(f'{folder}/README.md'):
            continue
        page, described = described_folders(tree, folder)
        if folder not in described:
            yield Problem(page, 0, f'has no row for {folder}')


COMMENT_OR_TEXT = re.compile(r'//[^\n]*|"(?:\\.|[^"\\\n])*"')
FUNCTION = r'^(?!return|using|friend|else)(?:\[\[[^\]]*\]\] )?[A-Za-z_][\w:<>,&*\s]*?[\s&*](?:\w+::)*(\w+)\(([^;{}]*)\)(?: const)?(?: noexcept)?'
DECLARATION, DEFINITION = (re.compile(FUNCTION + end, re.MULTILINE) for end in (';', r' \{'))


def definitions(tree, areas=rooms.AREAS):
    """A room defines the functions that its headers declare: calls follow includes. Functions without parameters are exempt: the lists
    of rows that many rooms add to one table."""
    for area, table in areas.items():
        defined = {}
        for path in tree.having({'.h', '.cpp'}, area):
            for name, _ in DEFINITION.findall(COMMENT_OR_TEXT.sub('', tree.text(path))):
                defined.setdefault(name, set()).add(room_of(area, table, path))
        for path in tree.having({'.h'}, area):
            if is_public(path):
                continue
            room = room_of(area, table, path)
            for name, parameters in DECLARATION.findall(COMMENT_OR_TEXT.sub('', tree.text(path))):
                others = defined.get(name, {room})
                if parameters.strip() and room not in others:
                    yield Problem(path, 0, f'declares {name}(), which {" and ".join(sorted(others))} defines')


UNCHECKED = re.compile(r'\bstd::vector<(?!(?:Row|Parameter|Refusal)>)|\bnnrt::Shape\b')


def checked_lists(tree, folders=rooms.CHECKED_LISTS):
    """What converts operators of files indexes lists whose length the file decides."""
    for folder in folders:
        for path in tree.having(SOURCES, folder):
            if is_within(path, f'{folder}/quantizer'):
                continue
            for number, line in enumerate(tree.text(path).splitlines(), 1):
                if UNCHECKED.search(line):
                    yield Problem(path, number, 'takes List or Dims, whose indices are checked (core/writer/list.h)')


SUBRANGE = re.compile(r'\bstd::ranges::(?:search|search_n|find_end|unique|remove|remove_if|partition|stable_partition|rotate|equal_range)\b')


def compiles_with_clang(tree):
    for path in tree.having(SOURCES):
        for number, line in enumerate(tree.text(path).splitlines(), 1):
            if SUBRANGE.search(line.split('//')[0]):
                yield Problem(path, number, 'clang 14 cannot compile algorithms of std::ranges that return subranges; use that of std')


COMPILE_EVENT = re.compile(r'trace::Span \w+\("compile", "([^"]+)"\)')


def traced_steps(tree, page='docs/trace.md'):
    """The page of traces names the steps of Build."""
    described = tree.text(page) if tree.exists(page) else ''
    for path in tree.having({'.cpp'}):
        for name in COMPILE_EVENT.findall(tree.text(path)):
            if f'`{name}`' not in described:
                yield Problem(path, 0, f'traces the step {name}, which {page} does not name')


CHECKS = (layers, room_includes, readme_rows, definitions, checked_lists, compiles_with_clang, traced_steps)
