"""Lists of names, in which a name may be a command with quotes."""

import re

_NAME = re.compile(r"""(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^,])*""", re.DOTALL)


def split_names(text: str) -> list[str]:
    """Split names at the commas that stand in no quotes.

    >>> split_names("you, cmd:./mine 'a,b',search:200")
    ['you', "cmd:./mine 'a,b'", 'search:200']
    """
    names, start = [], 0
    while start <= len(text):
        name = _NAME.match(text, start)
        assert name is not None, "it may be empty"
        names.append(name.group().strip())
        start = name.end() + 1
    return names
