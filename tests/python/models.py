# SPDX-License-Identifier: Apache-2.0
"""Small randomly initialised models of `transformers`, each with calls at varied sizes and what its contract must say.

No weights, no downloads. `facts` are in the notation of contracts, by module and tensor; names of symbols are ours and
stand for one size throughout a module. A tensor called "cache" or with three dots stands for every tensor that begins so.
"""
import dataclasses
from typing import Callable

import torch
import transformers as hf

torch.set_num_threads(1)


@dataclasses.dataclass
class Model:
    build: Callable  # () -> module
    call: Callable  # **sizes -> kwargs of one call
    sizes: list  # of the calls recorded: one dict each
    unseen: list  # of the calls that an exported program must take
    facts: dict  # {module: {tensor: shape}}
    batch: str | None = None  # the rule for the batch size
    prepare: Callable | None = None  # what torch.export needs beforehand
    refused: str = ""  # how what torch.export says begins when it cannot


def sizes(**columns):
    return [dict(zip(columns, row)) for row in zip(*columns.values())]


def ids(batch, length, vocabulary=100):
    return torch.randint(3, vocabulary, (batch, length))


def ones(*shape):
    return torch.ones(shape, dtype=torch.long)


BERT = dict(hidden_size=32, num_hidden_layers=1, num_attention_heads=4, intermediate_size=32, vocab_size=100)


def bert():
    return Model(
        lambda: hf.BertModel(hf.BertConfig(**BERT, max_position_embeddings=128)),
        lambda b, s: dict(input_ids=ids(b, s), attention_mask=ones(b, s), token_type_ids=ones(b, s) * 0),
        sizes(b=[1, 2, 3, 4, 6, 8], s=[7, 12, 3, 31, 64, 100]), sizes(b=[2, 5, 7], s=[9, 50, 33]),
        {"": {"input_ids": "b,s", "attention_mask": "b,s", "token_type_ids": "b,s",
              'output["last_hidden_state"]': "b,s,32", 'output["pooler_output"]': "b,32"},
         "embeddings": {"input_ids": "b,s", "token_type_ids": "b,s", "output": "b,s,32"},
         "encoder.layer.0": {"hidden_states": "b,s,32", "output": "b,s,32"},
         "encoder.layer.0.attention": {"hidden_states": "b,s,32", "output[0]": "b,s,32"},
         "pooler": {"hidden_states": "b,s,32", "output": "b,32"}}, "input_ids:0")


def _past(config, batch, past):
    cache = hf.DynamicCache(config=config)
    heads, width = config.num_key_value_heads if hasattr(config, "num_key_value_heads") else config.n_head, 8
    for layer in range(config.num_hidden_layers):
        cache.update(torch.randn(batch, heads, past, width), torch.randn(batch, heads, past, width), layer)
    return cache


def _register_cache():
    from transformers.integrations.executorch import register_dynamic_cache_export_support
    register_dynamic_cache_export_support()


def _decoder(config, model, name, submodules):
    return Model(
        lambda: model(config),
        lambda b, s, p: {"input_ids": ids(b, s), "attention_mask": ones(b, p + s), name: _past(config, b, p)},
        sizes(b=[1, 1, 2, 3, 4, 2], s=[3, 4, 2, 5, 3, 7], p=[6, 11, 9, 20, 15, 4]), sizes(b=[2, 3, 4], s=[6, 3, 4], p=[5, 19, 10]),
        {"": {"input_ids": "b,s", "attention_mask": "b,p+s", f"{name}...": "b,4,p,8", 'output["logits"]': "b,s,100",
              f'output["{name}"]...': "b,4,p+s,8"}, **submodules}, "input_ids:0", _register_cache)


def gpt2():
    config = hf.GPT2Config(n_layer=2, n_head=4, n_embd=32, vocab_size=100, n_positions=64, bos_token_id=1, eos_token_id=2)
    return _decoder(config, hf.GPT2LMHeadModel, "cache",
                    {"transformer.h.0.attn.c_attn": {"x": "b,s,32", "output": "b,s,96"},
                     "transformer.h.0": {"hidden_states": "b,s,32", "attention_mask": "b,1,s,p+s", "cache...": "b,4,p,8",
                                         'kwargs["position_ids"]': "1,s", "output": "b,s,32"}})


def llama():
    config = hf.LlamaConfig(hidden_size=32, intermediate_size=32, num_hidden_layers=1, num_attention_heads=4,
                            num_key_value_heads=4, head_dim=8, vocab_size=100, max_position_embeddings=64)
    return _decoder(config, hf.LlamaForCausalLM, "cache", {})


def t5():
    config = hf.T5Config(d_model=32, d_kv=8, d_ff=32, num_layers=1, num_heads=4, vocab_size=100, decoder_start_token_id=0)
    return Model(
        lambda: hf.T5ForConditionalGeneration(config),
        lambda b, e, d: dict(input_ids=ids(b, e), attention_mask=ones(b, e), decoder_input_ids=ids(b, d), use_cache=False),
        sizes(b=[1, 2, 3, 4, 5, 8], e=[9, 14, 3, 21, 30, 17], d=[2, 5, 3, 8, 4, 11]), sizes(b=[2, 6, 7], e=[11, 25, 5], d=[6, 7, 9]),
        {"": {"input_ids": "b,e", "attention_mask": "b,e", "decoder_input_ids": "b,d", 'output["logits"]': "b,d,100",
              'output["encoder_last_hidden_state"]': "b,e,32"},
         "encoder": {"input_ids": "b,e", "attention_mask": "b,e", 'output["last_hidden_state"]': "b,e,32"},
         "encoder.block.0": {"hidden_states": "b,e,32", "output[0]": "b,e,32", "output[1]": "1,4,e,e"},
         "decoder": {"input_ids": "b,d", "encoder_hidden_states": "b,e,32", "encoder_attention_mask": "b,e",
                     'output["last_hidden_state"]': "b,d,32"}}, "input_ids:0")


def whisper():
    config = hf.WhisperConfig(d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2, decoder_attention_heads=2,
                              encoder_ffn_dim=32, decoder_ffn_dim=32, vocab_size=100, num_mel_bins=80, max_source_positions=60,
                              pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1)
    return Model(
        lambda: hf.WhisperModel(config),
        lambda b, d: dict(input_features=torch.randn(b, 80, 120), decoder_input_ids=ids(b, d), use_cache=False),
        sizes(b=[1, 2, 3, 4, 2], d=[4, 9, 17, 2, 30]), sizes(b=[2, 3, 4], d=[5, 12, 29]),
        {"": {"input_features": "b,80,120", "decoder_input_ids": "b,d", 'output["last_hidden_state"]': "b,d,32",
              'output["encoder_last_hidden_state"]': "b,60,32"},
         "decoder": {"input_ids": "b,d", "encoder_hidden_states": "b,60,32", 'output["last_hidden_state"]': "b,d,32"},
         "encoder.conv1": {"input": "b,80,120", "output": "b,32,120"},
         "encoder.conv2": {"input": "b,32,120", "output": "b,32,60"}}, "input_features:0")


def vit():
    config = hf.ViTConfig(hidden_size=32, num_hidden_layers=1, num_attention_heads=4, intermediate_size=32, image_size=32, patch_size=8)
    return Model(
        lambda: hf.ViTModel(config), lambda b, h, w: dict(pixel_values=torch.randn(b, 3, h, w), interpolate_pos_encoding=True),
        sizes(b=[1, 2, 3, 5, 8, 2, 1, 4], h=[16, 24, 32, 40, 56, 72, 48, 88], w=[32, 40, 24, 72, 64, 48, 16, 56]),
        sizes(b=[4, 6, 7], h=[64, 80, 24], w=[24, 56, 40]),
        {"": {"pixel_values": "b,3,h,w", 'output["last_hidden_state"]': "b,floor(h/8)*floor(w/8)+1,32", 'output["pooler_output"]': "b,32"}},
        "pixel_values:0")


def mamba():
    """Torch refuses: the scan is a Python loop over the sequence."""
    config = hf.MambaConfig(hidden_size=16, num_hidden_layers=1, vocab_size=100, state_size=4)
    return Model(
        lambda: hf.MambaModel(config), lambda b, s: dict(input_ids=ids(b, s), use_cache=False),
        sizes(b=[1, 2, 3, 4, 5], s=[5, 9, 7, 12, 16]), sizes(b=[2, 3, 4], s=[6, 8, 11]),
        {"": {"input_ids": "b,s", 'output["last_hidden_state"]': "b,s,16"}}, "input_ids:0",
        refused="You marked s0 as dynamic but your code specialized it to be a constant (6)")


def sam():
    vision = hf.SamVisionConfig(hidden_size=32, num_hidden_layers=1, num_attention_heads=4, image_size=64, patch_size=8,
                                output_channels=32, num_pos_feats=16, mlp_dim=32, global_attn_indexes=[0], window_size=4)
    prompt = hf.SamPromptEncoderConfig(hidden_size=32, image_size=64, patch_size=8, mask_input_channels=4)
    mask = hf.SamMaskDecoderConfig(hidden_size=32, mlp_dim=32, num_hidden_layers=1, num_attention_heads=4, iou_head_hidden_dim=32)
    config = hf.SamConfig(vision_config=vision.to_dict(), prompt_encoder_config=prompt.to_dict(), mask_decoder_config=mask.to_dict())
    return Model(
        lambda: hf.SamModel(config),
        lambda b, q, n: dict(pixel_values=torch.randn(b, 3, 64, 64), input_points=torch.rand(b, q, n, 2) * 64, input_labels=ones(b, q, n)),
        sizes(b=[1, 2, 3, 4, 2, 5, 1], q=[1, 3, 2, 5, 6, 4, 7], n=[1, 2, 4, 3, 5, 7, 6]), sizes(b=[2, 3, 5], q=[4, 3, 2], n=[3, 6, 2]),
        {"": {"pixel_values": "b,3,64,64", "input_points": "b,q,n,2", "input_labels": "b,q,n", 'output["iou_scores"]': "b,q,3",
              'output["pred_masks"]': "b,q,3,32,32"},
         "prompt_encoder": {"input_points": "b,q,n,2", "input_labels": "b,q,n", "output[0]": "b,q,n+1,32", "output[1]": "b,32,8,8"},
         "mask_decoder": {"image_embeddings": "b,32,8,8", "sparse_prompt_embeddings": "b,q,k,32", "dense_prompt_embeddings": "b,32,8,8",
                          "output[0]": "b,q,3,32,32", "output[1]": "b,q,3"},
         "mask_decoder.transformer": {"point_embeddings": "b,q,k,32", "image_embeddings": "b*q,32,8,8",
                                      "output[0]": "b,q,k,32", "output[1]": "b*q,1,64,32"}}, "pixel_values:0")


def clip():
    text = dict(hidden_size=32, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2, vocab_size=100,
                eos_token_id=2, bos_token_id=1, pad_token_id=0)
    vision = dict(hidden_size=32, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2, image_size=32, patch_size=8)
    config = hf.CLIPConfig(text_config=text, vision_config=vision, projection_dim=16)
    return Model(
        lambda: hf.CLIPModel(config),
        lambda i, t, s: dict(input_ids=ids(t, s), pixel_values=torch.randn(i, 3, 32, 32), attention_mask=ones(t, s)),
        sizes(i=[1, 2, 3, 4, 8, 5], t=[5, 3, 2, 6, 10, 12], s=[7, 16, 9, 20, 12, 11]), sizes(i=[2, 6, 7], t=[4, 9, 3], s=[8, 13, 17]),
        {"": {"input_ids": "t,s", "pixel_values": "i,3,32,32", "attention_mask": "t,s", 'output["logits_per_image"]': "i,t",
              'output["logits_per_text"]': "t,i", 'output["text_embeds"]': "t,16", 'output["image_embeds"]': "i,16",
              'output["vision_model_output"]["last_hidden_state"]': "i,17,32"},
         "text_model": {"input_ids": "t,s", "attention_mask": "t,s", 'output["last_hidden_state"]': "t,s,32"},
         "vision_model": {"pixel_values": "i,3,32,32", 'output["last_hidden_state"]': "i,17,32"}})


def detr():
    backbone = hf.ResNetConfig(embedding_size=8, hidden_sizes=[8, 8, 8, 16], depths=[1, 1, 1, 1], layer_type="basic", out_features=["stage4"])
    config = hf.DetrConfig(use_timm_backbone=False, backbone_config=backbone, backbone=None, use_pretrained_backbone=False, d_model=32,
                           encoder_layers=1, decoder_layers=1, encoder_attention_heads=4, decoder_attention_heads=4,
                           encoder_ffn_dim=32, decoder_ffn_dim=32, num_queries=10)
    return Model(
        lambda: hf.DetrModel(config),
        lambda b, h, w: dict(pixel_values=torch.randn(b, 3, h, w), pixel_mask=ones(b, h, w)),
        sizes(b=[1, 2, 3, 2, 1, 4, 2, 1, 3, 2], h=[64, 96, 70, 100, 33, 150, 129, 161, 48, 200], w=[64, 65, 128, 90, 127, 40, 97, 130, 180, 101]),
        sizes(b=[2, 3, 4], h=[80, 111, 135], w=[77, 160, 99]),
        {"": {"pixel_values": "b,3,h,w", "pixel_mask": "b,h,w", 'output["last_hidden_state"]': "b,10,32",
              'output["encoder_last_hidden_state"]': "b,ceil(h/32)*ceil(w/32),32"},
         "encoder": {"inputs_embeds": "b,t,32", "attention_mask": "b,t", "spatial_position_embeddings": "b,t,32",
                     'output["last_hidden_state"]': "b,t,32"},
         "decoder": {"inputs_embeds": "b,10,32", "encoder_hidden_states": "b,t,32", "encoder_attention_mask": "b,t",
                     "spatial_position_embeddings": "b,t,32", "object_queries_position_embeddings": "b,10,32",
                     'output["last_hidden_state"]': "b,10,32"}}, "pixel_values:0")


def swin():
    config = hf.SwinConfig(image_size=56, patch_size=4, embed_dim=16, depths=[1, 1], num_heads=[2, 4], window_size=7, hidden_size=32)
    return Model(
        lambda: hf.SwinModel(config), lambda b: dict(pixel_values=torch.randn(b, 3, 56, 56)),
        sizes(b=[1, 2, 3, 5, 8]), sizes(b=[4, 6, 7]),
        {"": {"pixel_values": "b,3,56,56", 'output["last_hidden_state"]': "b,49,32", 'output["pooler_output"]': "b,32"},
         "encoder.layers.0.blocks.0.attention": {"hidden_states": "4*b,49,16", "output[0]": "4*b,49,16"}}, "pixel_values:0")


def wav2vec2():
    config = hf.Wav2Vec2Config(hidden_size=32, num_hidden_layers=1, num_attention_heads=4, intermediate_size=32, conv_dim=[8, 8],
                               conv_kernel=[10, 3], conv_stride=[5, 2], num_feat_extract_layers=2, num_conv_pos_embeddings=4,
                               num_conv_pos_embedding_groups=2, vocab_size=30)
    return Model(
        lambda: hf.Wav2Vec2Model(config), lambda b, t: dict(input_values=torch.randn(b, t)),
        sizes(b=[1, 2, 3, 4, 2, 1, 5, 3, 2, 1], t=[400, 523, 777, 1001, 640, 888, 945, 702, 1303, 466]), sizes(b=[2, 3, 5], t=[500, 911, 1200]),
        {"": {"input_values": "b,t", 'output["last_hidden_state"]': "b,floor((t-10)/10),32",
              'output["extract_features"]': "b,floor((t-10)/10),8"}}, "input_values:0")


MODELS = {builder.__name__: builder for builder in
          (bert, gpt2, llama, t5, whisper, vit, sam, clip, detr, swin, wav2vec2, mamba)}
