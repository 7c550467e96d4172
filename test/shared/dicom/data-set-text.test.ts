import { expect, test } from "bun:test";
import fc from "fast-check";
import { dataSetText } from "../../../src/shared/dicom/reading/data-set-text.ts";
import type { DicomJson } from "../../../src/shared/dicom/reading/instance.ts";

const tag = fc.integer({ min: 0, max: 0xffffffff }).map((n) => n.toString(16).toUpperCase().padStart(8, "0"));
const plain = fc.record({
  vr: fc.constant("LO"),
  Value: fc.array(fc.oneof(fc.string(), fc.constant(null)), { maxLength: 2 }),
});
const { dataSet } = fc.letrec<{ dataSet: DicomJson }>((tie) => ({
  dataSet: fc.dictionary(
    tag,
    fc.oneof(
      { depthSize: "small" },
      plain,
      fc.record({ vr: fc.constant("SQ"), Value: fc.array(tie("dataSet"), { maxLength: 2 }) }),
    ),
    { maxKeys: 6 },
  ) as fc.Arbitrary<DicomJson>,
}));

/** The tags of each data set, as the text has them. */
function orders(text: string): string[][] {
  const found: string[][] = [];
  const open: string[][] = [];
  for (const [token] of text.matchAll(/"[0-9A-F]{8}":\{|[{}]|"(?:[^"\\]|\\.)*"/g)) {
    if (token.endsWith(":{")) {
      open.at(-1)?.push(token.slice(1, 9));
      open.push([]);
    } else if (token === "{") {
      const tags: string[] = [];
      found.push(tags);
      open.push(tags);
    } else if (token === "}") open.pop();
  }
  return found;
}

test("a data set is written as it is, its attributes in the order of their tags at every level", () => {
  fc.assert(
    fc.property(dataSet, (json) => {
      const text = dataSetText(json);
      expect(JSON.parse(text)).toEqual(json);
      for (const tags of orders(text)) expect(tags).toEqual(tags.toSorted());
    }),
  );
});

test("groups whose numbers have no letter stay behind those that begin with 0", () => {
  const json = { "7FE00010": { vr: "OW" }, "20011003": { vr: "FL" }, "00080005": { vr: "CS" } };
  expect(dataSetText(json)).toBe('{"00080005":{"vr":"CS"},"20011003":{"vr":"FL"},"7FE00010":{"vr":"OW"}}');
});
