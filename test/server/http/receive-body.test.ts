import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { AppError } from "../../../src/server/http/app-error.ts";
import { receiveBody } from "../../../src/server/http/receive-body.ts";
import { createSenderSlots } from "../../../src/server/http/sender-slots.ts";

const STALL_MS = 20_000;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test("a body is given up if its sender stalls, not while its reader is busy", async () => {
  using slot = await createSenderSlots({ perSender: 1, perProcess: 1 }).take("somebody");
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(Uint8Array.of(1));
      controller.enqueue(Uint8Array.of(2));
    },
  });
  const pieces = receiveBody(body, slot);
  expect((await pieces.next()).value).toEqual(Uint8Array.of(1));
  jest.advanceTimersByTime(STALL_MS + 1);
  expect((await pieces.next()).value).toEqual(Uint8Array.of(2));

  const waiting = pieces.next().catch((error: unknown) => error);
  jest.advanceTimersByTime(STALL_MS + 1);
  const failure = await waiting;
  expect(failure instanceof AppError && failure.kind.code).toBe("body.interrupted");
});
