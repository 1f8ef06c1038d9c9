# Makes the checkpoints of this folder as PyTorch writes them (1.13 here). Run in this folder; needs Python and PyTorch.
# The tests read the committed files: this is only how they came to be.
import random
from collections import OrderedDict

import torch

matrix = torch.arange(6, dtype=torch.float32).reshape(2, 3) / 4
actor = OrderedDict([('f32', matrix), ('transposed', matrix.t()), ('column', matrix[:, 1]), ('f64', matrix.double()),
                     ('f16', matrix.half()), ('bf16', matrix.bfloat16()), ('parameter', torch.nn.Parameter(matrix + 1)),
                     ('scalar', torch.tensor(2.5)), ('empty', torch.zeros(0, 4)), ('complex', matrix.to(torch.complex64))])
critic = torch.nn.Linear(1, 1)
with torch.no_grad():
    critic.weight.fill_(3), critic.bias.fill_(4)
optimizer = torch.optim.Adam([{'params': critic.parameters(), 'lr': 1e-4}])
critic(torch.ones(1, 1)).sum().backward()
optimizer.zero_grad()
optimizer.step()
checkpoint = {'actor': actor, 'critic': critic.state_dict(), 'optimizer': optimizer.state_dict(),
              'generators': [random.Random(1).getrandbits(100), torch.arange(3, dtype=torch.uint8)], 'kinds': {1, 2},
              'epoch': 7}
torch.save(checkpoint, 'checkpoint.pt')
torch.save(checkpoint, 'checkpoint_protocol4.pt', pickle_protocol=4)
torch.save(checkpoint, 'checkpoint_legacy.pt', _use_new_zipfile_serialization=False)
torch.save(critic, 'module.pt')
