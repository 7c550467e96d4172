import { afterEach, expect, jest, spyOn, test } from "bun:test";
import { type MadeUpload, makeUploads } from "../../../src/client/features/upload/draft/make-uploads.ts";
import { mergeExams } from "../../../src/client/features/upload/draft/merge-exams.ts";
import { planUploads } from "../../../src/client/features/upload/draft/plan-uploads.ts";
import { type ReadOptions, readSource } from "../../../src/client/features/upload/draft/read-source.ts";
import { EMPTY_FORM } from "../../../src/client/features/upload/exam-form/exam-form.ts";
import {
  type PackableFile,
  packFolder,
} from "../../../src/client/features/upload/pack-folder/pack-folder.ts";

const FILES = 20_000;
const FILES_OF_EXAM = 500;
/** So many sizes the page asks for in one go, where each costs a millisecond. */
const SIZES_AT_ONCE = 16;
const { signal } = new AbortController();

afterEach(() => {
  jest.restoreAllMocks();
});

/** Counts what is read of the files, and what of it is held. */
class Disc {
  asked = 0;
  reading = 0;
  mostReading = 0;

  readonly files = Array.from({ length: FILES }, (_, n) => ({ path: `CD/IM${n}`, file: this.#file() }));

  #file(): Blob {
    const disc = this;
    return new (class extends Blob {
      override get size(): number {
        disc.asked++;
        return 8;
      }
      override slice(): Blob {
        return { arrayBuffer: () => disc.#read() } as Blob;
      }
    })();
  }

  async #read(): Promise<ArrayBuffer> {
    this.mostReading = Math.max(this.mostReading, ++this.reading);
    await Promise.resolve();
    this.reading--;
    return new ArrayBuffer(8);
  }
}

/** Exams of 500 images each, in the order of the files. */
const look: ReadOptions["look"] = async (files) => {
  const studies = Array.from({ length: files.length / FILES_OF_EXAM }, (_, exam) => {
    const instances = Array.from({ length: FILES_OF_EXAM }, (_, n) => ({
      ...{ file: exam * FILES_OF_EXAM + n, isVideo: false },
      sopInstanceUID: `2.25.${exam}.${n}`,
    }));
    const series = { seriesInstanceUID: `2.25.${exam}`, images: FILES_OF_EXAM, instances };
    return {
      ...{ studyInstanceUID: `2.25.${exam}`, about: EMPTY_FORM, modalities: ["CT"], sizeBytes: 0 },
      ...{ images: FILES_OF_EXAM, series: [series] },
    };
  });
  const contents = { studies, isComplete: true, unplaced: [] };
  return { found: { kind: "found", metadata: EMPTY_FORM }, contents };
};

test("a folder of 20,000 files is planned file by file, and holds neither the page nor more than two packs", async () => {
  const disc = new Disc();
  let [askedBefore, mostAsked, turns] = [0, 0, 0];
  spyOn(performance, "now").mockImplementation(() => disc.asked);
  spyOn(globalThis, "setTimeout").mockImplementation(((next: () => void) => {
    mostAsked = Math.max(mostAsked, disc.asked - askedBefore);
    askedBefore = disc.asked;
    turns++;
    queueMicrotask(next);
  }) as typeof setTimeout);
  const picked = { kind: "folder", name: "CD", files: disc.files } as const;
  const options = { maxUploadBytes: 1_000_000, onProgress() {}, signal, look };
  const read = await readSource(picked, options);
  expect([disc.asked, turns, mostAsked]).toEqual([FILES, FILES / SIZES_AT_ONCE, SIZES_AT_ONCE]);

  const named = spyOn(TextEncoder.prototype, "encode");
  const source = { id: "a", read };
  const { exams, withoutTwins } = mergeExams([source]);
  const planned = planUploads({
    ...{ sources: [source], withoutTwins, unticked: new Set<string>(), corrections: new Map() },
    ...{ maxUploadBytes: options.maxUploadBytes, roomBytes: Number.POSITIVE_INFINITY },
    chosen: exams.map((exam) => ({ exam, files: exam.files, isChosen: true, kept: undefined })),
  });
  // Each exam is whole, each upload full, and no file was measured more than a few times.
  expect(planned.map(({ files }) => files.length)).toEqual([6_000, 6_000, 6_000, 2_000]);
  expect(planned.flatMap(({ files }) => files).length).toBe(FILES);
  expect(named.mock.calls.length).toBeLessThanOrEqual(4 * FILES);
  // Nobody asked the disc again.
  expect(disc.asked).toBe(FILES);

  let [held, mostHeld] = [0, 0];
  const pack = async (files: PackableFile[]) => {
    mostHeld = Math.max(mostHeld, ++held);
    await packFolder(files, async () => {});
    const dispose = async () => {
      held--;
    };
    return { zip: new Blob(["x"]), dispose };
  };
  const made: MadeUpload[] = [];
  for await (const one of makeUploads(planned, { signal, pack, onPacked() {} })) {
    made.push(one);
    await one.upload.dispose();
  }
  expect(made.map(({ counts }) => counts.kept)).toEqual(planned.map(({ files }) => files.length));
  expect([held, mostHeld, disc.mostReading]).toEqual([0, 2, 1]);
});
