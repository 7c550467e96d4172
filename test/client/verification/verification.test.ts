import { describe, expect, spyOn, test } from "bun:test";
import { deflateSync } from "node:zlib";
import { Inflate, zipSync } from "fflate";
import { CompactSign, exportJWK, generateKeyPair } from "jose";
import {
  compareExams,
  compareFiles,
  compareRoot,
  isUnchanged,
} from "../../../src/client/features/verification/compare-files.ts";
import { hashFiles } from "../../../src/client/features/verification/hash-files.ts";
import {
  openReceiptFile,
  openReceiptText,
  receiptsOf,
  rootOf,
} from "../../../src/client/features/verification/receipt-file.ts";
import { PdfPage, writePdf } from "../../../src/server/documents/pdf-writer.ts";
import type { PublicKey, Receipt } from "../../../src/shared/api/receipts.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { sampleKinds } from "../../support/app/damaged-study.ts";
import { sha256 } from "../../support/program/stored-bytes.ts";
import { spentMs } from "../../support/spent-time.ts";
import { sampleInstance } from "../../support/zip/sample-zip.ts";

const kinds = sampleKinds();
const kindNames = Object.keys(kinds);
const bytesOf = (name: string) => kinds[name] ?? new Uint8Array();
const hashed = await hashFiles(folder(kinds), undefined, () => {});
const instances = hashed.map(({ sopInstanceUID = "", sha256: sum, sizeBytes }) => ({
  sopInstanceUID,
  sha256: sum,
  sizeBytes,
}));
const receipt: Receipt = {
  ...{ version: 1, studyInstanceUID: "2.25.1.1", receivedAt: "2026-11-20T12:00:00.000Z" },
  ...{ instances, root: rootOf(instances) },
};

function folder(files: Record<string, Uint8Array>) {
  return Object.entries(files).map(([name, bytes]) => ({
    name: `disco/${name}`,
    file: new Blob([Uint8Array.from(bytes)]),
  }));
}

function asOpened(opened: Awaited<ReturnType<typeof openReceiptFile>>) {
  return opened && "digest" in opened ? opened : undefined;
}

async function compare(files: Record<string, Uint8Array>) {
  const known = new Set(instances.map((instance) => instance.sha256));
  return compareFiles(receipt, await hashFiles(folder(files), known, () => {}));
}

const flipped = (bytes: Uint8Array, at: number) => {
  const changed = Uint8Array.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
};

describe("files that are checked against a receipt", () => {
  test("are hashed as the server hashes them, from a folder and from a ZIP, deflated or not", async () => {
    expect(hashed.map((file) => file.sha256)).toEqual(kindNames.map((name) => sha256(bytesOf(name))));
    for (const level of [0, 6] as const) {
      const zip = new Blob([Uint8Array.from(zipSync(kinds, { level }))]);
      const entries = await hashFiles([{ name: "exame.zip", file: zip }], undefined, () => {});
      expect(entries.map(({ name: _, ...rest }) => rest)).toEqual(hashed.map(({ name: _, ...rest }) => rest));
    }
  });

  test("are found in several ZIPs and beside them", async () => {
    const [inFirst = "", inSecond = "", ...beside] = kindNames;
    const zipOf = (...names: string[]) =>
      new Blob([Uint8Array.from(zipSync(Object.fromEntries(names.map((name) => [name, bytesOf(name)]))))]);
    const cut = zipOf(inFirst);
    const files = await hashFiles(
      [
        { name: "parte 1.zip", file: zipOf(inFirst) },
        { name: "exame/PARTE2.ZIP", file: zipOf(inSecond) },
        { name: "cortado.zip", file: cut.slice(0, cut.size - 60) },
        ...beside.map((name) => ({ name, file: new Blob([Uint8Array.from(bytesOf(name))]) })),
      ],
      undefined,
      () => {},
    );
    expect(files.map(({ name }) => name)).toEqual([inFirst, inSecond, "cortado.zip", ...beside]);
    const sums = files.flatMap(({ name, sha256: sum }) => (name === "cortado.zip" ? [] : [sum]));
    expect(sums).toEqual(hashed.map((file) => file.sha256));
  });

  test("are compared without what of a ZIP beside them can't be read, such as one that wants a password", async () => {
    const rotten = Uint8Array.from(zipSync({ "laudo.dcm": bytesOf(kindNames[0] ?? "") }, { level: 6 }));
    rotten.fill(0xff, 60, 90);
    const locked = Uint8Array.from(zipSync({ "laudo.txt": new Uint8Array(99) }, { level: 0 }));
    for (const at of [6, 30 + 9 + 99 + 8]) locked[at] = 1;
    for (const bytes of [rotten, locked]) {
      const zip = { name: "disco/outro.zip", file: new Blob([bytes]) };
      const files = await hashFiles([...folder(kinds), zip], undefined, () => {});
      expect(compareFiles(receipt, files)).toEqual({
        ...{ matching: kindNames.length, changed: [], missing: [], unknown: [], others: 1 },
      });
      expect(compareRoot(receipt.root, files).isSame).toBe(true);
      expect(
        compareFiles(receipt, await hashFiles([...folder(kinds).slice(1), zip], undefined, () => {})),
      ).toMatchObject({
        ...{ matching: kindNames.length - 1, missing: [hashed[0]?.sopInstanceUID] },
      });
    }
  });

  test("match a root also if they are there twice, such as in two ZIPs", async () => {
    const zip = new Blob([Uint8Array.from(zipSync(kinds))]);
    const twice = ["exame.zip", "exame (1).zip"].map((name) => ({ name, file: zip }));
    const files = await hashFiles(twice, undefined, () => {});
    expect(compareRoot(receipt.root, files)).toEqual({ isSame: true, images: kindNames.length });
    expect(compareRoot(receipt.root, files.slice(1, kindNames.length))).toMatchObject({ isSame: false });
  });

  test("match under any name and in any order", async () => {
    const renamed = Object.fromEntries(kindNames.toReversed().map((name, i) => [`IM${i}`, bytesOf(name)]));
    expect(isUnchanged(await compare(renamed))).toBe(true);
  });

  test.each([200, 5_000, 12_000])(
    "name the one file in which a single bit differs, at byte %d",
    async (at) => {
      const comparison = await compare({ ...kinds, stored: flipped(bytesOf("stored"), at) });
      expect(comparison).toEqual({
        ...{ matching: kindNames.length - 1, missing: [], unknown: [], others: 0 },
        changed: [{ name: "disco/stored", sopInstanceUID: "2.25.3.1.1.1" }],
      });
    },
  );

  test("name what is missing, what the receipt does not have, and leave other files alone", async () => {
    const { stored: _, ...rest } = kinds;
    const comparison = await compare({
      ...rest,
      strange: sampleInstance({ study: "9" }),
      "laudo.pdf": new TextEncoder().encode("%PDF-1.7"),
    });
    expect(comparison).toEqual({
      ...{ matching: kindNames.length - 1, missing: ["2.25.3.1.1.1"], changed: [] },
      ...{ unknown: ["disco/strange"], others: 1 },
    });
  });

  test("match with the laudo that a medium has among the images, by the receipt and by its root", async () => {
    const laudo = sampleInstance({
      series: "9999",
      elements: { [TagHex.SOPClassUID]: { vr: "UI", Value: ["1.2.840.10008.5.1.4.1.1.104.1"] } },
    });
    const medium = folder({ ...kinds, laudo });
    const known = new Set(instances.map((instance) => instance.sha256));
    const comparison = compareFiles(receipt, await hashFiles(medium, known, () => {}));
    expect(comparison).toMatchObject({ matching: kindNames.length, unknown: [], others: 1 });
    expect(isUnchanged(comparison)).toBe(true);
    const all = await hashFiles(medium, undefined, () => {});
    expect(compareRoot(receipt.root, all)).toEqual({ isSame: true, images: kindNames.length });
    // A document that was received must be there, too.
    const withLaudo = rootOf(all.map(({ sopInstanceUID = "", ...file }) => ({ ...file, sopInstanceUID })));
    expect(compareRoot(withLaudo, all)).toEqual({ isSame: true, images: kindNames.length + 1 });
    expect(compareRoot(withLaudo, hashed).isSame).toBe(false);
  });

  test("match behind the beginning that a medium gives to a file without one", async () => {
    const whole = bytesOf("stored");
    const metaEnd = 144 + new DataView(whole.buffer, whole.byteOffset).getUint32(140, true);
    for (const start of [128, 132, metaEnd]) {
      const came = whole.subarray(start);
      const [only] = await hashFiles(folder({ came }), undefined, () => {});
      const known = new Set([only?.sha256 ?? ""]);
      const instances = [
        { sopInstanceUID: "2.25.3.1.1.1", sha256: only?.sha256 ?? "", sizeBytes: came.length },
      ];
      const files = { completed: whole, changed: flipped(whole, 9_000) };
      const hashedFiles = await hashFiles(folder(files), known, () => {});
      expect(compareFiles({ instances }, hashedFiles)).toMatchObject({ matching: 1, missing: [] });
      expect(hashedFiles.map(({ sha256: sum }) => known.has(sum))).toEqual([true, false]);
    }
  });

  test("do not match behind a beginning that shows something else", async () => {
    const whole = bytesOf("stored");
    const view = new DataView(whole.buffer, whole.byteOffset);
    const metaEnd = 144 + view.getUint32(140, true);
    const came = whole.subarray(metaEnd);
    const [only] = await hashFiles(folder({ came }), undefined, () => {});
    const known = new Set([only?.sha256 ?? ""]);
    // A reader that goes by the elements, and not by the length of their group, shows the first of the two data sets.
    const forged = Uint8Array.from([
      ...whole.subarray(0, metaEnd),
      ...flipped(whole, 9_000).subarray(metaEnd),
      ...came,
    ]);
    new DataView(forged.buffer).setUint32(140, metaEnd - 144 + came.length, true);
    const [hashed] = await hashFiles(folder({ forged }), known, () => {});
    expect(known.has(hashed?.sha256 ?? "")).toBe(false);
  });

  test("of a ZIP that is cut off are reported, not passed", async () => {
    const whole = zipSync(kinds);
    const zip = Uint8Array.from(whole.subarray(0, whole.length - 60));
    await expect(
      hashFiles([{ name: "a.zip", file: new Blob([zip]) }], undefined, () => {}),
    ).rejects.toThrow();
  });
});

describe("a receipt", async () => {
  const { privateKey, publicKey } = await generateKeyPair("EdDSA", { crv: "Ed25519" });
  const { x = "" } = await exportJWK(publicKey);
  const key: PublicKey = { kty: "OKP", crv: "Ed25519", x, kid: "k1", alg: "EdDSA", use: "sig" };
  const sign = (payload: object) =>
    new CompactSign(Buffer.from(JSON.stringify(payload)))
      .setProtectedHeader({ alg: "EdDSA", kid: "k1" })
      .sign(privateKey);
  const jws = await sign(receipt);

  test("is read from the JSON of the API, from a JWS, and from the address in a QR code", async () => {
    const { instances: _, studyInstanceUID: __, ...rest } = receipt;
    const digest = { ...rest, images: instances.length, sizeBytes: 12 };
    const fromJson = await openReceiptText(JSON.stringify({ receipt, jws }), [key]);
    expect(fromJson).toMatchObject({ signature: "valid", receipt });
    expect(await openReceiptFile(new Blob([`${jws}\n`]), [key])).toMatchObject({
      signature: "valid",
      receipt,
    });
    const address = `https://exames.example.com/verificar#${await sign(digest)}`;
    expect(await openReceiptText(address, [key])).toEqual({ signature: "valid", digest, receipt: undefined });
  });

  test("of several exams on one paper is compared with the exams that are there", async () => {
    const files = folder({ other: sampleInstance({ study: "7" }), third: sampleInstance({ study: "8" }) });
    const [other, third] = await Promise.all(
      (await hashFiles(files, undefined, () => {})).map(async ({ sopInstanceUID = "", ...file }) => {
        const of = [{ sopInstanceUID, sha256: file.sha256, sizeBytes: file.sizeBytes }];
        return { ...receipt, studyInstanceUID: sopInstanceUID, instances: of, root: rootOf(of) };
      }),
    );
    if (!other || !third) throw new Error("no receipts");
    const paper = async (...texts: string[]) => {
      const attachments = texts.map((text, index) => ({
        ...{ name: `recibo-${index}.jws`, type: "application/jose", description: "JWS" },
        ...{ sizeBytes: text.length, deflated: deflateSync(text) },
      }));
      const about = {
        title: "Recibo",
        locale: "pt-BR",
        createdAt: new Date(),
        pages: [new PdfPage()],
      } as const;
      return await openReceiptFile(new Blob([Uint8Array.from(writePdf({ ...about, attachments }))]), [key]);
    };
    const opened = asOpened(await paper(jws, await sign(other), await sign(third)));
    expect(opened?.signature).toBe("valid");
    expect(opened?.digest.images).toBe(instances.length + 2);
    const receipts = opened ? receiptsOf(opened) : [];
    const known = new Set(receipts.flatMap((one) => one.instances.map((instance) => instance.sha256)));
    const check = async (some: ReturnType<typeof folder>) => {
      const { comparison, ...counts } = compareExams(receipts, await hashFiles(some, known, () => {}));
      return { isSame: isUnchanged(comparison), ...counts };
    };
    expect(await check(files.slice(0, 1))).toEqual({ isSame: true, images: 1, absent: 2 });
    expect(await check([...files, ...folder(kinds)])).toEqual({
      isSame: true,
      images: instances.length + 2,
      absent: 0,
    });
    expect(await check(folder({ strange: sampleInstance({ study: "9" }) }))).toEqual({
      ...{ isSame: false, images: instances.length + 2, absent: 0 },
    });
    const forged = [jws.split(".")[0], (await sign(other)).split(".")[1], jws.split(".")[2]].join(".");
    expect(asOpened(await paper(jws, forged))?.signature).toBe("invalid");
    expect(opened?.unread).toBeUndefined();
    const inPart = await paper(jws, await sign({ ...other, version: 9 }), "cut off");
    expect(inPart).toMatchObject({ signature: "valid", receipt, unread: 2 });
    expect(await paper("cut off")).toEqual({ unread: 1 });
  });

  test("is not sought for ever in a PDF that was made for it", async () => {
    const open = (...parts: (string | Uint8Array)[]) =>
      openReceiptFile(new Blob(["%PDF-1.7\n", ...parts.map((part) => Buffer.from(part))]), [key]);
    // From each of these beginnings a head may go on.
    const startedAt = spentMs();
    expect(await open("/Type /EmbeddedFile ".repeat(50_000))).toBeUndefined();
    expect(spentMs() - startedAt).toBeLessThan(10_000);
    // None of these is deflate data, which is known only after each was inflated.
    const head =
      "/Type /EmbeddedFile /Subtype /application#2Fjose >> /Length 3 /Filter /FlateDecode >>\nstream\n";
    using pushes = spyOn(Inflate.prototype, "push");
    expect(await open(...Array(300).fill(`${head}\0\0\x07`))).toEqual({ unread: 300 });
    expect(pushes.mock.calls.length).toBeWithin(1, 100);
    // An inflater costs memory, even if there is nothing to inflate.
    pushes.mockClear();
    expect(await open(...Array(10_000).fill(`${head}\0\0\x03`))).toEqual({ unread: 10_000 });
    expect(pushes.mock.calls.length).toBeWithin(1, 5_000);
  });

  test("that was changed, or signed by nobody known here, is not believed", async () => {
    const [header, , signature] = jws.split(".");
    const other = Buffer.from(JSON.stringify({ ...receipt, receivedAt: "2020-01-01T00:00:00.000Z" }));
    const forged = [header, other.toString("base64url"), signature].join(".");
    const wrongRoot = await sign({ ...receipt, root: "0".repeat(64) });
    const stateOf = async (text: string, keys: PublicKey[] | undefined) =>
      (await openReceiptText(text, keys))?.signature;
    expect(await stateOf(forged, [key])).toBe("invalid");
    expect(await stateOf(wrongRoot, [key])).toBe("invalid");
    expect(await stateOf(`${header}.${jws.split(".")[1]}.AAAA`, [key])).toBe("invalid");
    expect(await stateOf(jws, [{ ...key, kid: "other" }])).toBe("unknown");
    expect(await stateOf(JSON.stringify(receipt), [key])).toBe("unknown");
    expect(await stateOf(jws, undefined)).toBe("unreachable");
  });

  test.each(["", "{", "{}", "a.b", "a.b.c", "%PDF-1.7\n%%EOF"])("is not made of %p", async (text) => {
    expect(await openReceiptFile(new Blob([text]), [key])).toBeUndefined();
  });
});
