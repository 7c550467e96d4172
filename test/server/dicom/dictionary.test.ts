import { expect, test } from "bun:test";
import { Glob } from "bun";
import { dictionaryVr, isPrivate, isSignDependent } from "../../../src/shared/dicom/reading/dictionary.ts";

test.each([
  [0x00020010, "UI"],
  [0x00041220, "SQ"],
  [0x00041400, "UL"],
  [0x00080005, "CS"],
  [0x00100010, "PN"],
  [0x00280106, "US"],
  [0x00281201, "OW"],
  [0x00283006, "US"],
  [0x60003000, "OW"],
  [0x601e0010, "US"],
  [0x50020005, "US"],
  [0x7fe00001, "OV"],
  [0x7fe00010, "OW"],
  [0x00080000, "UL"],
  [0x00090010, "LO"],
  [0x00091001, "UN"],
  [0x0008fff0, "UN"],
  [0x00660040, "OL"],
  [0x006862f0, "SQ"],
  [0x00760034, "SQ"],
])("%p has the VR %p if none is written", (tag, vr) => {
  expect(dictionaryVr(tag)).toBe(vr);
});

test("only VRs that the standard gives as US or SS depend on the sign of the pixels", () => {
  expect(isSignDependent(0x00280120)).toBe(true);
  expect(isSignDependent(0x00280010)).toBe(false);
  expect(isSignDependent(0x00091001)).toBe(false);
});

test("odd groups are private", () => {
  expect([isPrivate(0x00091001), isPrivate(0x00100010)]).toEqual([true, false]);
});

const [foreign] = new Glob("libdcmtk*/dicom.dic").scanSync({ cwd: "/usr/share", absolute: true });

/** What DCMTK calls OB or OW, US or SS, and pixel data. File Meta Information is always explicit; `na` and retired tags have none. */
const READ_AS: Readonly<Record<string, string>> = { ox: "OW", px: "OW", xs: "US", lt: "US", up: "UL" };

test.skipIf(!foreign)("every tag that DCMTK knows has the VR that DCMTK gives it", async () => {
  const lines = (await Bun.file(foreign ?? "").text()).matchAll(/^\((\w{4}),(\w{4})\)\t(\w\w)\t(\w+)/gm);
  const known = Array.from(lines, ([, group = "", element = "", vr = "", keyword]) => ({
    tag: Number.parseInt(group + element, 16),
    vr: READ_AS[vr] ?? vr,
    keyword,
  })).filter(({ tag, vr }) => !isPrivate(tag) && tag >>> 16 > 2 && tag >>> 16 < 0xfffe && vr !== "na");
  expect(known.length).toBeGreaterThan(4000);
  expect(known.filter(({ tag, vr }) => dictionaryVr(tag) !== vr)).toEqual([]);
});
