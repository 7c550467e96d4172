import { expect, test } from "bun:test";
import { nameSchema } from "../../../src/shared/api/account-fields.ts";
import { newRequestSchema } from "../../../src/shared/api/deliveries.ts";
import { newLinkSchema } from "../../../src/shared/api/links.ts";
import { uploadMetadataSchema } from "../../../src/shared/api/upload.ts";

/** `invisible` says nothing and turns around what follows; the rest is as people write names. */
const TYPED = "  \u202eClínica\u2069 \u2068São\u202c João\u200f ";
const KEPT = "Clínica São João\u200f";
const link = { studyIds: ["1"], recipient: TYPED };

test("a name that people type keeps its letters, and nothing that reorders the text around it", () => {
  expect(nameSchema.parse(TYPED)).toBe(KEPT);
  expect(newLinkSchema.parse(link).recipient).toBe(KEPT);
  expect(newRequestSchema.parse({ label: TYPED }).label).toBe(KEPT);
  expect(uploadMetadataSchema.parse({ patientName: TYPED }).patientName).toBe(KEPT);
});

test("a name of nothing but such characters is none", () => {
  expect(nameSchema.safeParse("\u202e\u202d\u2066\u2069").success).toBe(false);
});
