"""Numbers as people read them."""


def figure(value, digits=3):
    """Three digits; large numbers whole."""
    if value is None:
        return ""
    return f"{value:.0f}" if value >= 10 ** (digits - 1) else f"{value:.{digits}g}"
