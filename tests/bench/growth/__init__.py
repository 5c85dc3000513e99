"""How search, memory and import grow with the index: 100,000 chunks and more in the real server.

``python -m tests.bench.growth`` (or ``make bench-growth``); ``--chunks 1000000`` for a million. Texts are made here,
their vectors are the local embedder's: of a few thousand chunks it embeds every one, and the rest are these again with
noise (see ``vectors``). What is measured is the product's own: its collection, its import, its search, its filters.
"""
