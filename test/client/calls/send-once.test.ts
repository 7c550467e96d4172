import { expect, test } from "bun:test";
import { ApiError } from "../../../src/client/calls/api.ts";
import { sendOnce } from "../../../src/client/calls/send-once.ts";

/** A server that has not answered; `keys` are those that it was sent. */
function silentServer() {
  const keys: string[] = [];
  const lose = async (key: string): Promise<never> => {
    keys.push(key);
    throw new ApiError(0, "network", "text");
  };
  return { keys, lose };
}

const pdf = (text: string, lastModified = 1) => new File([text], "exame.pdf", { lastModified });

test("what is sent again after a lost answer has its key, whatever date the file has by then", async () => {
  const { keys, lose } = silentServer();
  await sendOnce(["lab", pdf("one", 1)], lose).catch(() => undefined);
  await sendOnce(["lab", pdf("one", 2)], lose).catch(() => undefined);
  await sendOnce(["lab", pdf("longer")], lose).catch(() => undefined);
  await sendOnce(["report", pdf("one", 1)], lose).catch(() => undefined);
  const [first, again, longer, report] = keys;
  expect(again).toBe(first ?? "");
  expect(new Set([first, longer, report]).size).toBe(3);
});

test("another file of the same name and size is sent under a key of its own", async () => {
  const { keys, lose } = silentServer();
  await sendOnce(["lab", pdf("1st")], lose).catch(() => undefined);
  const answer = await sendOnce(["lab", pdf("2nd")], async (key) => {
    keys.push(key);
    if (key === keys[0]) throw new ApiError(409, "lab.key_used", "text");
    return "stored";
  });
  expect(answer).toBe("stored");
  expect(new Set(keys).size).toBe(2);
  expect(keys).toHaveLength(3);
});

test("keys of what never had an answer are bounded in number", async () => {
  const { keys, lose } = silentServer();
  for (let n = 0; n <= 50; n++) await sendOnce(["bound", String(n)], lose).catch(() => undefined);
  await sendOnce(["bound", "0"], lose).catch(() => undefined);
  await sendOnce(["bound", "50"], lose).catch(() => undefined);
  expect(keys.at(-2)).not.toBe(keys[0] ?? "");
  expect(keys.at(-1)).toBe(keys[50] ?? "");
});
