/** Rows and columns of a block of coefficients. */
export const BLOCK = 8;

/** Position of each coefficient in its block, by its index in the stream (ITU-T T.81 figure A.6). */
export const ZIGZAG = zigzagOrder();
const COSINES = cosines();

export interface Canvas {
  samples: Uint16Array;
  rows: number;
  columns: number;
  precision: number;
}

const byRow = new Float32Array(64);

/** The inverse transform, first along rows, then along columns (§A.3.3). */
export function drawBlock(
  coefficients: Float32Array,
  canvas: Canvas,
  place: { row: number; column: number },
): void {
  const { samples, rows, columns, precision } = canvas;
  for (let v = 0; v < BLOCK; v++) {
    for (let x = 0; x < BLOCK; x++) byRow[v * BLOCK + x] = sumOf(coefficients, v * BLOCK, 1, x);
  }
  const highest = (1 << precision) - 1;
  const middle = 1 << (precision - 1);
  for (let y = 0; y < BLOCK && place.row + y < rows; y++) {
    for (let x = 0; x < BLOCK && place.column + x < columns; x++) {
      const value = Math.round(sumOf(byRow, x, BLOCK, y)) + middle;
      samples[(place.row + y) * columns + place.column + x] = Math.min(highest, Math.max(0, value));
    }
  }
}

function sumOf(values: Float32Array, from: number, step: number, position: number): number {
  let sum = 0;
  for (let u = 0; u < BLOCK; u++) {
    sum += (values[from + u * step] ?? 0) * (COSINES[position * BLOCK + u] ?? 0);
  }
  return sum;
}

/** `[position, frequency]`, scaled so that both passes together need no other factor. */
function cosines(): Float32Array {
  return Float32Array.from({ length: 64 }, (_, i) => {
    const position = Math.floor(i / BLOCK);
    const frequency = i % BLOCK;
    const scale = frequency === 0 ? Math.SQRT1_2 : 1;
    return (scale / 2) * Math.cos(((2 * position + 1) * frequency * Math.PI) / (2 * BLOCK));
  });
}

/** Diagonals from the first coefficient on, turning at every edge. */
function zigzagOrder(): Uint8Array {
  const places = Array.from({ length: 64 }, (_, place) => ({
    place,
    diagonal: (place >> 3) + (place & 7),
    row: place >> 3,
  }));
  places.sort((a, b) => a.diagonal - b.diagonal || (a.diagonal % 2 === 0 ? b.row - a.row : a.row - b.row));
  return Uint8Array.from(places, ({ place }) => place);
}
