import { expect, test } from "bun:test";
import { xmlText } from "../../../src/server/runtime/xml-text.ts";
import { StoreUnavailable } from "../../../src/server/storage/object-store.ts";
import { partSizeFor } from "../../../src/server/storage/s3/put-file.ts";
import { childText, parseXml, requiredText } from "../../../src/server/storage/s3/xml.ts";

test("reads elements, entities, empty elements and namespaces of an S3 answer", () => {
  const root = parseXml(`<?xml version="1.0"?>
    <s3:List xmlns:s3="http://s3.amazonaws.com/doc/2006-03-01/"><!-- < --><Key a="b">a&amp;&lt;b&#x41;&#66;&quot;&apos;</Key>
      <Empty/><Key>second</Key><Data><![CDATA[<raw>&amp;]]></Data></s3:List>\n`);
  expect(root.name).toBe("List");
  expect(childText(root, "Key")).toBe("a&<bAB\"'");
  expect(childText(root, "Empty")).toBe("");
  expect(childText(root, "Data")).toBe("<raw>&amp;");
  expect(childText(root, "None")).toBeUndefined();
  expect(() => requiredText(root, "Empty")).toThrow(StoreUnavailable);
  expect(parseXml(`<a>${xmlText("<&>")}</a>`).text).toBe("<&>");
});

test("refuses what isn't an S3 answer", () => {
  const broken = [
    "",
    "x",
    "<a>",
    "<a></b>",
    "<a/><b/>",
    "</a>",
    "<a><b></a></b>",
    "<a>1</a>2",
    '<!DOCTYPE a [<!ENTITY b "c">]><a/>',
  ];
  for (const source of [...broken, "<a>".repeat(50) + "</a>".repeat(50), "<html><br></html>"]) {
    expect(() => parseXml(source)).toThrow(StoreUnavailable);
  }
});

test("an object of any size fits into 10,000 parts", () => {
  const MIB = 1 << 20;
  expect(partSizeFor(100 * MIB, 8 * MIB)).toBe(8 * MIB);
  for (const sizeBytes of [80_000 * MIB, 80_001 * MIB, 5 * 1024 * 1024 * MIB]) {
    const partSizeBytes = partSizeFor(sizeBytes, 8 * MIB);
    expect(Math.ceil(sizeBytes / partSizeBytes)).toBeLessThanOrEqual(10_000);
    expect(partSizeBytes % MIB).toBe(0);
  }
});
