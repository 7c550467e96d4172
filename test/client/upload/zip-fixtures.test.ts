import { describe, expect, test } from "bun:test";
import { makeUploads } from "../../../src/client/features/upload/draft/make-uploads.ts";
import type { PreparedUpload } from "../../../src/client/features/upload/prepare-upload.ts";
import { planOf } from "../../support/app/prepare-upload.ts";
import { makeZipFixtures, type ZipFixture } from "../../support/zip/zip-fixtures.ts";

const { signal } = new AbortController();

async function prepare(zip: Uint8Array): Promise<PreparedUpload | undefined> {
  const file = new File([zip as Uint8Array<ArrayBuffer>], "exame.zip");
  const { uploads, leftOut } = await planOf([{ kind: "zip", file }], 2 ** 31);
  if (leftOut.length > 0) return undefined;
  const pack = () => Promise.reject(new Error("a ZIP is not packed"));
  const [made] = await Array.fromAsync(makeUploads(uploads, { signal, pack, onPacked() {} }));
  return made?.upload;
}

function filesOf({ expected }: ZipFixture) {
  return "entries" in expected ? expected.entries.filter(({ verdict }) => verdict !== "folder") : undefined;
}

describe("the browser sends everything that the server may accept, from a ZIP with", () => {
  for (const fixture of makeZipFixtures()) {
    test(fixture.title, async () => {
      const upload = await prepare(fixture.zip);
      const files = filesOf(fixture);
      if (!files) {
        // With less than four bytes, the picked file counts as missing.
        expect(upload === undefined).toBe(fixture.zip.length < 4);
        expect([upload?.prefilled, upload?.fileCount]).toEqual([undefined, undefined]);
        return;
      }
      const takes = files.some(({ verdict }) => verdict === "taken");
      expect(upload !== undefined).toBe(takes);
      expect(upload?.prefilled?.studyInstanceUID).toBe(takes ? "2.25.1.1" : undefined);
      if (!takes) return;
      expect(upload?.fileCount).toBe(files.length);
      expect(upload?.keptCount).toBe(files.filter(({ verdict }) => verdict !== "ignored_name").length);
    });
  }
});
