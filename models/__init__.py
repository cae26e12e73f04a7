"""Who answers: chat models and what is known of their providers."""
