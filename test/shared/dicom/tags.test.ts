import { expect, test } from "bun:test";
import { TAG_HEX } from "../../../scripts/demo/phantom/keywords.ts";
import { Tag, TagHex, tagHex } from "../../../src/shared/dicom/tags.ts";

/** PS3.6's data dictionary, by keyword: `(0010,0010)`. */
async function standardTags(): Promise<Map<string, string>> {
  // Resolved by hand: the module has no types.
  const path = Bun.resolveSync("dcmjs/dictionary", import.meta.dir);
  const dictionary: Record<string, { tag: string; name: string }> = (await import(path)).default;
  const tags = Object.values(dictionary).map(({ name, tag }) => [name, tag.replace(/[(),]/g, "")] as const);
  // The private ones, which may share a name with the standard's, have their creator in the tag.
  return new Map(tags.filter(([, hex]) => /^[0-9A-F]{8}$/.test(hex)));
}

test("every keyword has the tag that the standard gives it", async () => {
  const standard = await standardTags();
  const named = { ...TagHex, ...TAG_HEX };
  expect(Object.keys(Tag).length).toBeGreaterThan(60);
  expect(named).toEqual(
    Object.fromEntries(
      Object.keys(named).map((keyword) => [keyword, String(standard.get(keyword))]),
    ) as never,
  );
});

test("a tag is written as eight upper-case hex digits", () => {
  expect([tagHex(Tag.SeriesDescription), tagHex(Tag.Item), TagHex.PixelData]).toEqual([
    "0008103E",
    "FFFEE000",
    "7FE00010",
  ]);
});
