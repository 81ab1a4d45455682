"""Lists the messages of the sources: string literals that form sentences, with `{}` for the values between them."""
import re

from tree import is_public, line_of

# Comments, raw strings, strings, characters, then punctuation and words.
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\((?:.*?)\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'|[;{}]|->|::|\w+|\S', re.S)
PARTS = ('api/', 'backends/', 'core/', 'nnapi/', 'python/', 'tools/')
SENTENCE = re.compile(r'\w+ \S.*\.$', re.S)


def unescaped(literal):
    return re.sub(r'\\(.)', lambda match: {'n': '\n', 't': ' '}.get(match[1], match[1]), literal[1:-1])


def joined(pieces):
    return re.sub(r'(\{\}\s?)+(?=\{\})', '', ''.join(pieces)).strip('{} ')


def messages_of(text):
    """Yields (line, message) for each statement of a source."""
    pieces, start, has_text = [], 0, False
    for token in TOKEN.finditer(text):
        word = token[0]
        if word.startswith(('//', '/*')):
            continue
        if word in ';{}':
            message = joined(pieces) if has_text else ''
            if SENTENCE.search(message):
                yield line_of(text, start), message
            pieces, has_text = [], False
        elif word.startswith('"'):
            if not has_text:
                pieces, start = [], token.start()
            pieces.append(unescaped(word))
            has_text = True
        elif has_text and re.match(r'\w', word) and (not pieces or pieces[-1] != '{}'):
            pieces.append('{}')


def messages(tree):
    for path in tree.having({'.cpp', '.h'}):
        if path.startswith(PARTS) and not is_public(path):
            for line, message in messages_of(tree.text(path)):
                yield f'{path}:{line}: {message}'
