"""What we cost beside the bare libraries: ratios, each measured in one run, both sides taking turns;
and how quick the bot is in Slack, in milliseconds.

``python -m tests.bench`` (or ``make bench``) measures all; ``--only search`` one part. It reports, it does not judge:
a figure over its target is shown as such and the exit code is 0. Data is generated here.
"""
