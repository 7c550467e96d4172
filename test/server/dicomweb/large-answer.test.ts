import { expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { dataSetsResponse } from "../../../src/server/features/dicomweb/metadata/metadata.ts";
import {
  createSearchTurns,
  DEFAULT_SEARCH_LIMITS,
} from "../../../src/server/features/dicomweb/turns/search-turns.ts";
import { AppError } from "../../../src/server/http/app-error.ts";

const items = Array.from({ length: 40 }, (_, i) =>
  Buffer.from(JSON.stringify({ i, text: "x".repeat(70_000) })),
);
const request = (init: RequestInit = {}) => new Request("https://exames.example/dicomweb/instances", init);

/** An answer, and whether its place is free again. */
async function answer(asked: Request) {
  const limits = { ...DEFAULT_SEARCH_LIMITS, largeAnswers: { all: 1, own: 1 } };
  const turns = createSearchTurns(limits);
  const response = await dataSetsResponse(
    items,
    { request: asked, form: "json" },
    turns.holdLarge({ callerId: "account" }),
  );
  const isFree = () => {
    try {
      turns.holdLarge({ callerId: "account" })[Symbol.dispose]();
      return true;
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  };
  return { response, isFree };
}

test.each(["", "gzip", "br"] as const)(
  "a large answer has all items, and its place until it is read (%s)",
  async (coding) => {
    const { response, isFree } = await answer(request({ headers: { "accept-encoding": coding } }));
    expect(isFree()).toBe(false);
    expect(response.headers.get("content-encoding") ?? "").toBe(coding);
    const packed = Buffer.from(await response.arrayBuffer());
    const plain =
      coding === "" ? packed : coding === "br" ? brotliDecompressSync(packed) : gunzipSync(packed);
    expect(JSON.parse(plain.toString())).toEqual(items.map((item) => JSON.parse(item.toString())));
    expect(isFree()).toBe(true);
  },
);

test("a large answer gives its place back when its client leaves, unread or midway, or asks for its head only", async () => {
  const unread = await answer(request());
  await unread.response.body?.cancel();
  const midway = await answer(request());
  const reader = midway.response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  const head = await answer(request({ method: "HEAD" }));
  const leaving = new AbortController();
  const gone = await answer(request({ signal: leaving.signal }));
  leaving.abort();
  const late = await answer(request({ signal: AbortSignal.abort() }));
  for (const { isFree } of [unread, midway, head, gone, late]) expect(isFree()).toBe(true);
});
