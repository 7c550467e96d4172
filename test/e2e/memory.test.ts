import { expect, test } from "bun:test";
import { join } from "node:path";
import { zipStudy } from "../../scripts/demo/zip-study.ts";
import { writeInstance } from "../../src/server/dicom/write-instance.ts";
import type { UploadAnswer } from "../../src/shared/api/upload.ts";
import { TagHex } from "../../src/shared/dicom/tags.ts";
import { EXPLICIT_LITTLE_ENDIAN, SAMPLE_ELEMENTS } from "../support/dicom/dicom-sample.ts";
import { memoryOf, processTree, sampleMemory } from "../support/program/process-tree.ts";
import { postZip, spawnServer } from "../support/program/server-process.ts";
import { createTempFolder } from "../support/temp-folder.ts";

const MIB = 1024 * 1024;
const SLICES = 400;

/** 512 × 512 slices of 16 bits: half a megabyte each. */
function* slices() {
  const pixels = crypto.getRandomValues(new Uint8Array(64 * 1024));
  const bytes = Buffer.concat(Array.from({ length: 8 }, () => pixels));
  for (let n = 1; n <= SLICES; n++) {
    const elements = {
      ...SAMPLE_ELEMENTS,
      [TagHex.SOPInstanceUID]: { vr: "UI", Value: [`2.25.4.${n}`] },
      [TagHex.InstanceNumber]: { vr: "IS", Value: [n] },
      [TagHex.Rows]: { vr: "US", Value: [512] },
      [TagHex.Columns]: { vr: "US", Value: [512] },
      [TagHex.PixelData]: { vr: "OW", bytes },
    };
    const instance = writeInstance({ transferSyntaxUID: EXPLICIT_LITTLE_ENDIAN, elements });
    // As long as the names of a volume: what is received becomes the volume.
    yield { fileName: `PACIENTE/ESTUDO/SERIE/IM${String(n).padStart(7, "0")}`, bytes: instance };
  }
}

test.skipIf(process.platform !== "linux")(
  "an upload of 200 MB takes no more memory than its workers and buffers: it is never held",
  async () => {
    await using folder = createTempFolder();
    await using dataDir = createTempFolder();
    const zip = join(folder.path, "exames.zip");
    await Bun.write(zip, new Response(zipStudy({ instances: slices() })));
    await using server = await spawnServer(dataDir.path);
    const token = await server.signIn();
    const idle = memoryOf(processTree(server.pid)).pssBytes;
    const sampler = sampleMemory(server.pid);
    const answer = await postZip(server, token, Bun.file(zip));
    expect(answer.status).toBe(201);
    expect(((await answer.json()) as UploadAnswer).instancesReceived).toBe(SLICES);
    expect(sampler.stop().pssBytes - idle).toBeLessThan(160 * MIB);
  },
  240_000,
);
