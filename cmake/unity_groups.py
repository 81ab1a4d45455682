"""Prints which sources of a target may be compiled together: unity_groups.py SOURCE...

Prints one line per group of two or more sources, separated by bars. Sources may share a group if none mentions a name that is
local to another one, so that compiling them together does not change their meaning.
"""
import functools
import os
import re
import sys

PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MAX_SOURCES = 12
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.MULTILINE)
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
DIRECTIVE = re.compile(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.MULTILINE)
BOUNDARY = re.compile(r'[;{}]')
WORD = re.compile(r'(?<![.>:\w])[A-Za-z_]\w*')  # except members
TYPE = re.compile(r'\b(?:struct|class|union|enum(?:\s+(?:class|struct))?|concept)\s+(\w+)')
OPENED = re.compile(r'\busing\s+(?:namespace|enum)\s+([\w:]+)')
ALIAS = re.compile(r'\b(?:using|namespace)\s+(\w+)\s*=')
INTERNAL = re.compile(r'\b(?:static|const|constexpr|using)\b')
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
    found = TYPE.search(statement)
    if found and '(' not in statement[:found.start()]:
        scoped = not re.search(r'\benum\s+(?!class|struct)', statement)
        return {found.group(1)} | (set() if scoped else set(re.findall(r'(?:^|,)\s*(\w+)', body)))
    names = re.findall(r',\s*(\w+)\s*=', statement)  # constexpr int a = 1, b = 2;
    first = re.search(r'(\w+)\s*(?:\[[^\]]*\]\s*)*$', re.split(r'[(=]', statement)[0].strip())
    return set(names) | ({first.group(1)} if first else set())


@functools.cache
def header(path):
    """The words of a project header, and the headers it includes."""
    with open(path, encoding='utf-8') as file:
        text = file.read()
    return set(WORD.findall(DIRECTIVE.sub('', NOISE.sub('""', text)))), included(text)


def included(text):
    """The project headers included by a text, transitively."""
    names = (os.path.join(PROJECT, name) for name in INCLUDE.findall(text))
    found = {name for name in names if os.path.exists(name)}
    return found.union(*(header(name)[1] for name in found))


class Source:
    def __init__(self, path):
        self.path = path
        with open(path, encoding='utf-8') as file:
            text = file.read()
        self.headers = included(text)
        text = NOISE.sub('""', text)
        macros = set(re.findall(r'^[ \t]*#\s*define\s+(\w+)', text, re.MULTILINE))
        self.own = set(macros)  # names local to this source
        self.aliases = {}  # may be shared if they mean the same
        self.opened = set()  # using namespace, using enum
        text = DIRECTIVE.sub('', text)
        self.words = set(WORD.findall(text))
        self.read(text, unnamed=False)
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
            elif unnamed or INTERNAL.search(statement):
                self.own |= defined(statement, body)

    def disturbs(self, other):
        words = other.words.union(*(header(name)[0] for name in other.headers - self.headers))
        return bool(self.own & words) or any(
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
