import { describe, expect, test } from "bun:test";
import { isSkippedInZip } from "../../../src/shared/rules/skipped-names.ts";
import { openZip } from "../../../src/shared/zip/open-zip.ts";
import { locateInBlob, readZipEntries } from "../../../src/shared/zip/open-zip-blob.ts";
import type { LocatedEntry } from "../../../src/shared/zip/zip-entry.ts";
import { ZipError } from "../../../src/shared/zip/zip-error.ts";
import { type ExpectedEntry, makeZipFixtures, type ZipFixture } from "../../support/zip/zip-fixtures.ts";

type Answer = { refused: string } | { entries: [name: string, verdict: string][] };

/** What the headers alone tell: the content of an entry is read elsewhere. */
function expectedAnswer({ expected }: ZipFixture): Answer {
  if ("refused" in expected) return expected;
  return { entries: expected.entries.map((entry) => [entry.name, headersVerdict(entry)]) };
}

function headersVerdict({ verdict, isFoundOut }: ExpectedEntry): string {
  const isSound = isFoundOut || ["taken", "not_dicom", "zip.crc"].includes(verdict);
  return isSound ? "sound" : verdict;
}

/** The verdict by the entry's name, else undefined: its local header decides. */
function verdictByName(entry: { name: string; isFolder: boolean }): string | undefined {
  if (entry.isFolder) return "folder";
  return isSkippedInZip(entry.name) ? "ignored_name" : undefined;
}

function verdictOf(located: LocatedEntry): string {
  return located.ok ? "sound" : located.reason;
}

function refusalOf(error: unknown): Answer {
  if (error instanceof ZipError) return { refused: error.code };
  throw error;
}

function answerOfServer(zip: Uint8Array): Answer {
  const source = {
    sizeBytes: zip.length,
    read: (offset: number, length: number) => zip.subarray(offset, offset + length),
  };
  try {
    const archive = openZip(source);
    const entries = Array.from(archive.entries(), (entry): [string, string] => [
      entry.name,
      verdictByName(entry) ?? verdictOf(archive.locate(entry)),
    ]);
    expect(archive.entryCount).toBe(entries.length);
    return { entries };
  } catch (error) {
    return refusalOf(error);
  }
}

async function answerOfBrowser(zip: Uint8Array): Promise<Answer> {
  const file = new Blob([zip as Uint8Array<ArrayBuffer>]);
  try {
    const entries: [string, string][] = [];
    for (const entry of await readZipEntries(file)) {
      entries.push([entry.name, verdictByName(entry) ?? verdictOf(await locateInBlob(file, entry))]);
    }
    return { entries };
  } catch (error) {
    return refusalOf(error);
  }
}

describe("the server and the browser agree about", () => {
  for (const fixture of makeZipFixtures()) {
    test(fixture.title, async () => {
      const expected = expectedAnswer(fixture);
      expect(answerOfServer(fixture.zip)).toEqual(expected);
      expect(await answerOfBrowser(fixture.zip)).toEqual(expected);
    });
  }
});
