import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { zipSync } from "fflate";
import type { Browser, Page } from "playwright-core";
import type { ViewerToken } from "../../src/shared/api/studies.ts";
import { launchBrowser } from "../support/browser.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { difference, isPicture, lookAtImage, type Sight } from "../support/viewer-canvas.ts";

const SAMPLES = process.env.DICOM_SAMPLES;
const START_TIMEOUT_MS = 120_000;
const STUDY_TIMEOUT_MS = 120_000;
/** Patience with what is expected to stay black. */
const BLACK_TIMEOUT_MS = 4_000;

const CT = "cornerstoneWADOImageLoader/testImages";
const CT_IMAGE = `${CT}/CTImage.dcm`;
const ctImage = (suffix: string) => `${CT_IMAGE}_${suffix}.dcm`;
const MISC = "pydicom/test_files";
const MR = "dcm_qa_ts/In";
const STRIPES = `${MISC}/SC_rgb_rle.dcm`;

/**
 * The syntaxes that show each decoder at work in the sandboxed page that everybody gets. A browser keeps no compiled
 * script for such a page and takes twice as long, so the others are seen in a page of an origin of its own.
 */
const SANDBOXED = new Set(["ImplLE", "RLE", "JPEG-base", "JPEG-ext", "JPEG-LL14", "JPEGLS-LL", "J2K-LL"]);

interface SampleStudy {
  /** As the samples' manifest names it. */
  syntax: string;
  file: string;
  /** A sample of the same picture that came before; and how far lossy compression may take it away from that. */
  like?: string;
  within?: number;
  isColoured?: boolean;
}

/** For each transfer syntax a whole study or more; each also in colour and with several frames where there is one. */
const SHOWN: SampleStudy[] = [
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
const NOT_SHOWN: (SampleStudy & { why: string })[] = [
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
  let origin: string;
  let viewerOrigin: string;
  const seen = new Map<string, Sight>();
  const sandboxed = new Set<string>();
  const table: string[] = [];

  beforeAll(async () => {
    testApp = await createTestApp();
    origin = await testApp.listen();
    viewerOrigin = await testApp.listenForViewer();
    browser = await launchBrowser();
    page = await browser.newPage({ viewport: { width: 900, height: 700 }, locale: "en-US" });
  }, START_TIMEOUT_MS);

  afterAll(async () => {
    if (table.length > 0) process.stdout.write(`${table.join("\n")}\n`);
    await browser?.close();
    await testApp?.[Symbol.asyncDispose]();
  });

  /** Uploads the study as somebody who has no other, and looks at its first image. */
  async function look({ syntax, file }: SampleStudy, timeoutMs?: number): Promise<Sight> {
    const person = await testApp.addPerson("Paciente");
    const bytes = new Uint8Array(readFileSync(join(SAMPLES ?? "", file)));
    const { studies } = await testApp.store(person, zipSync({ "IM1.dcm": bytes }, { level: 0 }));
    const pairs = [{ userId: person.id, id: studies[0]?.id }];
    const data = Buffer.from(JSON.stringify(pairs)).toString("base64url");
    const answer = await testApp.call("GET", `/generate-token?data=${data}`, { as: person });
    const { url } = (await answer.json()) as ViewerToken;
    // The first of a syntax.
    const isSandboxed = SANDBOXED.has(syntax) && !sandboxed.has(syntax);
    sandboxed.add(syntax);
    await page.goto((isSandboxed ? origin : viewerOrigin) + url, { waitUntil: "commit" });
    expect(await page.evaluate(() => self.origin)).toBe(isSandboxed ? "null" : viewerOrigin);
    const sight = await lookAtImage(page, { timeoutMs });
    seen.set(file, sight);
    table.push([isPicture(sight) ? "shown    " : "not shown", syntax.padEnd(11), basename(file)].join("  "));
    return sight;
  }

  test("every transfer syntax of the samples is covered", () => {
    for (const syntax of SANDBOXED) expect(SHOWN.map((study) => study.syntax)).toContain(syntax);
    const manifest = readFileSync(join(SAMPLES ?? "", "MANIFEST.tsv"), "utf8");
    const rows = manifest.trimEnd().split("\n").slice(1);
    const present = new Set(rows.map((row) => row.split("\t")[5] ?? "-"));
    // Files without a File Meta group name none.
    present.delete("-");
    expect(new Set([...SHOWN, ...NOT_SHOWN].map(({ syntax }) => syntax))).toEqual(present);
  });

  for (const study of SHOWN) {
    const { syntax, file, like, within = 1, isColoured = false } = study;
    test(
      `${syntax}: the image of ${basename(file)} is seen`,
      async () => {
        const sight = await look(study);
        expect(sight.lit).toBeGreaterThan(0.02);
        expect(sight.colours).toBeGreaterThan(8);
        expect(sight.isColoured).toBe(isColoured);
        const reference = like && seen.get(like);
        if (reference) expect(difference(sight, reference)).toBeLessThan(within);
      },
      STUDY_TIMEOUT_MS,
    );
  }

  for (const study of NOT_SHOWN) {
    test(
      `${study.syntax}: ${basename(study.file)} is kept but not displayed: ${study.why}`,
      async () => expect(isPicture(await look(study, BLACK_TIMEOUT_MS))).toBe(false),
      STUDY_TIMEOUT_MS,
    );
  }
});
