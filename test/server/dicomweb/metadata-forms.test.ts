import { expect, test } from "bun:test";
import { zstdCompressSync } from "node:zlib";
import type { StoredMetadata } from "../../../src/server/features/dicomweb/dicomweb.catalogue.ts";
import {
  MAX_AT_ONCE_BYTES,
  seriesMetadataResponse,
} from "../../../src/server/features/dicomweb/metadata/metadata.ts";

const SERIES = "https://exames.example/dicomweb/studies/2.25.1/series/2.25.2";
const itemOf = (index: number, below = "") => ({
  "00080018": { vr: "UI", Value: [`2.25.3.${index}`] },
  "00104000": { vr: "LT", Value: ['"BulkDataURI":"not an address'] },
  "7FE00010": { vr: "OW", BulkDataURI: `${below}instances/2.25.3.${index}/bulkdata/7FE00010` },
});
const listOf = (count: number, below = "") =>
  Array.from({ length: count }, (_, index) => itemOf(index, below));

function storedMetadata(count: number): { stored: StoredMetadata; packedForms: string[] } {
  const json = Buffer.from(JSON.stringify(listOf(count)));
  const kept = new Map<string, Uint8Array>();
  const packedForms: string[] = [];
  const unused = () => Promise.reject(new Error("not read"));
  const stored: StoredMetadata = {
    encoding: "zstd",
    version: "1",
    inflatedBytes: json.length,
    open: async () => zstdCompressSync(json),
    async packed(form, pack) {
      const known = kept.get(form);
      if (known) return known;
      packedForms.push(form);
      const bytes = await pack();
      kept.set(form, bytes);
      return bytes;
    },
    rangeOf: unused,
    ranges: unused,
  };
  return { stored, packedForms };
}

async function read(answer: Response): Promise<unknown> {
  const bytes = await answer.bytes();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response(bytes, { headers: answer.headers }),
  });
  try {
    return await (await fetch(server.url)).json();
  } finally {
    await server.stop(true);
  }
}

const taken = (acceptEncoding: string) => ({ form: "json" as const, acceptEncoding });

test.each(["zstd", "br", "gzip"])("metadata with whole addresses are packed once as %s", async (coding) => {
  const { stored, packedForms } = storedMetadata(100);
  for (let repetition = 0; repetition < 3; repetition++) {
    const answer = await seriesMetadataResponse(stored, taken(coding), SERIES);
    expect(answer.headers.get("content-encoding")).toBe(coding);
    expect(await read(answer)).toEqual(listOf(100, `${SERIES}/`));
  }
  expect(packedForms).toHaveLength(1);
  expect(await read(await seriesMetadataResponse(stored, taken(coding), `${SERIES}4`))).toEqual(
    listOf(100, `${SERIES}4/`),
  );
  expect(await read(await seriesMetadataResponse(stored, taken(coding)))).toEqual(listOf(100));
});

test.each(["zstd", "br", "gzip", "identity"])(
  "long metadata with whole addresses are streamed as %s",
  async (coding) => {
    const count = Math.ceil(MAX_AT_ONCE_BYTES / JSON.stringify(itemOf(1)).length);
    const { stored, packedForms } = storedMetadata(count);
    const answer = await seriesMetadataResponse(stored, taken(coding), SERIES);
    expect(answer.headers.get("content-encoding")).toBe(coding === "identity" ? null : coding);
    expect(await read(answer)).toEqual(listOf(count, `${SERIES}/`));
    expect(packedForms).toEqual([]);
  },
);
