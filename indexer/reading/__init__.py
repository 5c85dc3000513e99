"""Reading: how the bytes of one original become text. Used through ``indexer.extraction``, in a process of its own.

``formats`` tells what the bytes are; ``plain_text``, ``markup``, ``mail``, ``book`` and ``structured`` each read one
family of formats into a ``Draft``; ``sanitising`` takes out what nobody would see; ``details`` finds title, date and
language; ``archives`` measures what unpacks, ``ocr`` finds language data, ``engine`` calls xberg; ``reader`` puts them
together; ``process`` keeps all of it away from the rest of the program.
"""
