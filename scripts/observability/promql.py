"""What a PromQL expression asks for: metrics, their matchers, and the labels it groups by. No evaluation."""

import re
from dataclasses import dataclass, field

TOKEN = re.compile(
    r"""\s+|\#[^\n]*|(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<range>\[[^\]]*\])"""
    r"""|(?P<number>0x[\da-f]+|\d+(?:\.\d+)?(?:e[+-]?\d+)?(?:ms|[smhdwy])?)|(?P<name>[A-Za-z_:][\w:]*)"""
    r"""|(?P<sign>=~|!~|!=|==|>=|<=|[-+*/%^<>=(){},@])""",
    re.IGNORECASE,
)
LABEL_LISTS = {"by", "without", "on", "ignoring", "group_left", "group_right"}
OPERATORS = {"and", "or", "unless", "bool", "offset", "atan2", "inf", "nan"}
AGGREGATIONS = {"sum", "min", "max", "avg", "group", "count", "stddev", "stdvar", "topk", "bottomk", "quantile"}


@dataclass
class Selector:
    """One metric of an expression, with its matchers as (label, operator, value)."""

    metric: str
    matchers: list = field(default_factory=list)


def tokens(expression):
    position, found = 0, []
    while position < len(expression):
        match = TOKEN.match(expression, position)
        if not match:
            raise ValueError(f"not PromQL at {expression[position:position + 20]!r}")
        if match.lastgroup:
            found.append((match.lastgroup, match.group()))
        position = match.end()
    return found


def parse(expression):
    """-> (selectors, labels that it groups or joins by)."""
    words, selectors, labels = tokens(expression) + [("end", "")] * 2, [], set()
    index = 0
    while words[index][0] != "end":
        kind, text = words[index]
        following = words[index + 1][1]
        index += 1
        if kind != "name" or text.lower() in OPERATORS:
            continue
        if text.lower() in LABEL_LISTS:
            if following == "(":
                while words[index][1] != ")":
                    if words[index][0] == "name":
                        labels.add(words[index][1])
                    index += 1
            continue
        if following == "(" or text in AGGREGATIONS:
            continue
        selector = Selector(text)
        selectors.append(selector)
        if following == "{":
            index += 1
            while words[index][1] != "}":
                if words[index][1] == ",":
                    index += 1
                    continue
                label, operator, value = (word[1] for word in words[index : index + 3])
                selector.matchers.append((label, operator, value[1:-1]))
                index += 3
    return selectors, labels
