"""Model files (safetensors): reading, checking and writing them, for the scripts beside this file."""
import array
import json
import os
import struct
import sys


def complain(message, code=2):
    print(f"{os.path.basename(sys.argv[0]).removesuffix('.py')}: {message}", file=sys.stderr)
    sys.exit(code)


def keep(inputs, output):
    """Complains when a file to write is one of those that are read."""
    if any(os.path.exists(path) and os.path.realpath(path) == os.path.realpath(output) for path in inputs):
        complain(f"{output} would be overwritten, expected another file to write")


def read(path):
    """The metadata of a model, and the shapes and weights of its tensors by name."""
    try:
        with open(path, "rb") as file:
            content = file.read()
        (length,) = struct.unpack_from("<Q", content)
        header = json.loads(content[8 : 8 + length])
        metadata = header.pop("__metadata__")
        tensors = {}
        for name, tensor in header.items():
            begin, end = tensor["data_offsets"]
            if tensor["dtype"] != "F32":
                raise ValueError(f"{name} is of type {tensor['dtype']}, expected F32")
            values = array.array("f")
            values.frombytes(content[8 + length + begin : 8 + length + end])
            tensors[name] = (tensor["shape"], values)
        if checksum(metadata, tensors) != metadata["checksum"]:
            raise ValueError("its checksum is not that of its content")
        return metadata, tensors
    except (OSError, struct.error, ValueError, KeyError, TypeError, AttributeError) as error:
        complain(f"{path}: no model: {error}")


def checksum(metadata, tensors):
    """As src/io/sealed_file.cpp has it: FNV-1a over the metadata and the tensors, by name."""
    text = "".join(f"{key}={value}\n" for key, value in sorted(metadata.items()) if key != "checksum").encode()
    for name, (shape, values) in sorted(tensors.items()):
        comma = "," if len(shape) == 1 else ""
        text += f"{name}({','.join(map(str, shape))}{comma})f32".encode() + values.tobytes()
    value = 0xCBF29CE484222325
    for byte in text:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"fnv1a64:{value:016x}"


def write(path, metadata, tensors):
    """Replaces the file as a whole, with the checksum of what is written. Raises OSError."""
    metadata = {**metadata, "checksum": checksum(metadata, tensors)}
    header, place = {"__metadata__": metadata}, 0
    for name, (shape, values) in sorted(tensors.items()):
        end = place + len(values) * values.itemsize
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [place, end]}
        place = end
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    temporary = f"{path}.{os.getpid()}"
    try:
        with open(temporary, "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text)
            for _, (_, values) in sorted(tensors.items()):
                file.write(values.tobytes())
        os.replace(temporary, path)
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)


def write_or_complain(path, metadata, tensors):
    try:
        write(path, metadata, tensors)
    except OSError as error:
        complain(f"{path}: cannot be written: {error.strerror}", 3)
