from shop.prices import discounted, total


def test_a_discount_is_rounded_half_up():
    assert [discounted(999, 10), discounted(995, 10), discounted(50, 1)] == [899, 896, 50]


def test_the_discount_is_taken_from_the_sum():
    assert total([50, 50, 50], 1) == 149


def test_without_a_discount_prices_add_up():
    assert total([199, 1]) == 200
