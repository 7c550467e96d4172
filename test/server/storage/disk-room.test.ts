import { expect, test } from "bun:test";
import fc from "fast-check";
import { createDiskRoom, DiskFull, type Reservation } from "../../../src/server/storage/disk/disk-room.ts";
import { spaceOf } from "../../../src/server/storage/disk/disk-space.ts";
import { createTempFolder } from "../../support/temp-folder.ts";

const SPARE = 100;

/** Writers and how much of their reservation each writes, in random order. */
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("reserve" as const), bytes: fc.nat(400) }),
    fc.record({ kind: fc.constant("extend" as const), of: fc.nat(9), bytes: fc.nat(400) }),
    fc.record({ kind: fc.constant("write" as const), of: fc.nat(9), bytes: fc.nat(400) }),
    fc.record({ kind: fc.constant("dispose" as const), of: fc.nat(9) }),
    fc.record({ kind: fc.constant("answer" as const) }),
  ),
  { maxLength: 60 },
);

test("all reserved bytes can be written, in any order and with any delay of the system, and the spare remains", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      let freeBytes = 1000;
      const asked: (() => void)[] = [];
      const disk = createDiskRoom({
        spareBytes: SPARE,
        readSpace: () => {
          // Like the system: counted at the request, reported later.
          const counted = freeBytes;
          return new Promise((resolve) => asked.push(() => resolve({ freeBytes: counted, sizeBytes: 0 })));
        },
      });
      const held: Reservation[] = [];
      const pending: Promise<unknown>[] = [];
      const tried = (work: Promise<unknown>) => pending.push(work.catch(expectFull));
      for (const step of steps) {
        const reservation = "of" in step ? held[step.of] : undefined;
        if (step.kind === "reserve") tried(disk.reserve(step.bytes).then((made) => held.push(made)));
        if (step.kind === "extend" && reservation) tried(reservation.extend(step.bytes));
        if (step.kind === "write" && reservation) {
          const bytes = Math.min(step.bytes, reservation.leftBytes);
          freeBytes -= bytes;
          reservation.spend(bytes);
        }
        if (step.kind === "dispose") reservation?.[Symbol.dispose]();
        if (step.kind === "answer") asked.shift()?.();
        await Promise.resolve();
        await Promise.resolve();
      }
      while (asked.length > 0) asked.shift()?.();
      await Promise.all(pending);
      const left = held.reduce((sum, { leftBytes }) => sum + leftBytes, 0);
      expect(freeBytes - left).toBeGreaterThanOrEqual(SPARE);
      for (const reservation of held) reservation[Symbol.dispose]();
      const all = disk.reserve(freeBytes - SPARE);
      asked.shift()?.();
      expect((await all).leftBytes).toBe(freeBytes - SPARE);
    }),
  );
});

function expectFull(error: unknown): void {
  expect(error).toBeInstanceOf(DiskFull);
}

test("a reservation that can't grow keeps what it has", async () => {
  const disk = createDiskRoom({
    spareBytes: SPARE,
    readSpace: async () => ({ freeBytes: 1000, sizeBytes: 0 }),
  });
  using reservation = await disk.reserve(500);
  await expect(reservation.extend(500)).rejects.toThrow(DiskFull);
  expect(reservation.leftBytes).toBe(500);
  await reservation.extend(400);
  await expect(disk.reserve(1)).rejects.toThrow(DiskFull);
});

test("a disk with less than the spare is full, whatever is reserved", async () => {
  let freeBytes = SPARE;
  const disk = createDiskRoom({ spareBytes: SPARE, readSpace: async () => ({ freeBytes, sizeBytes: 0 }) });
  await disk.check();
  freeBytes = SPARE - 1;
  await expect(disk.check()).rejects.toThrow(DiskFull);
});

test("the free bytes are those of the folder's file system", async () => {
  await using folder = createTempFolder();
  expect((await spaceOf(folder.path)).freeBytes).toBeGreaterThan(0);
});
