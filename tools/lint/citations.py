"""Checks that citations of docs/spec in comments and links between pages resolve (see docs/spec/README.md), that public functions are documented, and that the page
about new operators edits lines that exist."""
import functools
import posixpath
import re

from tree import Problem, folder_of, is_public, line_of

SPEC = 'docs/spec'
COMMENT = {'.h': '//', '.c': '//', '.cpp': '//', '.comp': '//', '.glsl': '//', '.js': '//',
           '.cmake': '#', '.txt': '#', '.py': '#', '.sh': '#'}
RULE = re.compile(r'\b([RA])(\d+)\b')
FUNCTION = re.compile(r'\bapi\.md (OH_\w+)')
SECTIONS = re.compile(r'\bapi\.md (\d[\d.]*(?:(?:, | and |, and )\d[\d.]*)*)')
OPERATOR = re.compile(r'\boperators/(\w+\.md) ([A-Z]\w+)')
NO_SECTION = re.compile(r'\bapi\.md(?! (?:\d|OH_))')
LINK = re.compile(r'\]\(([^)\s]+)\)')
DECLARATION = re.compile(r'(?:/\*\*((?:(?!\*/).)*)\*/)?\s*^(?!typedef)(\w[\w *]*?)\b((?:OH_|ANeural|CacheInfo)\w+)\(([^;{}]*)\);', re.DOTALL | re.MULTILINE)
PARAMETER = re.compile(r'\(\*(\w+)\)|(\w+)(?:\[\])?$')
EDIT = re.compile(r'In\s+`(?P<file>[^`]+)`|(?:after|before) the line `(?P<line>.+?)`:\n')
HEADERS = ('neural_network_core.h', 'neural_network_runtime.h')


def slug(heading):
    """GitHub's anchor of a heading."""
    return re.sub(r'[^a-z0-9_-]', '', heading.lower().replace(' ', '-'))


@functools.cache
def anchors(tree, page):
    if not tree.exists(page):
        return set()
    text = tree.text(page)
    return set(re.findall(r'<a id="([^"]+)">', text)) | {slug(heading) for heading in re.findall(r'^#+ (.+)$', text, re.MULTILINE)}


def cited(text):
    """(page, anchor) of each citation in a text."""
    for kind, number in RULE.findall(text):
        yield f'{SPEC}/{"rules" if kind == "R" else "api"}.md', kind.lower() + number
    for function in FUNCTION.findall(text):
        yield f'{SPEC}/api.md', function.lower()
    for sections in SECTIONS.findall(text):
        for section in re.findall(r'\d+(?:\.\d+)?', sections):
            yield f'{SPEC}/api.md', section
    for page, operator in OPERATOR.findall(text):
        yield f'{SPEC}/operators/{page}', operator.lower()


def prose(tree, path):
    """(line, text) of each comment (consecutive comment lines form one) or of each line of a page."""
    suffix = posixpath.splitext(path)[1]
    if suffix == '.md':
        yield from enumerate(tree.text(path).split('\n'), 1)
        return
    begin, block = 0, ''
    for number, line in enumerate(tree.text(path).split('\n') + [''], 1):
        _, mark, comment = line.partition(COMMENT[suffix])
        if mark:
            begin = begin or number
            block += comment
        elif begin:
            yield begin, block
            begin, block = 0, ''


def spec_citations(tree):
    for path in tree.having(COMMENT.keys() | {'.md'}):
        for line, text in prose(tree, path):
            for page, anchor in cited(text):
                if anchor not in anchors(tree, page):
                    yield Problem(path, line, f'cites {anchor}, which {page} does not have')
            if not path.endswith('.md') and NO_SECTION.search(text):
                yield Problem(path, line, 'cites no section of api.md')


def links(tree):
    for path in tree.having({'.md'}):
        text = tree.text(path)
        for match in LINK.finditer(text):
            page, _, anchor = match[1].partition('#')
            if '://' in page:
                continue
            target = posixpath.normpath(posixpath.join(folder_of(path), page)) if page else path
            if not tree.exists(target) or (anchor and anchor not in anchors(tree, target)):
                yield Problem(path, line_of(text, match.start()), f'links to {match[1]}, which does not exist')


def function_sections(tree):
    for header in (f'api/include/neural_network_runtime/{name}' for name in HEADERS):
        for function in sorted(set(re.findall(r'\b(OH_NN\w+)\(', tree.text(header)))) if tree.exists(header) else ():
            if function.lower() not in anchors(tree, f'{SPEC}/api.md'):
                yield Problem(f'{SPEC}/api.md', 0, f'has no section for {function}')



def parameters(text):
    """Names of the parameters in the parentheses of a declaration."""
    depth, names, start = 0, [], 0
    for i, char in enumerate(text + ','):
        depth += {'(': 1, ')': -1}.get(char, 0)
        if char == ',' and depth == 0:
            names += [''.join(match.groups('')) for match in [PARAMETER.search(text[start:i].strip())] if match]
            start = i + 1
    return [name for name in names if name != 'void']


def documented_functions(tree):
    for path in tree.having({'.h'}):
        if not is_public(path):
            continue
        text = tree.text(path)
        for match in DECLARATION.finditer(text):
            comment, kind, function, declared = match.groups('')
            missing = [name for name in parameters(declared) if not re.search(rf'@param {name}\b', comment)]
            if kind.strip() != 'void' and '@return' not in comment:
                missing.append('the result')
            if missing:
                yield Problem(path, line_of(text, match.start(3)), f'does not describe {", ".join(missing)} of {function}')


def edited_lines(tree, page='docs/adding-an-operator.md'):
    """The page puts edits before or after lines of files, which must occur there once."""
    file = None
    for match in EDIT.finditer(tree.text(page)):
        file = match['file'] or file
        if match['line']:
            lines = [text.strip() for text in tree.text(file).split('\n')] if tree.exists(file) else []
            if (count := lines.count(match['line'])) != 1:
                yield Problem(page, line_of(tree.text(page), match.start()), f'names a line that {file} has {count} times')


CHECKS = (spec_citations, links, function_sections, documented_functions, edited_lines)
