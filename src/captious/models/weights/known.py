"""The published weights that metrics use by default: source, size, licence."""

from __future__ import annotations

from typing import NamedTuple

from captious.models.locate import MINILM, SMOLLM2

CLIP_B32 = "ViT-B-32/openai"
CLIP_L14 = "ViT-L-14/openai"
CLIP_L14_336 = "ViT-L-14-336/openai"
MCIP = "MCIP-ViT-L-14-336"
PAC_B32 = "PAC-S-ViT-B-32"
VILT = "ViLT-B-32/coco"
BLIP_ITM = "BLIP-ITM-base/coco"
VILBERT = "ViLBERT/conceptual-captions"
VILBERT_TASKS = "ViLBERT/12-in-1"
VSE = "VSE++/coco-resnet152"
BERT_BASE = "BERT-base-uncased"
GRAMMAR = "BertGrammar/GED"
_VILBERT_FILES = "https://dl.fbaipublicfiles.com/vilbert-multi-task/"


class Known(NamedTuple):
    """Weights by our name: a repository of the Hugging Face hub, one file at an address, or a package.

    `file` names the file in the cache where the weights are a single file; `base` are weights that
    these need beside them (a tokeniser, a text encoder). `drive` is a shared folder that
    holds what no plain address gives, `steps` what a person does with a tool of another kind, where
    `{folder}` is captious' own folder of weights; of a single file `side` is how many pixels wide
    its images are and `limit` how many tokens a text may have.
    """

    name: str
    size: str
    licence: str
    hub: str = ""
    file: str = ""
    url: str = ""
    base: str = ""
    drive: str = ""
    steps: str = ""
    side: int = 224
    limit: int = 77


KNOWN: dict[str, Known] = {
    one.name: one
    for one in (
        Known(MINILM, "84 MB", "Apache-2.0 (sentence-transformers)"),
        Known(SMOLLM2, "93 MB", "Apache-2.0 (Hugging Face)"),
        Known(CLIP_B32, "605 MB", "MIT (OpenAI)", hub="openai/clip-vit-base-patch32"),
        Known(CLIP_L14, "1.7 GB", "MIT (OpenAI)", hub="openai/clip-vit-large-patch14"),
        Known(CLIP_L14_336, "1.7 GB", "MIT (OpenAI)", hub="openai/clip-vit-large-patch14-336"),
        Known(
            MCIP,
            "1.7 GB",
            "none stated (HTW Berlin, Visual Computing); its base is MIT",
            file="MCIP-ViT-L-14-336.pth",
            url="https://visual-computing.com/files/MCIP/MCIP-ViT-L-14-336.pth",
            base=CLIP_L14_336,
            side=336,
        ),
        Known(
            PAC_B32,
            "605 MB",
            "none stated (AImageLab, University of Modena); its base is MIT",
            file="clip_ViT-B-32.pth",
            base=CLIP_B32,
            drive="https://drive.google.com/drive/folders/15Da_nh7CYv8xfryIdETG6dPFSqcBiqpd",
        ),
        Known(BLIP_ITM, "0.9 GB", "BSD-3-Clause (Salesforce)", hub="Salesforce/blip-itm-base-coco"),
        Known(VILT, "446 MB", "Apache-2.0 (Kim et al.)", hub="dandelin/vilt-b32-finetuned-coco"),
        Known(
            VILBERT,
            "about 1 GB",
            "MIT (Facebook)",
            file="vilbert_pretrained_model.bin",
            url=_VILBERT_FILES + "pretrained_model.bin",
            base=BERT_BASE,
        ),
        Known(
            VILBERT_TASKS,
            "about 1 GB",
            "MIT (Facebook)",
            file="vilbert_multi_task_model.bin",
            url=_VILBERT_FILES + "multi_task_model.bin",
            base=BERT_BASE,
        ),
        Known(
            VSE,
            "about 270 MB",
            "Apache-2.0 (Faghri et al.)",
            file="vsepp-coco-resnet152/model_best.pth.tar",
            steps=(
                "runs.tar and vocab.tar of http://www.cs.toronto.edu/~faghri/vsepp, of which "
                "model_best.pth.tar (coco_vse++_resnet_restval_finetune) and coco_vocab.pkl go to "
                "{folder}/vsepp-coco-resnet152"
            ),
        ),
        Known(BERT_BASE, "440 MB", "Apache-2.0 (Google)", hub="google-bert/bert-base-uncased"),
        Known(
            GRAMMAR,
            "438 MB",
            "MIT (Sunil Chomal, GECwBERT)",
            file="bert-based-uncased-GED.pth",
            base=BERT_BASE,
            steps="gdown 1al7v87aRxebSUCXrN2Sdd0jGUS0zZ3vn -O {folder}/bert-based-uncased-GED.pth",
        ),
    )
}


def known(name: str) -> Known | None:
    """What is known of weights by our name, or by their name on the hub.

    >>> known("openai/clip-vit-base-patch32").name
    'ViT-B-32/openai'
    """
    if name in KNOWN:
        return KNOWN[name]
    return next((one for one in KNOWN.values() if one.hub == name), None)


def needed(name: str) -> tuple[str, ...]:
    """Weights and those that they stand on, whose tokeniser or text encoder they need.

    >>> needed("ViLBERT/12-in-1")
    ('ViLBERT/12-in-1', 'BERT-base-uncased')
    """
    one = known(name)
    return (name, one.base) if one is not None and one.base else (name,)
