import { expect, test } from "bun:test";
import { isUid } from "../../../src/shared/dicom/uid.ts";
import { syntaxFixture } from "../../support/dicom/syntax-fixture.ts";

test.each(syntaxFixture("uid_valid"))("takes the UID %p", (uid) => {
  expect(isUid(uid)).toBe(true);
});

test.each(syntaxFixture("uid_invalid"))("refuses %p as UID", (uid) => {
  expect(isUid(uid)).toBe(false);
});

test("refuses a UID with a line end behind it", () => {
  expect(isUid("1.2.3\n")).toBe(false);
});
