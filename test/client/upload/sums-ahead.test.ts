import { expect, test } from "bun:test";
import { SumsAhead } from "../../../src/client/features/upload/send/sums-ahead.ts";
import { chunkBytes } from "../../../src/shared/api/resumable.ts";

test("on a fast line, the next chunk is summed while one is sent, and each once", async () => {
  const asked: string[] = [];
  const offsetOf = new Map<Blob, number>();
  const file = {
    size: 2.5 * chunkBytes,
    slice: (from: number) => {
      const piece = new Blob();
      offsetOf.set(piece, from / chunkBytes);
      return piece;
    },
  } as Blob;
  const sums = new SumsAhead(
    {
      sum: async (piece) => {
        asked.push(`${offsetOf.get(piece)}`);
        return `sum ${offsetOf.get(piece)}`;
      },
    },
    file,
  );
  expect(await sums.sum(0, chunkBytes)).toBe("sum 0");
  expect(asked).toEqual(["0", "1"]);
  expect(await sums.sum(chunkBytes, chunkBytes)).toBe("sum 1");
  expect(await sums.sum(2 * chunkBytes, chunkBytes)).toBe("sum 2");
  expect(asked).toEqual(["0", "1", "2"]);
  // A chunk was cut off: it is sent again in smaller ones, whose sums are their own.
  expect(await sums.sum(chunkBytes, chunkBytes / 2)).toBe("sum 1");
  expect(await sums.sum(1.5 * chunkBytes, chunkBytes / 2)).toBe("sum 1.5");
  expect(asked.slice(3)).toEqual(["1", "1.5"]);
});
