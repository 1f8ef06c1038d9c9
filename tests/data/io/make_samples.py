# Makes the samples of this folder as numpy, pickle and zipfile write them. Run in this folder; needs Python and numpy.
# The tests read the committed files: this is only how they came to be.
import numpy as np, pickle, zipfile, io, json, struct
arrays = dict(
  f32=np.arange(6, dtype='<f4').reshape(2, 3) / 4, f64=np.array([0.1, -2.5e300]), i32=np.array([[-7], [2**31 - 1]], dtype='<i4'),
  i64=np.array([-2**63, 2**53 + 1]), u8=np.array([0, 255], dtype='u1'), flag=np.array([True, False, True]),
  f16=np.array([1.5, -65504, 2**-24, np.inf], dtype='<f2'), scalar=np.float32(2.5), empty=np.zeros((0, 4), dtype='<f4'),
  fortran=np.asfortranarray(np.arange(24, dtype='<i4').reshape(2, 3, 4)), big=np.array([1.5, -2.0], dtype='>f8'))
np.savez('numpy.npz', **arrays)
np.savez_compressed('numpy_compressed.npz', **arrays)
small = dict(a=np.array([1.0, 2.0], dtype='<f4'), b=np.array([[3], [4]], dtype='<i4'))
np.savez('small.npz', **small)
np.savez_compressed('small_compressed.npz', **small)
for version in (1, 2, 3):
    with open(f'version{version}.npy', 'wb') as f:
        np.lib.format.write_array(f, np.array([[1, 2], [3, 4]], dtype='<i8'), version=(version, 0))
limit = zipfile.ZIP64_LIMIT
zipfile.ZIP64_LIMIT = 0
np.savez('zip64.npz', **small)
zipfile.ZIP64_LIMIT = limit
class Stream(io.RawIOBase):
    def __init__(self): self.data = b''
    def writable(self): return True
    def write(self, b): self.data += bytes(b); return len(b)
s = Stream()
with zipfile.ZipFile(s, 'w', zipfile.ZIP_DEFLATED) as z:
    for k, v in small.items():
        with z.open(k + '.npy', 'w') as f: np.lib.format.write_array(f, v)
open('streamed.npz', 'wb').write(s.data)
tsp = [[[0.25, 0.5], [1.0, 0.125], [0.75, 0.0]], [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]]
cvrp = [([0.5, 0.5], [[0.25, 0.75], [1.0, 0.0]], [3, 9], 10.0), ([0.0, 1.0], [[0.125, 0.5], [0.2, 0.3]], [1, 300], 70000)]
for p in range(6):
    pickle.dump(tsp, open(f'tsp_protocol{p}.pkl', 'wb'), protocol=p)
    pickle.dump(cvrp, open(f'cvrp_protocol{p}.pkl', 'wb'), protocol=p)
grid = [([[500, 250]], [[0, 1000], [125, 750]], [3, 9], 10, 'R', 'C', 1000)]
pickle.dump(grid, open('cvrp_grid.pkl', 'wb'))
pickle.dump([np.array([0.5, 0.25])], open('numpy_array.pkl', 'wb'))
h = json.dumps({'__metadata__': {'format': 'pt'}, 'w': {'dtype': 'F32', 'shape': [2, 2], 'data_offsets': [0, 16]},
                'n': {'dtype': 'I64', 'shape': [], 'data_offsets': [16, 24]}}).encode()
h += b' ' * (-len(h) % 8)
open('small.safetensors', 'wb').write(struct.pack('<Q', len(h)) + h + np.array([1, 2, 3, 4.5], '<f4').tobytes() + np.array(-5, '<i8').tobytes())
