"""The page in a browser: every thread, its events, questions and files, over HTTP."""
