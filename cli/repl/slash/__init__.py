"""The built-in `/commands` and those that the user defines."""
