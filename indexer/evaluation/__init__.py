"""How well searches find what they should, measured on questions whose answers somebody marked.

``files`` reads a corpus and its questions, ``corpus`` cuts and reads what is text only, ``golden`` finds the chunks
that count, ``tenants`` keeps the index of a run apart from everybody's, ``indexing`` fills it, ``systems`` searches,
``measures`` and ``intervals`` make figures of what was found, ``changes`` tells what contexts won and lost, ``gates``
what a team insists on. ``running`` puts them in a row; ``figures``, ``tables`` and ``report`` show what came out.
``drafting`` and ``feedback`` write questions.
"""
