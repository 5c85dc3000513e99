"""The command line, one family of commands a file. Each parses, calls the ``Indexer``, and shows."""
