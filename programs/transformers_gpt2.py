"""GPT-2 of a small size: four steps of AdamW, then text by greedy choice and by beams."""

import torch
from reporting import report
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(0)
config = GPT2Config(n_layer=2, n_head=2, n_embd=32, vocab_size=64, n_positions=32, bos_token_id=0, eos_token_id=63)
model = GPT2LMHeadModel(config)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
tokens = torch.randint(64, (4, 16))
losses = []
for _ in range(4):
    loss = model(tokens, labels=tokens).loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
model.eval()
start = tokens[:1, :4]
options = {"max_new_tokens": 6, "pad_token_id": 0, "attention_mask": torch.ones_like(start)}
greedy = model.generate(start, do_sample=False, **options)
beams = model.generate(start, do_sample=False, num_beams=3, **options)
report(losses=losses, greedy=greedy, beams=beams)
