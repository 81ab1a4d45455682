"""Prints which sources of a target may be compiled together: unity_groups.py SOURCE...

Prints one line per group of two or more sources, separated by bars. Sources may share a group if none mentions a name that is
local to another one, so that compiling them together does not change their meaning.
"""
import functools
import os
import re
import sys

PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MAX_SOURCES = 24
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.MULTILINE)
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
DIRECTIVE = re.compile(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.MULTILINE)
BOUNDARY = re.compile(r'[;{}]')
WORD = re.compile(r'(?<![.>:\w])[A-Za-z_]\w*')  # except members
CALL = re.compile(r'(?<![.>:\w])([A-Za-z_]\w*)\s*[(<{]')
TYPE = re.compile(r'\b(?:struct|class|union|enum(?:\s+(?:class|struct))?|concept)\s+(\w+)')
UNNAMED_ENUM = re.compile(r'\benum\s*(?::[\s\w:]*)?$')
ENUMERATOR = re.compile(r'(?:^|,)\s*(\w+)')
OPENED = re.compile(r'\busing\s+(?:namespace|enum)\s+([\w:]+)')
ALIAS = re.compile(r'\b(?:using|namespace)\s+(\w+)\s*=')
INTERNAL = re.compile(r'\b(?:static|const|constexpr|using)\b')
INTERNAL_FUNCTION = re.compile(r'\b(?:static|constexpr|inline|template)\b')
MACRO = re.compile(r'[A-Z][A-Z_]+')  # TEST(Suite, Test) defines names made of both
NO_NAMES = {'static_assert', 'template', 'operator'}


def statements(text):
    """Yields (statement, body) for each statement directly in a scope; the body is the text in its braces."""
    start, depth, opened = 0, 0, 0
    for mark in BOUNDARY.finditer(text):
        i = mark.start()
        if text[i] == '{':
            depth += 1
            if depth == 1:
                opened = i
        elif text[i] == '}':
            depth = max(depth - 1, 0)
            if depth == 0:
                yield text[start:opened], text[opened + 1:i]
                start = i + 1
        elif depth == 0:
            yield text[start:i], ''
            start = i + 1


def plain(statement):
    """Removes attributes and the contents of angle brackets."""
    statement = re.sub(r'\[\[.*?\]\]', '', statement)
    while (shorter := re.sub(r'<[^<>]*>', '', statement)) != statement:
        statement = shorter
    return statement


def defined(statement, body):
    """The names defined by a statement at namespace scope."""
    statement = plain(statement)
    if UNNAMED_ENUM.search(statement):
        return set(ENUMERATOR.findall(body))
    found = TYPE.search(statement)
    if found and '(' not in statement[:found.start()]:
        scoped = not re.search(r'\benum\s+(?!class|struct)', statement)
        return {found.group(1)} | (set() if scoped else set(ENUMERATOR.findall(body)))
    names = re.findall(r',\s*(\w+)\s*=', statement)  # constexpr int a = 1, b = 2;
    first = re.search(r'(\w+)\s*(?:\[[^\]]*\]\s*)*$', re.split(r'[(=]', statement)[0].strip())
    return set(names) | ({first.group(1)} if first else set())


def is_function(statement, body):
    return bool(body) and not TYPE.search(statement) and re.match(r'[^=]*\w\s*\(', plain(statement)) is not None


def declarations(text, space=''):
    """Yields (name, namespace, whether it is a type) of what a header declares at namespace scope."""
    for statement, body in statements(text):
        inner = re.search(r'\bnamespace\b([\s\w:]*)$', statement)
        if inner:
            yield from declarations(body, f'{space}::{inner.group(1).strip()}')
        elif '(' in statement or body:
            is_type = bool(TYPE.search(plain(statement))) and bool(body)
            yield from ((name, space, is_type) for name in defined(statement, body))


@functools.cache
def declared(path):
    with open(path, encoding='utf-8') as file:
        return frozenset(declarations(DIRECTIVE.sub('', NOISE.sub('""', file.read()))))


@functools.cache
def header(path):
    """The words of a project header, those it calls, and the headers it includes."""
    with open(path, encoding='utf-8') as file:
        text = file.read()
    plain_text = DIRECTIVE.sub('', NOISE.sub('""', text))
    return set(WORD.findall(plain_text)), set(CALL.findall(plain_text)), included(text)


def included(text):
    """The project headers included by a text, transitively."""
    names = (os.path.join(PROJECT, name) for name in INCLUDE.findall(text))
    found = {name for name in names if os.path.exists(name)}
    return found.union(*(header(name)[2] for name in found))


class Source:
    def __init__(self, path):
        self.path = path
        with open(path, encoding='utf-8') as file:
            text = file.read()
        self.headers = included(text)
        self.declared = {}  # name -> {(namespace, whether it is a type, header)}
        for path in self.headers:
            for name, space, is_type in declared(path):
                self.declared.setdefault(name, set()).add((space, is_type, path))
        text = NOISE.sub('""', text)
        macros = set(re.findall(r'^[ \t]*#\s*define\s+(\w+)', text, re.MULTILINE))
        self.own = set(macros)  # names local to this source, except functions
        self.functions = set()
        self.aliases = {}  # may be shared if they mean the same
        self.opened = set()  # using namespace, using enum
        text = DIRECTIVE.sub('', text)
        self.words = set(WORD.findall(text))
        self.calls = set(CALL.findall(text))
        self.read(text, unnamed=False)
        self.functions -= self.own | NO_NAMES | {name for name in self.functions if MACRO.fullmatch(name)}
        self.own -= NO_NAMES | {name for name in self.own if MACRO.fullmatch(name) and name not in macros}

    def read(self, text, unnamed):
        for statement, body in statements(text):
            space = re.search(r'\bnamespace\b([\s\w:]*)$', statement)
            alias = ALIAS.search(statement)
            opened = OPENED.search(statement)
            if opened:
                self.opened.add(opened.group(1))
            elif alias:
                self.aliases[alias.group(1)] = ' '.join(statement[alias.start():].split())
            elif space:
                self.read(body, unnamed or not space.group(1).strip())
            elif is_function(statement, body):
                if unnamed or INTERNAL_FUNCTION.search(statement):
                    self.functions |= defined(statement, body)
            elif unnamed or INTERNAL.search(statement):
                self.own |= defined(statement, body)

    def hides(self, other):
        """Whether a header of this source declares a name again that one of the other source's headers declares: in another
        namespace, where it may hide that one, or as another type."""
        for name in self.declared.keys() & other.declared.keys():
            seen = other.declared[name]
            spaces = {space for space, _, _ in seen}
            for space, is_type, path in self.declared[name]:
                if path not in other.headers and (space not in spaces or is_type and any(entry[1] for entry in seen)):
                    return True
        return False

    def disturbs(self, other):
        if self.hides(other):
            return True
        headers = [header(name) for name in other.headers - self.headers]
        words = other.words.union(*(words for words, _, _ in headers))
        # A variable or a member hides a function of the same name, so only what looks like a call or a declaration may mean it.
        calls = other.calls.union(*(calls for _, calls, _ in headers))
        return bool(self.own & words or self.functions & (calls | other.own)) or any(
            name in words and other.aliases.get(name) != meaning for name, meaning in self.aliases.items())


def main():
    groups = []
    for source in map(Source, sys.argv[1:]):
        for group in groups:
            if (len(group) < MAX_SOURCES and group[0].opened == source.opened
                    and not any(source.disturbs(other) or other.disturbs(source) for other in group)):
                group.append(source)
                break
        else:
            groups.append([source])
    for group in groups:
        if len(group) > 1:
            print('|'.join(source.path for source in group))


if __name__ == '__main__':
    main()
