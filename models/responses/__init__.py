"""The dialect of the Responses API."""
