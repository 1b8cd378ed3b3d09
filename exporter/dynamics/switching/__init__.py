"""Two choices of independent coordinates in one integration step, and the rule when to switch between them."""
