"""Formats numbers for reports."""


def figure(value, digits=3):
    """Three significant digits; large numbers as integers."""
    if value is None:
        return ""
    return f"{value:.0f}" if value >= 10 ** (digits - 1) else f"{value:.{digits}g}"
