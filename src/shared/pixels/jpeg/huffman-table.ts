/** Indexed by the next 16 bits of the stream: the code's length in the high byte (0: no such code), its value in the low byte. */
export type HuffmanTable = Uint16Array;

/** Builds a table from the count of codes of each length 1 to 16 and their values (ITU-T T.81 annex C). */
export function huffmanTable(counts: Uint8Array, values: Uint8Array): HuffmanTable {
  const table = new Uint16Array(65_536);
  let code = 0;
  let next = 0;
  for (let length = 1; length <= 16; length++) {
    for (let i = 0; i < (counts[length - 1] ?? 0); i++) {
      const from = code << (16 - length);
      table.fill((length << 8) | (values[next] ?? 0), from, from + (1 << (16 - length)));
      code++;
      next++;
    }
    code <<= 1;
  }
  return table;
}
