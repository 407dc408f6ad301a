"""The Penn Treebank tokeniser as coco-caption uses it."""
