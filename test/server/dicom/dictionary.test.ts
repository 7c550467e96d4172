import { expect, test } from "bun:test";
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
