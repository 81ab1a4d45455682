"""Which files are pages of the site and how they are found: all Markdown files of the project, where they are, and what they link."""
import html.parser
import os
import re
import subprocess
import urllib.parse

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LINK = re.compile(r'\]\(([^)#\s]+)')


def tracked(*patterns):
    listed = subprocess.run(['git', 'ls-files', '-z', '--', *patterns], cwd=SOURCE, check=True, text=True, stdout=subprocess.PIPE)
    return [name for name in listed.stdout.split('\0') if name]


def read(page):
    with open(os.path.join(SOURCE, page), encoding='utf-8') as file:
        return file.read()


def linked(page):
    """The files, and those of the folders, that a page links."""
    for link in LINK.findall(read(page)):
        target = os.path.normpath(os.path.join(os.path.dirname(page), link))
        if '://' not in link and os.path.exists(os.path.join(SOURCE, target)):
            yield from tracked(target)


def contents():
    """The menu is the tables of docs/README.md."""
    menu, part = [{'NNRt': 'README.md'}, {'All pages': 'docs/README.md'}], None
    for line in read('docs/README.md').splitlines():
        if heading := re.fullmatch(r'\*\*(.+)\*\*', line):
            part = []
            menu.append({heading[1]: part})
        elif line.startswith('| ['):
            part += [os.path.normpath(os.path.join('docs', link if link.endswith('.md') else link + 'README.md'))
                     for link in LINK.findall(line.split('|')[1])]
    return menu


def on_config(config):
    config['nav'] = contents()
    return config


def file_of(name, config):
    file = File(name, SOURCE, config['site_dir'], use_directory_urls=False)
    if os.path.basename(name) == 'index.md':  # index.html is the README.md of a folder
        file.url = file.dest_path = f'{os.path.dirname(name)}/index_.html'
        file.abs_dest_path = os.path.join(config['site_dir'], file.dest_path)
    return file


def on_files(files, config):
    pages = tracked('*.md')
    names = {*config['extra_css']}.union(pages, *map(linked, pages))
    of_theme = [file for file in files if not file.abs_src_path.startswith(config['docs_dir'])]
    return Files(of_theme + [file_of(name, config) for name in sorted(names)])


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], {''}
        with open(path, encoding='utf-8') as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ('id', 'name') and value:
                self.anchors.add(value)
            elif name in ('href', 'src') and value:
                self.links.append(value)


def on_post_build(config):
    """Every link within the site, anchors included, must lead somewhere."""
    folder = config['site_dir']
    paths = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names
             if name.endswith('.html') and name != '404.html']  # whose links are a server's
    pages = {path: Page(path) for path in paths}
    broken = []
    for path, page in pages.items():
        for link in page.links:
            url = urllib.parse.urlsplit(link)
            if url.scheme or url.netloc:
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(url.path))) if url.path else path
            anchor = urllib.parse.unquote(url.fragment)
            if not os.path.exists(target) or target in pages and anchor not in pages[target].anchors:
                broken.append(f'{os.path.relpath(path, folder)}: {link}')
    if broken or not pages:
        raise PluginError('Broken links:\n' + '\n'.join(broken))
