"""Formats numbers for reports."""
import math


def figure(value, digits=3):
    """Three significant digits; large numbers as integers."""
    if value is None:
        return ""
    return f"{value:.0f}" if value >= 10 ** (digits - 1) else f"{value:.{digits}g}"


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def row_of(rows, **wanted):
    return next((row for row in rows if all(row.get(key) == value for key, value in wanted.items())), None)
