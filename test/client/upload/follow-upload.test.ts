import { describe, expect, test } from "bun:test";
import { followUpload } from "../../../src/client/features/upload/follow/follow-upload.ts";
import type { StudyStatus } from "../../../src/shared/api/studies.ts";

const transferring: StudyStatus = { status: "transferring", isReady: false };
const ready: StudyStatus = { status: "b2", isReady: true };
const local: StudyStatus = { status: "local", isReady: false };
const failed: StudyStatus = { status: "error", isReady: false };

/** What a person sees after an upload: one line per event, with the elapsed time. */
async function follow(...answers: (StudyStatus | undefined)[]): Promise<string[]> {
  const seen: string[] = [];
  let last: StudyStatus | undefined;
  await followUpload({
    studyIds: ["a"],
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

test("a study in transfer is polled after 2 s and then every 3 s, and the list opens 1 s after it is ready", async () => {
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

test("a failed transfer is reported, and the list opens after 2 s", async () => {
  expect(await follow(failed)).toEqual(["transferFailed", "2000 ms", "list"]);
  expect(await follow(transferring, failed)).toEqual([
    "transferring",
    "2000 ms",
    "transferFailed",
    "2000 ms",
    "list",
  ]);
});

test("the list opens 2 s after a status could not be read", async () => {
  expect(await follow(undefined)).toEqual(["2000 ms", "list"]);
  expect(await follow(transferring, undefined)).toEqual(["transferring", "2000 ms", "2000 ms", "list"]);
});

test("any other status is reported as ready or sent, and the list opens after 1.5 s", async () => {
  expect(await follow(ready)).toEqual(["ready", "1500 ms", "list"]);
  expect(await follow(local)).toEqual(["sent", "1500 ms", "list"]);
});

test("a transfer that never ends does not block the person forever", async () => {
  const seen = await follow(transferring);
  expect(seen.length).toBeLessThan(1000);
  expect(seen.at(-1)).toBe("list");
});

test("leaving the view ends the waiting", async () => {
  const left = new Error("left");
  const following = followUpload({
    studyIds: ["a"],
    readStatus: async () => transferring,
    announce: () => {},
    leave: () => {},
    wait: async () => {
      throw left;
    },
  });
  expect(following).rejects.toBe(left);
});

describe("an upload of several studies", () => {
  /** Like `follow`, with a list of answers per study; the last answer repeats. */
  async function followSeveral(answers: Record<string, (StudyStatus | undefined)[]>) {
    const seen: string[] = [];
    const asked: string[] = [];
    await followUpload({
      studyIds: Object.keys(answers),
      readStatus: async (id) => {
        asked.push(id);
        const [next, ...later] = answers[id] ?? [];
        if (later.length > 0) answers[id] = later;
        return next;
      },
      announce: (news, { failed, othersPending }) =>
        seen.push(`${news}, ${failed} failed, ${othersPending} others pending`),
      leave: () => seen.push("list"),
      wait: async (ms) => {
        seen.push(`${ms} ms`);
      },
    });
    return { seen, asked };
  }

  test("waits for the first study and reports how many others are still in transfer", async () => {
    const { seen } = await followSeveral({
      a: [transferring, ready],
      b: [transferring],
      c: [ready],
      d: [undefined],
    });
    expect(seen).toEqual([
      "transferring, 0 failed, 2 others pending",
      "2000 ms",
      "transferred, 0 failed, 2 others pending",
      "1000 ms",
      "list",
    ]);
  });

  test("reports a failure of any study, even if the first is ready or can't be read", async () => {
    for (const first of [ready, transferring, undefined]) {
      const { seen } = await followSeveral({ a: [first], b: [failed], c: [failed], d: [transferring] });
      expect(seen).toEqual(["transferFailed, 2 failed, 1 others pending", "2000 ms", "list"]);
    }
    const { seen } = await followSeveral({ a: [transferring], b: [transferring, failed] });
    expect(seen.slice(1)).toEqual([
      "2000 ms",
      "transferFailed, 1 failed, 0 others pending",
      "2000 ms",
      "list",
    ]);
  });

  test("stops polling a study that is ready, and polls at most fifty", async () => {
    const { asked } = await followSeveral({ a: [transferring, transferring, ready], b: [ready] });
    expect(asked).toEqual(["a", "b", "a", "a"]);
    const many = Object.fromEntries(Array.from({ length: 80 }, (_, n) => [`s${n}`, [ready]]));
    expect((await followSeveral(many)).asked).toHaveLength(50);
  });
});
