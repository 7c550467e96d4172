import { expect, test } from "bun:test";
import { fullPersonName, shortPersonName } from "../../../src/shared/dicom/person-name.ts";

test.each([
  ["Silva^João", "Silva", "João Silva"],
  ["Silva", "Silva", "Silva"],
  ["Souza e Silva^Ana^Maria^Dra.^PhD", "Souza e Silva", "Dra. Ana Maria Souza e Silva PhD"],
  ["Yamada^Tarou=山田^太郎=やまだ^たろう", "Yamada", "Tarou Yamada"],
  ["=山田^太郎=やまだ^たろう", "山田", "太郎 山田"],
  ["^Ana", null, "Ana"],
  ["^^^^", null, null],
  ["", null, null],
  ["  ", null, null],
])("%p is shown as %p, in full as %p", (pn, short, full) => {
  expect(shortPersonName(pn)).toBe(short);
  expect(fullPersonName(pn)).toBe(full);
});
