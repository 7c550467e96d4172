import { expect, test } from "bun:test";
import { followUpload } from "../../../src/client/features/upload/follow-upload.ts";
import type { StudyStatus } from "../../../src/shared/api/studies.ts";

const transferring: StudyStatus = { status: "transferring", isReady: false };
const ready: StudyStatus = { status: "b2", isReady: true };
const local: StudyStatus = { status: "local", isReady: false };
const failed: StudyStatus = { status: "error", isReady: false };

/** What a person sees after an upload, one line an event, with the time that passed. */
async function follow(...answers: (StudyStatus | undefined)[]): Promise<string[]> {
  const seen: string[] = [];
  let last: StudyStatus | undefined;
  await followUpload({
    readStatus: async () => {
      if (answers.length > 0) last = answers.shift();
      return last;
    },
    announce: (news) => seen.push(news),
    leave: () => seen.push("list"),
    wait: async (ms) => {
      seen.push(`${ms} ms`);
    },
  });
  return seen;
}

test("a study on its way is asked about after 2 s and then every 3 s, and 1 s after it is ready comes the list", async () => {
  expect(await follow(transferring, transferring, local, ready)).toEqual([
    "transferring",
    "2000 ms",
    "3000 ms",
    "3000 ms",
    "transferred",
    "1000 ms",
    "list",
  ]);
});

test("a failed transfer is told, and the list comes after 2 s", async () => {
  expect(await follow(failed)).toEqual(["transferFailed", "2000 ms", "list"]);
  expect(await follow(transferring, failed)).toEqual([
    "transferring",
    "2000 ms",
    "transferFailed",
    "2000 ms",
    "list",
  ]);
});

test("a status that cannot be read leads to the list after 2 s", async () => {
  expect(await follow(undefined)).toEqual(["2000 ms", "list"]);
  expect(await follow(transferring, undefined)).toEqual(["transferring", "2000 ms", "2000 ms", "list"]);
});

test("any other status is told as ready or sent, and the list comes after 1.5 s", async () => {
  expect(await follow(ready)).toEqual(["ready", "1500 ms", "list"]);
  expect(await follow(local)).toEqual(["sent", "1500 ms", "list"]);
});

test("a transfer that never ends does not hold the person for ever", async () => {
  const seen = await follow(transferring);
  expect(seen.length).toBeLessThan(1000);
  expect(seen.at(-1)).toBe("list");
});

test("leaving the view ends the waiting", async () => {
  const left = new Error("left");
  const following = followUpload({
    readStatus: async () => transferring,
    announce: () => {},
    leave: () => {},
    wait: async () => {
      throw left;
    },
  });
  expect(following).rejects.toBe(left);
});
