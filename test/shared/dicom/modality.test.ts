import { expect, test } from "bun:test";
import { isStudyModality, LAB_MODALITIES, STUDY_MODALITIES } from "../../../src/shared/dicom/modality.ts";

test("studies and lab PDFs have the modalities the product names", () => {
  expect(STUDY_MODALITIES).toHaveLength(15);
  expect(LAB_MODALITIES).toHaveLength(9);
  expect(LAB_MODALITIES.every(isStudyModality)).toBe(true);
});

test("a code of another system is not a modality", () => {
  expect(isStudyModality("SEG")).toBe(false);
});
