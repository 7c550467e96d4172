import { expect, test } from "bun:test";
import { unzipSync } from "fflate";
import { generateStudy } from "../../scripts/demo/phantom/study.ts";
import { zipStudy, zipStudyBytes } from "../../scripts/demo/zip-study.ts";

const study = () => generateStudy({ kind: "ct-head", seed: 5, size: 32, instances: 2 });

test.each(["store", "deflate"] as const)(
  "a ZIP packed with %s returns every instance",
  async (compression) => {
    const unpacked = unzipSync(await zipStudyBytes({ instances: study(), compression }));
    const instances = [...study()];
    expect(Object.keys(unpacked)).toEqual(instances.map(({ fileName }) => fileName));
    for (const { fileName, bytes } of instances) expect(unpacked[fileName]).toEqual(new Uint8Array(bytes));
  },
);

test("folder names keep their accents", async () => {
  const folder = "Exames/João Conceição/TC de crânio";
  const names = Object.keys(unzipSync(await zipStudyBytes({ instances: study(), folder })));
  expect(names.every((name) => name.startsWith(`${folder}/SE`))).toBe(true);
});

test("a disc's DICOMDIR and clutter can come along", async () => {
  const unpacked = unzipSync(
    await zipStudyBytes({ instances: study(), folder: "CD", dicomdir: true, clutter: true }),
  );
  expect(Object.keys(unpacked)).toEqual(
    expect.arrayContaining(["CD/DICOMDIR", "CD/LEIA-ME.txt", "__MACOSX/CD/._IM0001.dcm"]),
  );
  expect(Buffer.from(unpacked["CD/DICOMDIR"] ?? []).toString("latin1", 128, 132)).toBe("DICM");
});

test("the same study packs to the same bytes", async () => {
  const options = () => ({ instances: study(), compression: "deflate", clutter: true }) as const;
  expect(await zipStudyBytes(options())).toEqual(await zipStudyBytes(options()));
});

test("an abandoned download stops the computation", async () => {
  let computed = 0;
  const counted = function* () {
    for (const instance of generateStudy({ kind: "mr-head", seed: 5, size: 32, instances: 200 })) {
      computed++;
      yield instance;
    }
  };
  const reader = zipStudy({ instances: counted() }).getReader();
  await reader.read();
  await reader.cancel();
  expect(computed).toBeLessThan(10);
});
