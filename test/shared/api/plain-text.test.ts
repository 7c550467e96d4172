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

test("a text of which nothing would be seen is no name", () => {
  for (const unseen of [
    "\u200b\u200b\u200b",
    "\u2060\u200d\u200c\ufeff",
    "\u200e\u200f\u200e",
    "\u3164\u115f\u2800",
    "\u0001\u0002\u007f\u0085",
    "\ufff9\ufffa\ufffb",
  ])
    expect([unseen, nameSchema.safeParse(unseen).success]).toEqual([unseen, false]);
  expect(nameSchema.parse("Fam\u00edlia \u{1f468}\u200d\u{1f469}\u200d\u{1f467}")).toBe(
    "Fam\u00edlia \u{1f468}\u200d\u{1f469}\u200d\u{1f467}",
  );
});

test.each([
  "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
  "\u0915\u094d\u200d\u0937 \u0930\u093e\u092e",
  "\uae40\ucca0\uc218",
  "\u{1f469}\u200d\u2695\ufe0f \u{1f496} Ana",
])("a name keeps the joiners that its script needs: %s", (name) => {
  expect(nameSchema.parse(name)).toBe(name);
});

test("a name is one line, since it stands within the lines of a mail", () => {
  for (const lines of [
    "Ana\n\n123456\n",
    "Ana\r\nSilva",
    "Ana\u0085Silva",
    "Ana\u2028Silva",
    "Ana\u2029Silva",
    "Ana\tSilva",
  ]) {
    const long = `${lines} Souza`;
    expect([
      nameSchema.safeParse(long).success,
      newLinkSchema.safeParse({ ...link, recipient: long }).success,
      newRequestSchema.safeParse({ label: long }).success,
    ]).toEqual([false, false, false]);
  }
});
