import { describe, expect, spyOn, test } from "bun:test";
import { SourceUnreachable } from "../../../src/client/visor/core/source.ts";
import type { ReadSync } from "../../../src/client/visor/local/local-bytes.ts";
import type { LocalFile } from "../../../src/client/visor/local/local-files.ts";
import {
  type LocalReader,
  LocalReadingFailed,
  openLocalExam,
} from "../../../src/client/visor/local/local-source.ts";
import { serveLocal } from "../../../src/client/visor/local/serve-local.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { sampleFile } from "../../support/dicom/dicom-sample.ts";
import { documentFiles, pdf, pdfOf } from "../../support/dicom/sample-documents.ts";
import { writeTestZip } from "../../support/zip/zip-archive.ts";

/** A worker's two ends, whose messages are copied as a browser copies them. */
function startReader(readSync: ReadSync | undefined): LocalReader {
  const reader: LocalReader = {
    postMessage(message, transfer = []) {
      const copy = structuredClone(message, { transfer });
      queueMicrotask(() => serve(copy));
    },
    terminate() {},
    onmessage: null,
    onerror: null,
  };
  const serve = serveLocal({
    readSync,
    answer: (reply) => queueMicrotask(() => reader.onmessage?.(new MessageEvent("message", { data: reply }))),
  });
  return reader;
}

const slice = (number: number) =>
  sampleFile({ [TagHex.SOPInstanceUID]: { vr: "UI", Value: [`2.25.30.${number}`] } });
const folder = (files: Record<string, Uint8Array>): LocalFile[] =>
  Object.entries(files).map(([path, bytes]) => ({ path, blob: new Blob([bytes as BlobPart]) }));
const open = (files: LocalFile[], readSync?: ReadSync) =>
  openLocalExam(files, {
    signal: new AbortController().signal,
    onRead: () => {},
    start: () => startReader(readSync),
  });

describe("a worker that may read no file, as WebKit's on the page of a disc", () => {
  const disc = { "cd/INDEX.HTM": new Uint8Array(9), "cd/DICOM/IM1": slice(1), "cd/DICOM/IM2": slice(2) };

  test("gets the bytes from the page, and shows a folder", async () => {
    const { exams, source } = await open(folder(disc));
    expect(exams.files).toBe(3);
    const [series] = exams.studies[0]?.series ?? [];
    expect(series?.instanceCount).toBe(2);
    const { studyInstanceUID = "", seriesInstanceUID = "" } = series ?? {};
    const frame = await source.readFrame(
      { studyInstanceUID, seriesInstanceUID, sopInstanceUID: "2.25.30.2", frameIndex: 0 },
      { isUrgent: true, signal: new AbortController().signal },
    );
    expect(frame.bytes.length).toBeGreaterThan(0);
  });

  test("shows a ZIP", async () => {
    const zip = writeTestZip([
      { name: "IM1", content: slice(1) },
      { name: "IM2", content: slice(2) },
    ]);
    const { exams } = await open(folder({ "exame.zip": zip }));
    expect(exams.studies[0]?.series[0]?.instanceCount).toBe(2);
  });

  test("says that nothing was read when the files are gone", async () => {
    const gone = new Blob(["DICM"]);
    gone.arrayBuffer = () => Promise.reject(new DOMException("gone", "NotReadableError"));
    const opening = open([{ path: "cd/IM1", blob: gone }]);
    await expect(opening).rejects.toBeInstanceOf(LocalReadingFailed);
  });
});

test("a worker that may read is handed no bytes", async () => {
  const files = folder({ "cd/IM1": slice(1) });
  const bytes = slice(1);
  const { exams } = await open(files, (_, offset, length) =>
    Uint8Array.from(bytes.subarray(offset, offset + length)),
  );
  expect(exams.studies[0]?.series[0]?.instanceCount).toBe(1);
});

test("the source says whether a disc was taken out or a document has nothing to read", async () => {
  // More than is read ahead and held.
  const long = Buffer.concat([pdf, new Uint8Array(300_000)]);
  const [file = new Uint8Array()] = Object.values(documentFiles("2.25.10", [pdfOf("Laudo", long)]));
  let isOut = false;
  const { exams, source } = await open(folder({ "cd/DOC": file }), (_, offset, length) => {
    if (isOut) throw new DOMException("gone", "NotReadableError");
    return Uint8Array.from(file.subarray(offset, offset + length));
  });
  const [{ studyInstanceUID, seriesInstanceUID } = { studyInstanceUID: "", seriesInstanceUID: "" }] =
    exams.studies[0]?.series ?? [];
  const read = () =>
    source.readDocument?.(
      { studyInstanceUID, seriesInstanceUID, sopInstanceUID: `${seriesInstanceUID}.1` },
      { language: "pt-BR", signal: new AbortController().signal },
    );
  const blob = await read();
  expect([blob?.type, blob?.size]).toEqual(["application/pdf", long.length]);
  isOut = true;
  await expect(read()).rejects.toBeInstanceOf(SourceUnreachable);
});

describe("a reader", () => {
  const never = new AbortController().signal;
  const image = { studyInstanceUID: "1", seriesInstanceUID: "2", sopInstanceUID: "3", frameIndex: 0 };
  const start = (reader: LocalReader) =>
    openLocalExam([], { signal: never, onRead: () => {}, start: () => reader });

  test("that broke down is not waited for: images that are asked for later fail", async () => {
    const reader = startReader(undefined);
    const { source } = await start(reader);
    reader.postMessage = () => undefined;
    reader.onerror?.({ message: "out of memory" } as ErrorEvent);
    const reading = source.readFrame(image, { isUrgent: true, signal: never });
    const outcome = reading.catch((failure: unknown) => failure);
    expect(await Promise.race([outcome, Bun.sleep(200)])).toBeInstanceOf(LocalReadingFailed);
  });

  test("leaves nothing of an answered question at the visor's signal", async () => {
    const { source } = await open(folder({ "cd/IM1": slice(1) }));
    const { signal } = new AbortController();
    const added = spyOn(signal, "addEventListener");
    const removed = spyOn(signal, "removeEventListener");
    await source
      .readMetadata({ studyInstanceUID: "1", seriesInstanceUID: "2" }, signal)
      .catch(() => undefined);
    expect(removed.mock.calls.map(([name, listener]) => [name, listener])).toEqual(
      added.mock.calls.map(([name, listener]) => [name, listener]),
    );
    expect(added).toHaveBeenCalledTimes(1);
  });

  test("that can't be given the files is ended", async () => {
    let isEnded = false;
    const reader: LocalReader = {
      ...startReader(undefined),
      postMessage() {
        throw new DOMException("it can't be cloned", "DataCloneError");
      },
      terminate() {
        isEnded = true;
      },
    };
    await expect(start(reader)).rejects.toThrow("it can't be cloned");
    expect(isEnded).toBe(true);
  });
});
