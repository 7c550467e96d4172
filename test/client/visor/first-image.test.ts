import { expect, test } from "bun:test";
import { type AskFirstImage, withFirstImage } from "../../../src/client/visor/core/first-image.ts";
import type { FrameReading, StackSource } from "../../../src/client/visor/core/source.ts";
import { createVisorModel } from "../../../src/client/visor/core/visor-model.ts";
import type { DicomJson } from "../../../src/shared/dicom/dicom-json.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";

const [STUDY, SERIES] = ["2.25.1", "2.25.2"];
const signal = new AbortController().signal;
const reading: FrameReading = { isUrgent: true, signal };
const settle = () => new Promise((resolve) => setTimeout(resolve));

function instance(number: number, more: DicomJson = {}): DicomJson {
  return {
    [TagHex.StudyInstanceUID]: { vr: "UI", Value: [STUDY] },
    [TagHex.SeriesInstanceUID]: { vr: "UI", Value: [SERIES] },
    [TagHex.SOPInstanceUID]: { vr: "UI", Value: [`2.25.3.${number}`] },
    [TagHex.InstanceNumber]: { vr: "IS", Value: [number] },
    [TagHex.PhotometricInterpretation]: { vr: "CS", Value: ["MONOCHROME2"] },
    [TagHex.Rows]: { vr: "US", Value: [4] },
    [TagHex.Columns]: { vr: "US", Value: [4] },
    ...more,
  };
}

const address = (number: number) => ({
  ...{ studyInstanceUID: STUDY, seriesInstanceUID: SERIES, frameIndex: 0 },
  sopInstanceUID: `2.25.3.${number}`,
});

/** A source of 40 images that notes what it is asked for; its answers wait for `open`. */
function sourceOf(count = 40) {
  const asked: string[] = [];
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const source: StackSource = {
    beginWith: async () => {
      await opened;
      return SERIES;
    },
    listSeries: async () => {
      asked.push("series");
      const series = { studyInstanceUID: STUDY, seriesInstanceUID: SERIES, instanceCount: count };
      return [{ ...series, seriesNumber: 1, modality: "CT", description: "" }];
    },
    readMetadata: async (_series, _signal, until) => {
      asked.push("metadata");
      await until;
      asked.push("metadata taken");
      return Array.from({ length: count }, (_, i) => instance(i + 1));
    },
    readFrame: async ({ sopInstanceUID }) => {
      asked.push(`frame ${sopInstanceUID}`);
      return { bytes: Uint8Array.of(9), transferSyntaxUID: "1.2" };
    },
  };
  return { asked, source, open };
}

interface Answers {
  metadata?: () => Response | Promise<Response>;
  frame?: () => Response | Promise<Response>;
}

function frameAnswer(number: number): Response {
  return new Response(Uint8Array.of(1, 2, 3), {
    headers: {
      "Content-Type": "application/octet-stream; transfer-syntax=1.2.840.10008.1.2.1",
      "Content-Location": `/dicomweb/studies/${STUDY}/series/${SERIES}/instances/2.25.3.${number}/frames/1`,
    },
  });
}

function ask({ metadata, frame }: Answers = {}): AskFirstImage {
  return async (part) =>
    part === "metadata"
      ? ((await metadata?.()) ?? Response.json([instance(20)]))
      : ((await frame?.()) ?? frameAnswer(20));
}

test("the first image is shown alone, and its stack around it once it is known", async () => {
  const { asked, source, open } = sourceOf();
  const begun = withFirstImage(source, ask());
  const { promise: seen, resolve: see } = Promise.withResolvers<void>();
  const model = createVisorModel(begun, () => seen);
  const opening = model.open(STUDY);
  await settle();
  expect([model.state.phase, asked]).toEqual(["opening", []]);
  open();
  await settle();
  const { stack, turns } = model.state;
  expect([model.state.phase, stack?.isBegun, stack?.slices.length]).toEqual(["ready", true, 1]);
  expect((await begun.readFrame(address(20), reading)).bytes).toEqual(Uint8Array.of(1, 2, 3));
  // What is read for later is on its way, and not looked at before the image is on the screen.
  expect(asked).toEqual(["series", "metadata"]);
  see();
  await opening;
  expect(asked).toEqual(["series", "metadata", "metadata taken"]);
  expect([model.state.stack?.slices.length, model.state.index, model.state.turns]).toEqual([40, 19, turns]);
  expect(model.state.stack?.isBegun).toBeUndefined();
  await begun.readFrame(address(20), reading);
  expect(asked.at(-1)).toBe("frame 2.25.3.20");
});

test("an image at the end of its stack gives way to the one in the middle", async () => {
  const { source, open } = sourceOf();
  open();
  const model = createVisorModel(
    withFirstImage(
      source,
      ask({ metadata: () => Response.json([instance(2)]), frame: () => frameAnswer(2) }),
    ),
  );
  await model.open(STUDY);
  expect([model.state.stack?.slices.length, model.state.index]).toEqual([40, 19]);
});

test("a study is opened as ever where no first image comes, or one that is none", async () => {
  const lost = () => Promise.reject(new TypeError("no line"));
  const scout = { [TagHex.ImageType]: { vr: "CS", Value: ["ORIGINAL", "PRIMARY", "LOCALIZER"] } };
  const film = { [TagHex.NumberOfFrames]: { vr: "IS", Value: ["3"] } };
  const foreign = { [TagHex.StudyInstanceUID]: { vr: "UI", Value: ["2.25.7"] } };
  for (const metadata of [
    lost,
    () => new Response(null, { status: 204 }),
    () => new Response("<html>"),
    () => Response.json([instance(20, scout)]),
    () => Response.json([instance(20, film)]),
    () => Response.json([instance(20, foreign)]),
  ]) {
    const { source, open } = sourceOf();
    open();
    const begun = withFirstImage(source, ask({ metadata }));
    const model = createVisorModel(begun);
    const shown: (number | undefined)[] = [];
    model.subscribe(() => shown.push(model.state.stack?.slices.length));
    await model.open(STUDY);
    expect([model.state.phase, model.state.index, shown.includes(1)]).toEqual(["ready", 19, false]);
  }
});

test("a frame that is lost, refused or another image's is read from the source", async () => {
  for (const [frame, isWhole] of [
    [() => Promise.reject(new TypeError("no line")), false],
    [() => new Response(null, { status: 204 }), false],
    [() => Response.json({ code: "study.not_ready" }, { status: 503 }), false],
    [() => frameAnswer(21), true],
  ] as const) {
    const { asked, source, open } = sourceOf();
    open();
    const begun = withFirstImage(source, ask({ frame }));
    expect(await begun.firstImage?.(STUDY, signal)).toBeDefined();
    // The page of a link waits for the frame before it loads more.
    expect(await begun.begin()).toBe(isWhole);
    expect((await begun.readFrame(address(20), reading)).bytes).toEqual(Uint8Array.of(9));
    expect(asked).toEqual(["frame 2.25.3.20"]);
  }
});

test("a stack does not wait for a first image whose frame is lost", async () => {
  const { source, open } = sourceOf();
  open();
  const lost = () => Promise.reject(new TypeError("no line"));
  const model = createVisorModel(
    withFirstImage(source, ask({ frame: lost })),
    () => new Promise<never>(() => undefined),
  );
  await model.open(STUDY);
  expect([model.state.stack?.slices.length, model.state.index]).toEqual([40, 19]);
});

test("a source that does not open shows no first image", async () => {
  const { source } = sourceOf();
  const refused = withFirstImage({ ...source, beginWith: () => Promise.reject(new Error("403")) }, ask());
  const model = createVisorModel(refused);
  await model.open(STUDY);
  expect([model.state.phase, model.state.stack]).toEqual(["failed", undefined]);
});

test("a visor that is closed asks for nothing more", async () => {
  const signals: AbortSignal[] = [];
  const { source } = sourceOf();
  const begun = withFirstImage(source, (_part, given) => {
    signals.push(given.signal);
    return new Promise<never>(() => undefined);
  });
  const model = createVisorModel(begun);
  void model.open(STUDY);
  model.close();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});
