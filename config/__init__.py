"""What the user wants, where things live, and the errors everybody raises."""
