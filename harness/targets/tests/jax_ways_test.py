# SPDX-License-Identifier: Apache-2.0
"""jax gives the same bits eager, under jit, under vmap, and sharded over two devices (JEP 263)."""

import os

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = (
    os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=2"
)
try:
    import jax
    import numpy as np
except ImportError as missing:
    print(f"1..1\nok 1 - jax gives the same bits whichever way it runs # SKIP {missing}")
    raise SystemExit

SHAPE = (64,)
# uniform has its default range: with bounds that the compiler knows, eager and jit part (see the
# findings).
DRAWS = {
    "bits": lambda key: jax.random.bits(key, SHAPE),
    "bits u8": lambda key: jax.random.bits(key, SHAPE, "uint8"),
    "uniform": lambda key: jax.random.uniform(key, SHAPE),
    "randint": lambda key: jax.random.randint(key, SHAPE, 0, 1000),
    "bernoulli": lambda key: jax.random.bernoulli(key, 0.3, SHAPE),
    "permutation": lambda key: jax.random.permutation(key, SHAPE[0]),
    "split": lambda key: jax.random.key_data(jax.random.split(key, SHAPE)),
    "fold_in": lambda key: jax.random.key_data(jax.random.fold_in(key, 7)),
    "normal": lambda key: jax.random.normal(key, SHAPE),
}


def ways(draw, key):
    """The result eager, and by each other way."""
    yield np.asarray(draw(key))
    yield np.asarray(jax.jit(draw)(key))
    keys = jax.numpy.stack([key, jax.random.key(1)])
    yield np.asarray(jax.vmap(draw)(keys))[0]
    mesh = jax.sharding.Mesh(np.array(jax.devices()), ("x",))
    spec = (
        jax.sharding.PartitionSpec("x")
        if draw(key).shape[:1] == SHAPE
        else jax.sharding.PartitionSpec()
    )
    yield np.asarray(jax.jit(draw, out_shardings=jax.sharding.NamedSharding(mesh, spec))(key))


assert len(jax.devices()) == 2
print(f"1..{len(DRAWS)}")
failed = 0
for number, (name, draw) in enumerate(DRAWS.items(), 1):
    eager, *others = ways(draw, jax.random.key(42))
    good = all(np.array_equal(eager, other) for other in others)
    failed += not good
    print(
        f"{'ok' if good else 'not ok'} {number} - {name}: "
        "the same bits eager, under jit, vmap and sharded over two devices"
    )
raise SystemExit(bool(failed))
