import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTempFolder } from "../../support/temp-folder.ts";
import { makeZipFixtures, type ZipFixture } from "../../support/zip/zip-fixtures.ts";
import { JUDGES, type Judgement, judgeZips, mayDiffer } from "../../support/zip/zip-judges.ts";

const SOUND = ["taken", "folder", "ignored_name", "not_dicom"];

/** Whether the product reads all of it. */
function isSound({ expected }: ZipFixture): boolean {
  return "entries" in expected && expected.entries.every(({ verdict }) => SOUND.includes(verdict));
}

function agrees(fixture: ZipFixture, judgement: Judgement | undefined): boolean {
  if (!judgement) return false;
  const { isClean, isAccepted, output } = judgement;
  if (!isSound(fixture)) return !isClean;
  const lengthBytes = fixture.contents.reduce((total, content) => total + content.length, 0);
  const holdsAll = fixture.contents.every((content) => Buffer.from(output).includes(content));
  return isAccepted && output.length === lengthBytes && holdsAll;
}

describe("other programs judge each ZIP as we do, except those listed with a reason", () => {
  const fixtures = makeZipFixtures();
  for (const judge of JUDGES) {
    test.skipIf(!Bun.which(judge))(
      judge,
      async () => {
        await using folder = createTempFolder();
        const paths = fixtures.map((_, i) => join(folder.path, `${i}.zip`));
        for (const [i, { zip }] of fixtures.entries()) writeFileSync(paths[i] ?? "", zip);
        const judgements = judgeZips(judge, paths);
        const others = fixtures.filter(
          (fixture, i) => !agrees(fixture, judgements[i]) && !mayDiffer(judge, fixture.title),
        );
        expect(others.map(({ title }) => title)).toEqual([]);
      },
      240_000,
    );
  }
});
