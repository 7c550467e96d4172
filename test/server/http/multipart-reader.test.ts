import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { boundaryOf, MultipartBroken, readFormParts } from "../../../src/server/http/multipart-reader.ts";
import { spentMs } from "../../support/spent-time.ts";

const BOUNDARY = "----limite-7f3a";

interface Sent {
  name: string;
  fileName?: string;
  content: Uint8Array;
}

function encode(parts: Sent[], options: { preamble?: string; epilogue?: string } = {}): Buffer {
  const pieces = parts.flatMap(({ name, fileName, content }) => {
    const file = fileName === undefined ? "" : `; filename="${fileName}"\r\nContent-Type: application/zip`;
    return [
      Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`),
      content,
      Buffer.from("\r\n"),
    ];
  });
  const preamble = Buffer.from(options.preamble ?? "");
  return Buffer.concat([preamble, ...pieces, Buffer.from(`--${BOUNDARY}--${options.epilogue ?? "\r\n"}`)]);
}

/** The body in pieces of these lengths, over and over. */
async function* inPieces(body: Uint8Array, lengths: number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, turn = 0; at < body.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1;
    yield body.subarray(at, at + length);
    at += length;
  }
}

async function read(body: AsyncIterable<Uint8Array>): Promise<Sent[]> {
  const parts: Sent[] = [];
  for await (const { name, fileName, content } of readFormParts(body, BOUNDARY)) {
    const pieces = await Array.fromAsync(content, (piece) => Uint8Array.from(piece));
    parts.push({
      name,
      ...(fileName !== undefined && { fileName }),
      content: new Uint8Array(Buffer.concat(pieces)),
    });
  }
  return parts;
}

/** Bytes that often look like a delimiter about to come. */
const tricky = fc
  .array(fc.constantFrom("\r", "\n", "-", "\r\n--", "\r\n------limite-7f3", "PK", "\u0000"), {
    maxLength: 40,
  })
  .map((pieces) => new Uint8Array(Buffer.from(pieces.join(""))));

describe("the parts of a form", () => {
  test("come out as they were sent, however the network cuts them", async () => {
    const property = fc.asyncProperty(
      fc.array(tricky, { minLength: 1, maxLength: 4 }),
      fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 5 }),
      async (contents, lengths) => {
        const sent = contents.map((content, index) => ({
          name: `parte ${index}`,
          fileName: `é ${index}.zip`,
          content,
        }));
        expect(await read(inPieces(encode(sent), lengths))).toEqual(sent);
      },
    );
    await fc.assert(property, { numRuns: 300 });
  });

  test.each([
    ["filename*=utf-8''exame-Jo%C3%A3o.zip", "exame-João.zip"],
    [`filename="=?utf-8?B?ZXhhbWUtSm/Do28uemlw?="; filename*=UTF-8'pt'exame-Jo%C3%A3o.zip`, "exame-João.zip"],
    [`filename="exame.zip"; filename*=iso-8859-1''exame-Jo%E3o.zip`, "exame.zip"],
    [`filename="exame.zip"; filename*=utf-8''%E3.zip`, "exame.zip"],
    ["filename*=iso-8859-1''exame-Jo%E3o.zip", "exame-Jo%E3o.zip"],
    [`filename="a; filename*=utf-8''b.pdf"`, "a; filename*=utf-8''b.pdf"],
  ])("have the name that a program gave in the extended form: %s", async (parameter, fileName) => {
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name=file; ${parameter}\r\n\r\n`;
    const [part] = await read(inPieces(Buffer.from(`${head}x\r\n--${BOUNDARY}--`), [7]));
    expect([part?.name, part?.fileName]).toEqual(["file", fileName]);
  });

  test.each(["", "\\"])("are read as fast whatever their headers hold", async (end) => {
    const longest = `filename="${'\\"'.repeat(8_000)}${end}`;
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name=file; ${longest}\r\n\r\n`;
    const before = spentMs();
    await read(inPieces(Buffer.from(`${`${head}x\r\n`.repeat(8)}--${BOUNDARY}--`), [65_536]));
    expect(spentMs() - before).toBeLessThan(400);
  });

  test("may be skipped unread", async () => {
    const content = new Uint8Array(100_000).fill(7);
    const body = encode([
      { name: "zipFile", fileName: "a.zip", content },
      { name: "formData", content: new Uint8Array(Buffer.from("{}")) },
    ]);
    const names: string[] = [];
    for await (const { name } of readFormParts(inPieces(body, [4096]), BOUNDARY)) names.push(name);
    expect(names).toEqual(["zipFile", "formData"]);
  });

  test("are read whatever comes before and after them", async () => {
    const sent = [{ name: "formData", content: new Uint8Array(Buffer.from("{}")) }];
    const body = encode(sent, { preamble: "para quem não entende\r\n", epilogue: "\r\nfim" });
    expect(await read(inPieces(body, [3]))).toEqual(sent);
    expect(await read(inPieces(Buffer.from(`--${BOUNDARY}--`), [9]))).toEqual([]);
  });

  test("cut short anywhere are an error, never a shorter file", async () => {
    const body = encode([
      { name: "zipFile", fileName: "a.zip", content: new Uint8Array(Buffer.from("PK conteúdo")) },
    ]);
    for (let length = 0; length < body.length - 2; length++) {
      await expect(read(inPieces(body.subarray(0, length), [7]))).rejects.toBeInstanceOf(MultipartBroken);
    }
  });

  test("are bounded in number and in the length of their headers", async () => {
    const many = Array.from({ length: 17 }, () => ({ name: "x", content: new Uint8Array(1) }));
    await expect(read(inPieces(encode(many), [500]))).rejects.toBeInstanceOf(MultipartBroken);
    const long = encode([{ name: "x".repeat(20_000), content: new Uint8Array(1) }]);
    await expect(read(inPieces(long, [500]))).rejects.toBeInstanceOf(MultipartBroken);
  });
});

test("the boundary is read with and without quotes, and only of multipart/form-data", () => {
  expect(boundaryOf("multipart/form-data; boundary=abc")).toBe("abc");
  expect(boundaryOf('Multipart/Form-Data; charset=utf-8; Boundary="a b:c"')).toBe("a b:c");
  expect(boundaryOf("multipart/form-data")).toBeUndefined();
  expect(boundaryOf("application/zip; boundary=abc")).toBeUndefined();
});
