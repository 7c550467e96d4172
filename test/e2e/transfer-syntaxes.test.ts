import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { zipSync } from "fflate";
import type { Browser, Page } from "playwright-core";
import type { ViewerToken } from "../../src/shared/api/studies.ts";
import { createTestApp, type TestApp } from "../support/app/test-app.ts";
import { launchBrowser } from "../support/browser/browser.ts";
import { difference, isPicture, lookAtImage, type Sight } from "../support/browser/viewer-canvas.ts";
import { instanceInSeries } from "../support/dicom/instance-in-series.ts";

const SAMPLES = process.env.DICOM_SAMPLES;
const START_TIMEOUT_MS = 240_000;
const STUDY_TIMEOUT_MS = 240_000;
/** All samples are series of one study, since the viewer takes seconds to start. */
const STUDY = "2.25.4242";
const FIRST_SERIES = 10;
/** Patience with what is expected to stay black. */
const BLACK_TIMEOUT_MS = 4_000;

const CT = "cornerstoneWADOImageLoader/testImages";
const CT_IMAGE = `${CT}/CTImage.dcm`;
const ctImage = (suffix: string) => `${CT_IMAGE}_${suffix}.dcm`;
const MISC = "pydicom/test_files";
const MR = "dcm_qa_ts/In";
const STRIPES = `${MISC}/SC_rgb_rle.dcm`;

interface Sample {
  /** As the samples' manifest names it. */
  syntax: string;
  file: string;
  /** A sample of the same picture that came before; and how far lossy compression may take it away from that. */
  like?: string;
  within?: number;
  isColoured?: boolean;
}

/** For each transfer syntax a series or more; each also in colour and with several frames where there is one. */
const SHOWN: Sample[] = [
  { syntax: "ImplLE", file: CT_IMAGE },
  { syntax: "ImplLE", file: `${MR}/2.dcm` },
  { syntax: "ImplLE", file: `${MISC}/rtdose.dcm` },
  {
    syntax: "ExplLE",
    file: ctImage("LittleEndianExplicitTransferSyntax_1.2.840.10008.1.2.1"),
    like: CT_IMAGE,
  },
  { syntax: "ExplLE", file: `${MISC}/MR_small.dcm` },
  { syntax: "ExplLE", file: `${MISC}/examples_rgb_color.dcm`, isColoured: true },
  { syntax: "ExplLE", file: `${MISC}/examples_palette.dcm`, isColoured: true },
  { syntax: "ExplLE", file: `${CT}/US-YBR_FULL_422-EVRLE.dcm`, isColoured: true },
  { syntax: "ExplBE", file: ctImage("BigEndianExplicitTransferSyntax_1.2.840.10008.1.2.2"), like: CT_IMAGE },
  { syntax: "ExplBE", file: `${MR}/3.dcm`, like: `${MR}/2.dcm` },
  { syntax: "ExplBE", file: `${MISC}/ExplVR_BigEnd.dcm`, isColoured: true },
  {
    syntax: "Deflate",
    file: ctImage("DeflatedExplicitVRLittleEndianTransferSyntax_1.2.840.10008.1.2.1.99"),
    like: CT_IMAGE,
  },
  { syntax: "Deflate", file: `${MISC}/image_dfl.dcm` },
  { syntax: "RLE", file: ctImage("RLELosslessTransferSyntax_1.2.840.10008.1.2.5"), like: CT_IMAGE },
  { syntax: "RLE", file: STRIPES, isColoured: true },
  { syntax: "RLE", file: `${MISC}/SC_rgb_rle_2frame.dcm`, isColoured: true },
  {
    syntax: "JPEG-base",
    file: ctImage("JPEGProcess1TransferSyntax_1.2.840.10008.1.2.4.50"),
    like: CT_IMAGE,
    within: 12,
  },
  {
    syntax: "JPEG-base",
    file: `${MISC}/SC_rgb_dcmtk_+eb+cy+s2.dcm`,
    like: STRIPES,
    within: 4,
    isColoured: true,
  },
  {
    syntax: "JPEG-base",
    file: `${MISC}/SC_rgb_dcmtk_+eb+cr.dcm`,
    like: STRIPES,
    within: 4,
    isColoured: true,
  },
  { syntax: "JPEG-base", file: `${MISC}/examples_ybr_color.dcm`, isColoured: true },
  {
    syntax: "JPEG-ext",
    file: ctImage("JPEGProcess2_4TransferSyntax_1.2.840.10008.1.2.4.51"),
    like: CT_IMAGE,
    within: 12,
  },
  { syntax: "JPEG-ext", file: `${CT}/CT0012.fragmented_no_bot_jpeg_baseline.51.dcm` },
  {
    syntax: "JPEG-LL14",
    file: ctImage("JPEGProcess14TransferSyntax_1.2.840.10008.1.2.4.57"),
    like: CT_IMAGE,
  },
  {
    syntax: "JPEG-LL-SV1",
    file: ctImage("JPEGProcess14SV1TransferSyntax_1.2.840.10008.1.2.4.70"),
    like: CT_IMAGE,
  },
  { syntax: "JPEG-LL-SV1", file: `${MISC}/SC_rgb_jpeg_gdcm.dcm`, like: STRIPES, isColoured: true },
  {
    syntax: "JPEGLS-LL",
    file: ctImage("JPEGLSLosslessTransferSyntax_1.2.840.10008.1.2.4.80"),
    like: CT_IMAGE,
  },
  {
    syntax: "JPEGLS",
    file: ctImage("JPEGLSLossyTransferSyntax_1.2.840.10008.1.2.4.81"),
    like: CT_IMAGE,
    within: 2,
  },
  {
    syntax: "J2K-LL",
    file: ctImage("JPEG2000LosslessOnlyTransferSyntax_1.2.840.10008.1.2.4.90"),
    like: CT_IMAGE,
  },
  { syntax: "J2K-LL", file: `${MISC}/examples_jpeg2k.dcm`, isColoured: true },
  {
    syntax: "J2K",
    file: ctImage("JPEG2000TransferSyntax_1.2.840.10008.1.2.4.91"),
    like: CT_IMAGE,
    within: 2,
  },
  { syntax: "J2K", file: `${MISC}/SC_rgb_gdcm_KY.dcm`, like: STRIPES, within: 4, isColoured: true },
];

/** Kept and downloaded like any other, but not seen. */
const NOT_SHOWN: (Sample & { why: string })[] = [
  {
    syntax: "JPEG-p6",
    file: ctImage("JPEGProcess6_8TransferSyntax_1.2.840.10008.1.2.4.53"),
    why: "OHIF has no decoder for it (spectral selection, retired in 2004)",
  },
  {
    syntax: "JPEG-p10",
    file: ctImage("JPEGProcess10_12TransferSyntax_1.2.840.10008.1.2.4.55"),
    why: "OHIF has no decoder for it (full progression, retired in 2004)",
  },
];

describe.skipIf(!SAMPLES)("exams of every transfer syntax in the viewer", () => {
  let testApp: TestApp;
  let browser: Browser;
  let page: Page;
  const seen = new Map<string, Sight>();
  const table: string[] = [];

  beforeAll(async () => {
    testApp = await createTestApp();
    const origin = await testApp.listen();
    browser = await launchBrowser();
    page = await browser.newPage({ viewport: { width: 1280, height: 800 }, locale: "en-US" });
    const person = await testApp.addPerson("Paciente");
    const files = [...SHOWN, ...NOT_SHOWN].map(({ file }, at) => {
      const place = { studyInstanceUID: STUDY, seriesNumber: FIRST_SERIES + at };
      return [`${at}.dcm`, instanceInSeries(readFileSync(join(SAMPLES ?? "", file)), place)];
    });
    const { studies } = await testApp.store(person, zipSync(Object.fromEntries(files), { level: 0 }));
    expect(studies).toMatchObject([{ studyInstanceUID: STUDY, imagesReceived: files.length }]);
    const data = Buffer.from(JSON.stringify([{ userId: person.id, id: studies[0]?.id }])).toString(
      "base64url",
    );
    const answer = await testApp.call("GET", `/generate-token?data=${data}`, { as: person });
    await page.goto(origin + ((await answer.json()) as ViewerToken).url, { waitUntil: "commit" });
    await lookAtImage(page);
  }, START_TIMEOUT_MS);

  afterAll(async () => {
    if (table.length > 0) process.stdout.write(`${table.join("\n")}\n`);
    await browser?.close();
    await testApp?.[Symbol.asyncDispose]();
  });

  /** Opens the series of this sample in the page of all, and looks at its first image. */
  async function look(seriesNumber: number): Promise<Sight> {
    await open(seriesNumber);
    await notice().waitFor({ state: "detached" });
    await page.waitForFunction(isInView, `7${seriesNumber}`, { polling: 50 });
    return await lookAtImage(page);
  }

  const open = (seriesNumber: number) => page.getByText(`S:${seriesNumber}`, { exact: true }).dblclick();
  const notice = () => page.getByText("This image can't be shown here");
  const tell = (word: string, { syntax, file }: Sample) =>
    table.push([word.padEnd(9), syntax.padEnd(11), basename(file)].join("  "));

  test("the page is the sandboxed one that everybody gets", async () => {
    expect(await page.evaluate(() => self.origin)).toBe("null");
  });

  test("every transfer syntax of the samples is covered", () => {
    const manifest = readFileSync(join(SAMPLES ?? "", "MANIFEST.tsv"), "utf8");
    const rows = manifest.trimEnd().split("\n").slice(1);
    const present = new Set(rows.map((row) => row.split("\t")[5] ?? "-"));
    // Files without a File Meta group name none.
    present.delete("-");
    expect(new Set([...SHOWN, ...NOT_SHOWN].map(({ syntax }) => syntax))).toEqual(present);
  });

  for (const [at, sample] of SHOWN.entries()) {
    const { syntax, file, like, within = 1, isColoured = false } = sample;
    test(
      `${syntax}: the image of ${basename(file)} is seen`,
      async () => {
        const sight = await look(FIRST_SERIES + at);
        seen.set(file, sight);
        tell("shown", sample);
        expect(sight.lit).toBeGreaterThan(0.02);
        expect(sight.colours).toBeGreaterThan(8);
        expect(sight.isColoured).toBe(isColoured);
        const reference = like && seen.get(like);
        if (reference) expect(difference(sight, reference)).toBeLessThan(within);
      },
      STUDY_TIMEOUT_MS,
    );
  }

  for (const [at, sample] of NOT_SHOWN.entries()) {
    test(
      `${sample.syntax}: ${basename(sample.file)} is kept but not displayed: ${sample.why}`,
      async () => {
        await look(FIRST_SERIES);
        await open(FIRST_SERIES + SHOWN.length + at);
        await notice().waitFor();
        expect(isPicture(await lookAtImage(page, { timeoutMs: BLACK_TIMEOUT_MS }))).toBe(false);
        tell("not shown", sample);
      },
      STUDY_TIMEOUT_MS,
    );
  }
});

interface Cornerstone {
  getEnabledElements(): { viewport: { csImage?: { imageId: string }; viewportStatus: string } }[];
}

/** In the page: whether the image of a series is drawn. */
function isInView(seriesInstanceUIDsEnd: string): boolean {
  const { cornerstone } = window as unknown as { cornerstone?: Cornerstone };
  const viewport = cornerstone?.getEnabledElements()[0]?.viewport;
  return (
    viewport?.viewportStatus === "rendered" &&
    viewport.csImage?.imageId.includes(`${seriesInstanceUIDsEnd}/instances/`) === true
  );
}
