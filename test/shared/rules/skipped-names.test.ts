import { expect, test } from "bun:test";
import { isSkippedInFolder, isSkippedInZip } from "../../../src/shared/rules/skipped-names.ts";

const folders = ["fotos.jpg_originais/IM1", "exame.txt copy/sub/IM2", "fotos.jpg_originais\\IM3"];

test("a file is never skipped because of its folder's name", () => {
  expect(folders.filter(isSkippedInZip)).toEqual([]);
  expect([...folders, "setup.exe/IM1", "CD.zip/a.js/IM2"].filter(isSkippedInFolder)).toEqual([]);
});

test("a file is skipped by its own name, in any folder", () => {
  const names = ["scan.jpg", "CD/leia-me.txt", "CD\\capa.jpg", "CD/IM1.jpg.dcm"];
  expect(names.filter(isSkippedInZip)).toEqual(names);
  const ofDisc = [...names, "CD/AUTORUN.INF", "CD/Viewer.EXE", "laudo.pdf"];
  expect(ofDisc.filter(isSkippedInFolder)).toEqual(ofDisc);
});

test("a skipped name in capitals is still read inside a ZIP", () => {
  expect(isSkippedInZip("CD/IM1.JPG")).toBe(false);
});
