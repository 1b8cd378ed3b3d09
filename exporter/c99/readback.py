"""Reads exported C back: counts the operations of every function and finds what the contract forbids.

In: the text of the files and the manifest. Out: sentences, none where the text keeps the contract. It works
on the text alone and knows nothing of sequences, so it is the second of the three counts.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from exporter.manifest import Function, Manifest

_LIBM = "pow fmax fmin fmod floor ceil round trunc sin cos tan tanh atan2 asin acos exp log"
FORBIDDEN: tuple[tuple[str, str, str], ...] = (
    ("?", r"(?:{})", "a conditional operator"),
    ("&& ||", r"(?:{})", "a short-circuit operator"),
    ("if else for while do switch goto", r"\b(?:{})\b", "control flow"),
    ("malloc calloc free memcpy memset", r"\b(?:{})\b", "a library call"),
    (_LIBM, r"\b(?:{})f?\s*\(", "a libm call"),
    ("INFINITY NAN HUGE_VAL HUGE_VALF", r"\b(?:{})\b", "a constant that is not finite"),
    ("static", r"\b(?:{})\s+(?!inline\b|const\b)", "static data"),
)
"""What no function of an export contains: words, the pattern around them, and what they are."""
_REAL_NUMBER = r"(?<![\w.])(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?"
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_DIRECTIVE = re.compile(r"^[ \t]*#.*$", re.MULTILINE)
_FUNCTION = re.compile(r"^(?:\w+ )+\**(\w+)\([^;{]*\)\s*\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_STATEMENT = re.compile(r"const \w+ \w+ = (.+?);")
_VALUE = r"[a-z]\d+(?:\.(?:co)?sine)?"
_PLAIN = re.compile(rf"^    const real [a-z]\d+ = {_VALUE} ([-+*/]) {_VALUE};", re.MULTILINE)
_COUNTED = re.compile(r"\0([-+*/])\0")
_CALL = re.compile(r"^(\w+)\(")
_READ = re.compile(r"^table_\w+\[\w+\]$")
_SIGN = re.compile(r"^-\w")
_BINARY = re.compile(r"^(\S+) ([-+*/&|^]|<<|>>) (\S+)$")
_CLASS_OF_CALL: dict[str, str] = {
    "fabsf": "abs",
    "fabs": "abs",
    "sqrtf": "sqrt",
    "sqrt": "sqrt",
    "kfx_sincos": "sincos",
    "kfx_atan2": "atan2",
    "kfx_asin": "asin",
    "kfx_acos": "acos",
    "kfx_exp": "exp",
    "kfx_log": "log",
    "kfx_tanh": "tanh",
    "kfx_floor": "floor",
    "kfx_pow": "pow",
    "kfx_mod": "mod",
    "kfx_less": "compare",
    "kfx_less_equal": "compare",
    "kfx_select": "select",
    "kfx_mask": "select",
    "UINT32_C": "logic",  # a constant on the left of an integer operator
    "UINT64_C": "logic",
    "kfx_bits": "logic",
    "kfx_value": "logic",
}
SUFFIX_AFTER_LOOP = "_at"
"""Ends the name of the straight line that follows the iterations."""
_CLASS_OF_OPERATOR = {"+": "add", "-": "add", "*": "mul", "/": "div"}


def problems(files: Mapping[str, str], manifest: Manifest) -> tuple[str, ...]:
    """Where the text of an export breaks the contract, or differs from the counts in the manifest.

    Args:
        files: name -> text; the source and the headers it bundles are read.
        manifest: what the export says of itself.
    """
    source = f"{manifest.name}.c"
    read = [name for name in files if name == source or re.match(r"kfx_\w+\.h$", name)]
    code = {name: _thinned(_bare(files[name])) for name in read}
    bodies = {match.group(1): match.group(2) for match in _FUNCTION.finditer(code.get(source, ""))}
    drivers = {each.symbol: bodies.pop(each.symbol, "") for each in manifest.functions if manifest.iterates(each.name)}
    for driver in drivers.values():
        code[source] = code[source].replace(driver, "")
    found = [
        sentence for name, text in sorted(code.items()) for sentence in _forbidden_words(name, text, manifest.real)
    ]
    found += [sentence for symbol, text in drivers.items() for sentence in _loop_faults(symbol, text, manifest)]
    every = [*([manifest.recalibrate] if manifest.recalibrate else []), *manifest.functions]
    return (*found, *(sentence for function in every for sentence in _count_faults(function, bodies, manifest)))


def _loop_faults(symbol: str, driver: str, manifest: Manifest) -> list[str]:
    """What a function that iterates has besides one loop whose bound is the manifest's."""
    most = manifest.loop.most if manifest.loop else 0
    bounded = re.findall(rf"\bdo \{{(?:[^{{}}]*)\}} while \(\(count < {most}U\) && \([^()]+\)\);", driver)
    if len(bounded) != 1:
        return [f"{symbol} does not hold one loop of at most {most} iterations"]
    rest = driver.replace(bounded[0], re.sub(r"\bdo\b|\bwhile\b|&&", "", bounded[0]))
    return _forbidden_words(symbol, rest, manifest.real)


def _bare(text: str) -> str:
    """Without comments and directives."""
    return _DIRECTIVE.sub("", _COMMENT.sub("", text))


def _thinned(text: str) -> str:
    """The text with the operator alone in place of each plain statement, which most are and none is forbidden.

    Such a statement has one of four operators between two names of results; no text of C has the marks around it.
    """
    return "\0".join(_PLAIN.split(text))


def _forbidden_words(name: str, text: str, real: str) -> list[str]:
    """Forbidden words; literals of another type than the real."""
    patterns = [
        *_patterns_of_words(text),
        (f"{_REAL_NUMBER}(?![fF\\w.])" if real == "float32" else f"{_REAL_NUMBER}[fFlL]", ""),
    ]
    wrong_type = "a double literal in float code" if real == "float32" else "a literal with a suffix in double code"
    return [
        f"{name} contains {what or wrong_type}: '{_line_of(text, match)}'"
        for pattern, what in patterns
        for match in re.finditer(pattern, text)
    ]


def _patterns_of_words(text: str) -> Iterator[tuple[str, str]]:
    """The patterns of forbidden words that are part of a text, perhaps of other words: few are, and a look is cheap."""
    for words, pattern, what in FORBIDDEN:
        present = [re.escape(word) for word in words.split() if word in text]
        if present:
            yield pattern.format("|".join(present)), what


def _line_of(text: str, match: re.Match[str]) -> str:
    start = text.rfind("\n", 0, match.start()) + 1
    return text[start : text.find("\n", match.end())].strip()


def _count_faults(function: Function, bodies: Mapping[str, str], manifest: Manifest) -> list[str]:
    iterates = manifest.iterates(function.name)
    body = bodies.get(f"{function.symbol}{SUFFIX_AFTER_LOOP}" if iterates else function.symbol)
    if body is None:
        return [f"{function.symbol} is not in the source"]
    counted, stated = Counter(operations(body)), {name: number for name, number in function.cost.items() if number}
    if iterates and manifest.loop is not None:
        repeated = operations(bodies.get(f"{manifest.name}_{manifest.loop.body}", ""))
        counted.update({name: number * manifest.loop.most for name, number in repeated.items()})
    return [
        f"{function.symbol} has {counted.get(name, 0)} {name} in the source and {stated.get(name, 0)} in the manifest"
        for name in sorted({*counted, *stated})
        if counted.get(name, 0) != stated.get(name, 0)
    ]


def operations(body: str) -> dict[str, int]:
    """Operation class -> how often the statements of a function body have it."""
    thin = _thinned(body)
    counts = Counter(_CLASS_OF_OPERATOR[operator] for operator in _COUNTED.findall(thin))
    counts.update(_class_of(match.group(1)) for match in _STATEMENT.finditer(thin))
    return dict(counts)


def _class_of(right_hand_side: str) -> str:
    """The class of the one operation of a statement; "other" where it has none or more."""
    if (call := _CALL.match(right_hand_side)) is not None:
        return _CLASS_OF_CALL.get(re.sub(r"_f\d\d$", "", call.group(1)), "other")
    if _READ.match(right_hand_side):
        return "read"
    if _SIGN.match(right_hand_side) and " " not in right_hand_side:
        return "negate"
    binary = _BINARY.match(right_hand_side)
    if binary is None:
        return "logic" if right_hand_side.startswith("(uint") else "other"
    left, operator, _ = binary.groups()
    if operator not in _CLASS_OF_OPERATOR or left == "1U":
        return "logic"
    return _CLASS_OF_OPERATOR[operator]
