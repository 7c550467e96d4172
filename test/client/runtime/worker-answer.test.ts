import { expect, test } from "bun:test";
import { lookInWorker } from "../../../src/client/features/upload/look-inside/look-in-worker.ts";
import { workerAnswer } from "../../../src/client/runtime/worker-answer.ts";

/** A worker that takes no request, as when a picked file is of a kind that can't be handed over. */
function deafWorker() {
  const ended: string[] = [];
  const worker = {
    postMessage() {
      throw new DOMException("it can't be cloned", "DataCloneError");
    },
    terminate: () => void ended.push("ended"),
  } as unknown as Worker;
  return { worker, ended };
}

test("a worker that can't be given its request is ended", async () => {
  const { worker, ended } = deafWorker();
  const { signal } = new AbortController();
  const answer = workerAnswer(worker, {}, { take: () => 1, failed: (message) => new Error(message), signal });
  await expect(answer).rejects.toThrow("it can't be cloned");
  expect(ended).toEqual(["ended"]);
});

test("a worker that can't be given the picked files is ended", async () => {
  const { worker, ended } = deafWorker();
  const { signal } = new AbortController();
  const looking = lookInWorker([], { onRead: () => {}, signal, start: () => worker });
  await expect(looking).rejects.toThrow("it can't be cloned");
  expect(ended).toEqual(["ended"]);
});
