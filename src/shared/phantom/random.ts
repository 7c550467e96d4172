/** Uniform numbers in [0, 1) that depend on nothing but the seed they were made from. */
export type Random = () => number;

/** Mixes any number of parts into one 32-bit seed (FNV-1a over their text, then an avalanche). */
export function seedOf(...parts: (string | number)[]): number {
  let hash = 0x811c9dc5;
  for (const character of parts.join("\u0000")) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return avalanche(hash);
}

/** Scrambles a 32-bit integer so that neighbouring inputs give unrelated outputs. */
export function avalanche(value: number): number {
  let bits = Math.imul(value ^ (value >>> 16), 0x7feb352d);
  bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** A small generator: a counter stepped by an odd constant, each value scrambled. */
export function createRandom(seed: number): Random {
  let counter = seed >>> 0;
  return () => {
    counter = (counter + 0x9e3779b9) >>> 0;
    return avalanche(counter) / 0x1_0000_0000;
  };
}
