import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { joinPieces } from "../../../src/server/archive/pieces.ts";
import { parseFile } from "../../../src/server/dicom/parse-file.ts";
import { readInstance } from "../../../src/server/dicom/read-instance.ts";
import { explicitFile } from "../../../src/server/features/dicomweb/instances/explicit-file.ts";
import { createFrameDecoder } from "../../../src/server/features/thumbnails/create-frame-decoder.ts";
import { decodeToNative } from "../../../src/server/features/thumbnails/worker/decode-to-native.ts";
import type { PictureMaker } from "../../../src/server/features/thumbnails/worker/picture-maker.ts";
import { createScratch } from "../../../src/server/processes/scratch.ts";
import { findElement } from "../../../src/shared/dicom/reading/data-set.ts";
import type { DicomJson } from "../../../src/shared/dicom/reading/instance.ts";
import { memorySource } from "../../../src/shared/dicom/reading/memory-source.ts";
import { Tag, TagHex } from "../../../src/shared/dicom/tags.ts";
import { TransferSyntax } from "../../../src/shared/dicom/transfer-syntax.ts";
import { createMemoryCatalogue } from "../../support/app/memory-catalogue.ts";
import { encoders } from "../../support/dicom/compressed-pixels.ts";
import { sampleFile } from "../../support/dicom/dicom-sample.ts";
import { createTempFolder } from "../../support/temp-folder.ts";

/* Real files as Explicit VR Little Endian, against what DCMTK makes of them. */

const SAMPLES = process.env.DICOM_SAMPLES;
/** A side of a frame that is passed in a file. */
const SIDE = 2_304;
const never = new AbortController().signal;
const { path: folder } = createTempFolder();

/** DCMTK's program that writes a file of a syntax in this one; it has none for JPEG 2000. */
function judgeOf(syntax: string): string | undefined {
  if (syntax === TransferSyntax.rleLossless) return "dcmdrle";
  if (/\.4\.8[01]$/.test(syntax)) return "dcmdjpls";
  if (/\.4\.(?:5\d|70)$/.test(syntax)) return "dcmdjpeg";
  return syntax.includes(".1.2.4.") ? undefined : "dcmconv";
}

/** Compares what is in two files after each other, as pydicom reads them with GDCM; prints the places of pairs that differ. */
const COMPARE = `
import sys, numpy, pydicom, gdcm
read = lambda path: pydicom.dcmread(path).pixel_array
pairs = sys.argv[1:]
print([at for at in range(0, len(pairs), 2) if not numpy.array_equal(read(pairs[at]), read(pairs[at + 1]))])
`;
/** Debian's Python, and where it has what python3-pydicom and python3-gdcm bring, which decode JPEG 2000. */
const PYTHON = "/usr/bin/python3";
const hasGdcm = ["numpy", "pydicom", "gdcm.py"].every((name) =>
  existsSync(join("/usr/lib/python3/dist-packages", name)),
);

/** Twelve bits of lossy JPEG, where two decoders may round differently. */
const ROUNDED = /\.4\.5[1-5]$/;
/** DCMTK swaps the two halves of 32-bit samples in OW by themselves; pydicom reads what is written here. */
const SWAPPED_OTHERWISE = /rtdose_expb/;
/** An odd number of bytes in swapped words, and a frame of more than 32 MiB. */
const NOT_WRITTEN = /SC_rgb_small_odd_big_endian|JPEG2000-embedded-sequence-delimiter/;

async function explicitOf(bytes: Uint8Array, scratchFolder = folder): Promise<Uint8Array | undefined> {
  const read = readInstance(memorySource(bytes));
  if (!read.ok) throw new Error(read.reason);
  const { studyInstanceUID, seriesInstanceUID } = read.instance;
  const catalogue = createMemoryCatalogue([{ bytes, instance: read.instance }]);
  const instance = (await catalogue.manifest(studyInstanceUID, seriesInstanceUID))?.instances[0];
  if (!instance) throw new Error("no manifest");
  const decoder = createFrameDecoder({
    series: catalogue as unknown as Parameters<typeof createFrameDecoder>[0]["series"],
    scratch: await createScratch(scratchFolder),
    pictures: { decode: (request: never) => decodeToNative(request) } as unknown as PictureMaker,
  });
  const file = await explicitFile(catalogue, instance, (frameIndex) =>
    decoder.decode({ instance, frameIndex, asDescribed: false }, never),
  );
  await using _ = file;
  return file && (await joinPieces(file.pieces, file.sizeBytes));
}

function pixelsOf(file: Uint8Array): Buffer | undefined {
  const { file: parsed } = parseFile(memorySource(file));
  expect(parsed.transferSyntaxUID).toBe(TransferSyntax.explicitLittleEndian);
  expect(parsed.truncation).toBeUndefined();
  const element = findElement(parsed.dataSet, Tag.PixelData);
  return element && Buffer.from(file.subarray(element.offset, element.offset + element.length));
}

function byJudge(judge: string, path: string): Uint8Array | undefined {
  const out = join(folder, "judged.dcm");
  const { exitCode } = Bun.spawnSync([judge, "-q", "+te", path, out], { stderr: "ignore", timeout: 20_000 });
  return exitCode === 0 ? readFileSync(out) : undefined;
}

function farthestWords(ours: Buffer, theirs: Buffer): number {
  let most = 0;
  for (let at = 0; at + 1 < ours.length; at += 2)
    most = Math.max(most, Math.abs(ours.readInt16LE(at) - theirs.readInt16LE(at)));
  return most;
}

/** What a file says, without where its pixels are, how they lie, what colours they have, and the padding behind them. */
function attributesOf(file: Uint8Array): DicomJson {
  const read = readInstance(memorySource(file));
  if (!read.ok) throw new Error(read.reason);
  const json: DicomJson = JSON.parse(JSON.stringify(read.instance.metadata));
  for (const tag of [
    TagHex.PixelData,
    TagHex.AvailableTransferSyntaxUID,
    TagHex.PlanarConfiguration,
    TagHex.PhotometricInterpretation,
    TagHex.DataSetTrailingPadding,
  ])
    delete json[tag];
  return json;
}

describe.skipIf(!SAMPLES || !Bun.which("dcmdjpls"))("real files in Explicit VR Little Endian", () => {
  const all = SAMPLES
    ? readdirSync(SAMPLES, { recursive: true })
        .map(String)
        .filter((name) => name.endsWith(".dcm"))
        .map((name) => ({ name, bytes: new Uint8Array(readFileSync(join(SAMPLES, name))) }))
        .flatMap((file) => {
          const read = readInstance(memorySource(file.bytes));
          return read.ok ? [{ ...file, syntax: read.instance.transferSyntaxUID }] : [];
        })
        .filter(({ syntax }) => syntax !== TransferSyntax.explicitLittleEndian)
    : [];

  test("have the pixels that DCMTK finds in them, and say the same otherwise", async () => {
    const judged = new Map<string, number>();
    for (const { name, bytes, syntax } of all) {
      const ours = await explicitOf(bytes);
      expect([name, ours === undefined]).toEqual([name, NOT_WRITTEN.test(name)]);
      const judge = judgeOf(syntax);
      if (!ours) continue;
      expect([name, attributesOf(ours)]).toEqual([name, attributesOf(bytes)]);
      const theirs = judge && byJudge(judge, join(SAMPLES ?? "", name));
      if (!theirs || SWAPPED_OTHERWISE.test(name)) continue;
      judged.set(syntax, (judged.get(syntax) ?? 0) + 1);
      const [mine, others] = [pixelsOf(ours), pixelsOf(theirs)];
      if (ROUNDED.test(syntax) && mine && others && mine.length === others.length)
        expect([name, farthestWords(mine, others) <= 1]).toEqual([name, true]);
      else expect([name, mine && others ? mine.equals(others) : mine]).toEqual([name, others && true]);
    }
    expect(judged.size).toBeGreaterThan(8);
  }, 240_000);

  test.skipIf(!hasGdcm)("that are JPEG 2000 have the pixels that GDCM finds in them", async () => {
    const pairs: string[] = [];
    for (const { name, bytes } of all.filter(({ syntax }) => /\.4\.9[01]$/.test(syntax))) {
      const ours = await explicitOf(bytes);
      if (!ours) continue;
      const path = join(folder, `${pairs.length}.dcm`);
      await Bun.write(path, ours);
      pairs.push(join(SAMPLES ?? "", name), path);
    }
    expect(pairs.length).toBeGreaterThan(16);
    const { stdout } = Bun.spawnSync([PYTHON, "-W", "ignore", "-c", COMPARE, ...pairs]);
    expect(stdout.toString().trim()).toBe("[]");
  });

  test("that are JPEG 2000 without loss have the pixels of the file that they were made of", async () => {
    const name = "cornerstoneWADOImageLoader/testImages/CTImage.dcm";
    const [lossless] = all.filter(({ name: other }) => other.includes(`${name}_JPEG2000Lossless`));
    const native = await explicitOf(readFileSync(join(SAMPLES ?? "", name)));
    const decoded = lossless && (await explicitOf(lossless.bytes));
    expect(native && decoded && pixelsOf(decoded)?.equals(pixelsOf(native) ?? Buffer.alloc(0))).toBe(true);
  });
});

test.if(process.getuid?.() === 0)(
  "a frame too large for what a full disk still takes is decoded all the same",
  async () => {
    await using disk = createTempFolder();
    const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=64k", "none", disk.path]);
    if (mounted.exitCode !== 0) return;
    try {
      const pixels = new Uint8Array(SIDE * SIDE).map((_, at) => at >> 12);
      const shape = { width: SIDE, height: SIDE, bitsPerSample: 8, componentCount: 1 } as const;
      const packed = await encoders[TransferSyntax.rleLossless]?.({ ...shape, samples: pixels });
      const us = (value: number) => ({ vr: "US", Value: [value] });
      const bytes = sampleFile(
        {
          ...{ [TagHex.Rows]: us(SIDE), [TagHex.Columns]: us(SIDE) },
          ...{ [TagHex.BitsAllocated]: us(8), [TagHex.BitsStored]: us(8), [TagHex.HighBit]: us(7) },
          [TagHex.PixelData]: { vr: "OB", fragments: [packed ?? new Uint8Array()] },
        },
        { transferSyntaxUID: TransferSyntax.rleLossless },
      );
      const explicit = await explicitOf(bytes, disk.path);
      expect(Bun.hash(explicit?.subarray(-pixels.length) ?? "")).toBe(Bun.hash(pixels));
      expect(readdirSync(disk.path)).toEqual([]);
    } finally {
      Bun.spawnSync(["umount", "-l", disk.path]);
    }
  },
);
