/** A picture of numbers: `[rows, columns, channels]`. */
export interface Raster {
  rows: number;
  columns: number;
  channels: number;
  values: Float32Array;
}

/**
 * Averages squares of pixels, so that neither side is longer than twice `longestSide`.
 * @param read gives `channels` values of pixel `index`, into `into`
 */
export function shrink(
  source: { rows: number; columns: number; channels: number; read(index: number, into: Float32Array): void },
  longestSide: number,
): Raster {
  const { channels, read } = source;
  const side = Math.max(1, Math.floor(Math.max(source.rows, source.columns) / longestSide));
  const rows = Math.max(1, Math.floor(source.rows / side));
  const columns = Math.max(1, Math.floor(source.columns / side));
  const values = new Float32Array(rows * columns * channels);
  const pixel = new Float32Array(channels);
  const sides = { high: Math.min(side, source.rows), wide: Math.min(side, source.columns) };
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const at = (row * columns + column) * channels;
      for (let y = 0; y < sides.high; y++) {
        for (let x = 0; x < sides.wide; x++) {
          read((row * side + y) * source.columns + column * side + x, pixel);
          for (let c = 0; c < channels; c++) values[at + c] = (values[at + c] ?? 0) + (pixel[c] ?? 0);
        }
      }
      for (let c = 0; c < channels; c++) values[at + c] = (values[at + c] ?? 0) / (sides.high * sides.wide);
    }
  }
  return { rows, columns, channels, values };
}
