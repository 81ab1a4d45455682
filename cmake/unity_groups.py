"""Writes a source for each group of sources that are compiled together: unity_groups.py REQUESTS

The file REQUESTS has lines TARGET|FOLDER|MOST|SOURCE|SOURCE... This writes FOLDER/unity_<first source>.cxx, which includes two
to MOST of the sources, for each group, and prints TARGET|FILE|SOURCE|SOURCE... Sources may share a group if compiling them together does
not change their meaning. A name that is local to one source and that another one mentions is renamed by a macro; sources in which
that is not possible are kept apart.
"""
import functools
import os
import re
import sys

PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
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
ALIAS = re.compile(r'\b(?:using|namespace)\s+(\w+)\s*=|\busing\s+[\w:]*::(\w+)\s*$')
INTERNAL = re.compile(r'\b(?:static|const|constexpr|using)\b')
EXTERNAL = re.compile(r'\bextern\b')
INTERNAL_FUNCTION = re.compile(r'\b(?:static|constexpr|inline|template)\b')
MACRO = re.compile(r'[A-Z][A-Z_]+')  # TEST(Suite, Test) defines names made of both
INVOCATION = re.compile(r'\s*([A-Z][A-Z0-9_]+)\s*\((.*)', re.DOTALL)
QUALIFIED = re.compile(r'[.>:]([A-Za-z_]\w*)')  # members, among others
ENUM = re.compile(r'\benum\s+(?:class|struct)\s+(\w+)')
NO_NAMES = {'static_assert', 'template', 'operator', 'namespace'}


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
    """Yields (name, namespace, whether it is a type) of the functions, types and aliases that a header declares at namespace scope."""
    for statement, body in statements(text):
        inner = re.search(r'\bnamespace\b([\s\w:]*)$', statement)
        if inner:
            yield from declarations(body, f'{space}::{inner.group(1).strip()}')
        elif alias := ALIAS.search(statement):
            if alias.group(1):
                yield alias.group(1), space, False
        elif '(' in statement or body:
            is_type = bool(TYPE.search(plain(statement))) and bool(body)
            yield from ((name, space, is_type) for name in defined(statement, body) - NO_NAMES)


def variables(text):
    """Yields the variables that a header defines at namespace scope."""
    for statement, body in statements(text):
        if re.search(r'\bnamespace\b[\s\w:]*$', statement):
            yield from variables(body)
        elif re.search(r'\bconst(expr)?\b', statement) and '(' not in plain(statement).split('=')[0]:
            yield from defined(statement, body)


def scopes(text, space=''):
    """Yields the namespaces that contain declarations."""
    for statement, body in statements(text):
        inner = re.search(r'\bnamespace\b([\s\w:]*)$', statement)
        if not inner:
            yield space
        elif not inner.group(1).strip():
            yield from scopes(body, space)
        else:
            yield from scopes(body, f'{space}::{inner.group(1).strip()}')


def within(scope, space):
    return f'{scope}::'.startswith(f'{space}::')


def ends_in(scope, space):
    return f'{scope}::'.endswith(f'::{space}::')


def enumerators(text):
    """Yields (enumeration, enumerator) of scoped enumerations."""
    for mark in ENUM.finditer(text):
        body = re.match(r'[^{;]*{([^}]*)}', text[mark.end():])
        if body:
            yield from ((mark.group(1), name) for name in ENUMERATOR.findall(body.group(1)))


@functools.cache
def stripped(path):
    """The text of a file without comments, strings and preprocessor directives."""
    return DIRECTIVE.sub('', NOISE.sub('""', read(path)))


@functools.cache
def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


@functools.cache
def declared(path):
    return frozenset(declarations(stripped(path)))


@functools.cache
def variables_of(path):
    return frozenset(variables(stripped(path)))


@functools.cache
def enumerated(path):
    return frozenset(enumerators(stripped(path)))


class Unit:
    """What one file mentions."""

    def __init__(self, text):
        self.words = set(WORD.findall(text))
        self.calls = set(CALL.findall(text))
        self.scopes = set(scopes(text))

    def finds_first(self, space, others):
        """Whether this unit looks for a name in a namespace before it looks in others that declare it too."""
        return any(within(scope, space) and not any(within(scope, other) and within(other, space) for other in others)
                   for scope in self.scopes)

    def mentions(self, names, functions):
        # A variable or a member hides a function of the same name, so only what looks like a call or a declaration may mean it.
        return names & self.words | functions & self.calls


@functools.cache
def header(path):
    return Unit(stripped(path))


@functools.cache
def included_by(path):
    return frozenset(included(read(path)))


def included(text):
    """The project headers included by a text, transitively."""
    names = (os.path.join(PROJECT, name) for name in INCLUDE.findall(text))
    found = {name for name in names if os.path.exists(name)}
    return found.union(*(included_by(name) for name in found))


def leading_includes(text):
    """The #include lines of a source, or None if one depends on other directives."""
    lines = re.findall(r'^[ \t]*#[ \t]*(\w+)[^\n]*', text, re.MULTILINE)
    last = max((i for i, word in enumerate(lines) if word == 'include'), default=-1)
    if any(word != 'include' for word in lines[:last]):
        return None
    return re.findall(r'^#include [^\n]*', text, re.MULTILINE)


class Source:
    def __init__(self, path):
        self.path = path
        text = read(path)
        self.headers = included(text)
        self.includes = leading_includes(text)
        self.declared = {}  # name -> {(namespace, whether it is a type, header)}
        for header_path in self.headers:
            for name, space, is_type in declared(header_path):
                self.declared.setdefault(name, set()).add((space, is_type, header_path))
        text = NOISE.sub('""', text)
        macros = set(re.findall(r'^[ \t]*#\s*define\s+(\w+)', text, re.MULTILINE))
        self.own = set(macros)  # names local to this source, except functions
        self.functions = set()
        self.aliases = {}  # may be shared if they mean the same
        self.opened = set()  # using namespace, using enum
        directives = ''.join(mark.group() for mark in DIRECTIVE.finditer(text) if 'include' not in mark.group())
        self.fixed = macros | set(re.findall(r'\w+', directives))  # names that a macro must not replace
        text = DIRECTIVE.sub('', text)
        self.unit = Unit(text)
        self.read(text, unnamed=False)
        self.functions -= self.own | NO_NAMES | {name for name in self.functions if MACRO.fullmatch(name)}
        self.own -= NO_NAMES | {name for name in self.own if MACRO.fullmatch(name) and name not in macros}
        local = self.own | self.functions | self.aliases.keys()
        for name, meaning in self.aliases.items():
            if local & set(re.findall(r'\w+', meaning.partition('=')[2])):
                self.aliases[name] = f'{meaning} {path}'  # of a type that other sources do not see
        self.unknown = self.unit.words - local - self.declared.keys() - set().union(*map(variables_of, self.headers))
        self.replaceable = set()
        if self.includes is not None:
            foreign = set().union(*(header(name).words for name in self.headers))
            self.replaceable = local - self.fixed - foreign - set(QUALIFIED.findall(text))

    def read(self, text, unnamed):
        for statement, body in statements(text):
            space = re.search(r'\bnamespace\b([\s\w:]*)$', statement)
            alias = ALIAS.search(statement)
            opened = OPENED.search(statement)
            invocation = INVOCATION.match(statement)
            if invocation:
                self.fixed |= set(WORD.findall(invocation.group(2)))  # TEST_F(Suite, Test) makes a string of each
            if opened:
                self.opened.add(opened.group(1))
            elif alias:
                self.aliases[alias.group(1) or alias.group(2)] = ' '.join(statement[alias.start():].split())
            elif space:
                self.read(body, unnamed or not space.group(1).strip())
            elif is_function(statement, body):
                if unnamed or INTERNAL_FUNCTION.search(statement):
                    self.functions |= defined(statement, body)
            elif unnamed or (INTERNAL.search(statement) and not EXTERNAL.search(statement)):
                self.own |= defined(statement, body)

    def units_without(self, other):
        """This source and the headers that the other one does not include."""
        return [self.unit, *(header(name) for name in self.headers - other.headers)]

    def hides(self, other):
        """Whether a header of this source declares a name again that one of the other source's headers declares: in another
        namespace in which the other source looks for it, or as another type."""
        if any(variables_of(path) & other.unknown for path in self.headers - other.headers):
            return True  # g++ warns about local variables of that name
        units = other.units_without(self)
        for name in self.declared.keys() & other.declared.keys():
            seen = other.declared[name]
            spaces = {space for space, _, _ in seen}
            for space, is_type, path in self.declared[name]:
                if path in other.headers:
                    continue
                if space in spaces:
                    if is_type and any(entry[:2] == (space, True) for entry in seen):
                        return True
                elif any(name in unit.words and unit.finds_first(space, spaces) for unit in units):
                    return True
        return False

    def introduced(self, opened):
        """The names and the functions that `using namespace` or `using enum` makes visible; None if the headers do not say."""
        if opened.startswith('std::') and opened.endswith('_literals'):
            return set(), set()
        entries = {(name, is_type) for name, found in self.declared.items() for space, is_type, _ in found if ends_in(space, opened)}
        names = {name for name, is_type in entries if is_type}
        functions = {name for name, is_type in entries if not is_type}
        enumeration = opened.split('::')[-1]
        names |= {name for path in self.headers for owner, name in enumerated(path) if owner == enumeration}
        return (names, functions) if names or functions else None

    def opens_to(self, other):
        """Whether namespaces or enumerations that only this source opens change names of the other one."""
        for opened in self.opened - other.opened:
            introduced = self.introduced(opened)
            if introduced is None:
                return True
            for unit in other.units_without(self):
                inside = all(ends_in(scope, opened) or f'::{opened}::' in scope for scope in unit.scopes)
                if not inside and unit.mentions(*introduced):
                    return True
        return False

    def disturbed(self, other):
        """The names of this source that mean something else in the other one."""
        aliases = {name for name, meaning in self.aliases.items() if other.aliases.get(name) != meaning}
        units = other.units_without(self)
        return self.functions & other.own | set().union(*(unit.mentions(self.own | aliases, self.functions) for unit in units))

    def renamed_beside(self, other):
        """The names to replace in this source so that the other one is not disturbed, or None if that is not possible."""
        found, back = self.disturbed(other), other.disturbed(self)
        if any(name not in other.replaceable for name in found - self.replaceable):
            return None
        return found & self.replaceable | (back - other.replaceable) & self.replaceable


def fits(source, group):
    return not any(
        os.path.basename(source.path) == os.path.basename(other.path)
        or source.opens_to(other) or other.opens_to(source) or source.hides(other) or other.hides(source)
        or source.renamed_beside(other) is None or other.renamed_beside(source) is None for other in group)


def text_of(group):
    """The text of a source that includes all sources of a group."""
    includes, lines = {}, []
    for source in group:
        stem = re.sub(r'\W', '_', os.path.splitext(os.path.basename(source.path))[0])
        names = sorted(set().union(*(source.renamed_beside(other) for other in group if other is not source)))
        if names:
            includes |= dict.fromkeys(source.includes)
        lines += [f'#define {name} {name}_of_{stem}' for name in names]
        lines += [f'#include "{source.path}"', *(f'#undef {name}' for name in names)]
    return '\n'.join([*includes, *lines, ''])


def write_groups(folder, most, paths):
    """Writes the sources of groups; yields the path of each and its sources."""
    groups = []
    for source in map(Source, paths):
        group = next((group for group in groups if len(group) < most and fits(source, group)), None)
        if group:
            group.append(source)
        else:
            groups.append([source])
    os.makedirs(folder, exist_ok=True)
    taken = set()
    for group in groups:
        if len(group) > 1:
            first = os.path.splitext(group[0].path)[0]
            name = next(name for name in (os.path.basename(first), re.sub(r'\W', '_', first)) if name not in taken)
            taken.add(name)
            path = os.path.join(folder, f'unity_{name}.cxx')
            text = text_of(group)
            if not os.path.exists(path) or read(path) != text:
                with open(path, 'w', encoding='utf-8') as file:
                    file.write(text)
            yield path, *(source.path for source in group)


def main():
    for line in read(sys.argv[1]).splitlines():
        name, folder, most, *paths = line.split('|')
        for group in write_groups(folder, int(most), paths):
            print('|'.join([name, *group]))


if __name__ == '__main__':
    main()
