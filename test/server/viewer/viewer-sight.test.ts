import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { zipSync } from "fflate";
import type { DicomElements } from "../../../src/server/dicom/write-instance.ts";
import type { ViewerToken } from "../../../src/shared/api/studies.ts";
import { TagHex } from "../../../src/shared/dicom/tags.ts";
import { createTestApp, type Person, type TestApp } from "../../support/app/test-app.ts";
import { sampleFile } from "../../support/dicom/dicom-sample.ts";

let t: TestApp;
let owner: Person;

beforeAll(async () => {
  t = await createTestApp();
  owner = await t.addPerson("Dona do Exame", { plan: "familia" });
});
afterAll(() => t[Symbol.asyncDispose]());

const LITTLE_ENDIAN = "1.2.840.10008.1.2.1";
const us = (value: number) => ({ vr: "US", Value: [value] });
const ui = (value: string) => ({ vr: "UI", Value: [value] });

interface Sample {
  series?: number;
  sop?: number;
  transferSyntaxUID?: string;
  elements?: DicomElements;
}

let studies = 0;

/** Keeps a study of these instances; its id and UID. */
async function keep(...samples: Sample[]): Promise<{ id: string; uid: string }> {
  const uid = `2.25.7${++studies}`;
  const files = samples.map(({ series = 1, sop = 1, transferSyntaxUID, elements }, i) => {
    const file = sampleFile(
      {
        [TagHex.StudyInstanceUID]: ui(uid),
        [TagHex.SeriesInstanceUID]: ui(`${uid}.${series}`),
        [TagHex.SOPInstanceUID]: ui(`${uid}.${series}.${sop}`),
        [TagHex.SeriesNumber]: { vr: "IS", Value: [series] },
        ...(transferSyntaxUID && {
          [TagHex.PixelData]: { vr: "OB", fragments: [Uint8Array.of(0xff, 0xd8, 1, 2)] },
        }),
        ...elements,
      },
      { transferSyntaxUID: transferSyntaxUID ?? LITTLE_ENDIAN },
    );
    return [`IM${i}`, file] as const;
  });
  const { studies: kept } = await t.store(owner, zipSync(Object.fromEntries(files)));
  return { id: kept[0]?.id ?? "", uid };
}

/** A document or other object without pixels. */
function withoutPixels(sopClassUID: string, series = 1): Sample {
  return {
    series,
    elements: {
      [TagHex.SOPClassUID]: ui(sopClassUID),
      [TagHex.PixelData]: { vr: "OW", bytes: new Uint8Array() },
    },
  };
}

async function openViewer(...ids: string[]): Promise<ViewerToken> {
  const data = Buffer.from(JSON.stringify(ids.map((id) => ({ userId: owner.id, id })))).toString("base64url");
  const answer = await t.call("GET", `/generate-token?data=${data}`, { as: owner });
  expect(answer.status).toBe(200);
  return (await answer.json()) as ViewerToken;
}

const beginsWith = ({ url }: ViewerToken) =>
  new URL(url, "http://viewer.example").searchParams.get("initialSeriesInstanceUID");

describe("an opened study", () => {
  test("starts with its largest series, not with the scout", async () => {
    const { id, uid } = await keep({ series: 1 }, { series: 2, sop: 1 }, { series: 2, sop: 2 });
    const opened = await openViewer(id);
    expect(opened.obstacle).toBeNull();
    expect(beginsWith(opened)).toBe(`${uid}.2`);
  });

  test("starts with a smaller series if the largest can't be shown", async () => {
    const transferSyntaxUID = "1.2.840.10008.1.2.4.53";
    const { id, uid } = await keep(
      { series: 1 },
      { series: 2, sop: 1, transferSyntaxUID },
      { series: 2, sop: 2, transferSyntaxUID },
    );
    const opened = await openViewer(id);
    expect(opened.obstacle).toBeNull();
    expect(beginsWith(opened)).toBe(`${uid}.1`);
  });

  test.each([
    ["1.2.840.10008.1.2.4.53", "spectral JPEG, retired"],
    ["1.2.840.10008.1.2.4.55", "progressive JPEG, retired"],
    ["1.2.840.10008.1.2.4.102", "video"],
    ["1.2.840.10008.1.2.4.110", "JPEG XL"],
    ["1.2.840.99999.1", "something nobody knows"],
  ])("says that the viewer has no decoder for %s (%s)", async (transferSyntaxUID) => {
    const { id } = await keep({ transferSyntaxUID });
    const opened = await openViewer(id);
    expect(opened.obstacle).toBe("no_decoder");
    expect(beginsWith(opened)).toBeNull();
  });

  test.each(["50", "51", "57", "70", "80", "81", "90", "91", "201", "202", "203"])(
    "is opened if the viewer decodes its transfer syntax: 1.2.840.10008.1.2.4.%s",
    async (jpeg) => {
      const { id } = await keep({ transferSyntaxUID: `1.2.840.10008.1.2.4.${jpeg}` });
      expect((await openViewer(id)).obstacle).toBeNull();
    },
  );

  test.each([
    ["1.2.840.10008.5.1.4.1.1.88.33", "a structured report"],
    ["1.2.840.10008.5.1.4.1.1.481.3", "structures of radiotherapy"],
    ["1.2.840.10008.5.1.4.1.1.104.1", "a PDF"],
  ])("says that there are no images in %s (%s)", async (sopClassUID) => {
    const { id } = await keep(withoutPixels(sopClassUID));
    expect((await openViewer(id)).obstacle).toBe("no_images");
  });

  test("says that it has no images if it has only a segmentation of another study", async () => {
    const { id } = await keep({
      elements: { [TagHex.SOPClassUID]: ui("1.2.840.10008.5.1.4.1.1.66.4"), [TagHex.NumberOfFrames]: us(1) },
    });
    expect((await openViewer(id)).obstacle).toBe("no_images");
  });

  test("is opened together with others if one of them can be shown", async () => {
    const report = await keep(withoutPixels("1.2.840.10008.5.1.4.1.1.88.33"));
    const image = await keep({});
    expect((await openViewer(report.id, image.id)).obstacle).toBeNull();
    const retired = await keep({ transferSyntaxUID: "1.2.840.10008.1.2.4.55" });
    expect((await openViewer(report.id, retired.id)).obstacle).toBe("no_decoder");
  });
});
