import { expect, test } from "bun:test";
import { labModalities } from "../../../src/shared/api/labs.ts";
import { isStudyModality, STUDY_MODALITIES } from "../../../src/shared/dicom/modality.ts";

test("studies and lab PDFs have the modalities the product names", () => {
  expect(STUDY_MODALITIES).toHaveLength(15);
  expect(labModalities).toHaveLength(9);
  expect(labModalities.every(isStudyModality)).toBe(true);
});

test("a code of another system is not a modality", () => {
  expect(isStudyModality("SEG")).toBe(false);
});
