import { expect, test } from "bun:test";
import { frameTransferSyntaxUID, isVideo } from "../../../src/shared/dicom/transfer-syntax.ts";

test.each([
  ["1.2.840.10008.1.2.4.100", true],
  ["1.2.840.10008.1.2.4.106.1", true],
  ["1.2.840.10008.1.2.4.108", true],
  ["1.2.840.10008.1.2.4.90", false],
  ["1.2.840.10008.1.2.4.1000", false],
])("%p is a video stream: %p", (uid, expected) => {
  expect(isVideo(uid)).toBe(expected);
});

test("frames of a deflated instance are sent inflated, others as they are", () => {
  expect(frameTransferSyntaxUID("1.2.840.10008.1.2.1.99")).toBe("1.2.840.10008.1.2.1");
  expect(frameTransferSyntaxUID("1.2.840.10008.1.2.2")).toBe("1.2.840.10008.1.2.2");
});
