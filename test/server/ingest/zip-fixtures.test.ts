import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_INGEST_LIMITS } from "../../../src/server/features/ingest/worker/ingest-limits.ts";
import { scanUpload } from "../../../src/server/features/ingest/worker/scan-upload.ts";
import { IngestRefused } from "../../../src/server/features/ingest/worker/worker.errors.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { makeZipFixtures, type ZipFixture } from "../../support/zip/zip-fixtures.ts";

const MAX_NAME_LENGTH = 255;

function expectedScan({ expected }: ZipFixture) {
  if ("refused" in expected) return expected;
  const files = expected.entries.filter(({ verdict }) => verdict !== "folder");
  const skipped = files.filter(({ verdict }) => verdict !== "taken");
  return {
    instanceCount: files.length - skipped.length,
    skippedCount: skipped.length,
    skipped: skipped
      .slice(0, DEFAULT_INGEST_LIMITS.maxSkippedNames)
      .map(({ name, verdict }) => ({ name: name.slice(0, MAX_NAME_LENGTH), reason: verdict })),
  };
}

async function scanOf(folder: string, zip: Uint8Array) {
  const path = join(folder, "spool");
  writeFileSync(path, zip);
  try {
    const { result } = await scanUpload(folder, path, DEFAULT_INGEST_LIMITS);
    const { instanceCount, skippedCount, skipped } = result;
    return { instanceCount, skippedCount, skipped };
  } catch (error) {
    if (error instanceof IngestRefused) return { refused: error.failure };
    throw error;
  }
}

describe("an upload keeps what it can and names the rest of a ZIP with", () => {
  for (const fixture of makeZipFixtures()) {
    test(fixture.title, async () => {
      await using folder = createTempFolder();
      expect<unknown>(await scanOf(folder.path, fixture.zip)).toEqual(expectedScan(fixture));
    });
  }
});
