import { expect, test } from "bun:test";
import type { SeriesManifest } from "../../../src/server/archive/manifest.ts";
import type { SeriesRecord } from "../../../src/server/features/dicomweb/dicomweb.catalogue.ts";
import { listPictures } from "../../../src/server/features/exchange/rendered-parts.ts";

test("the pictures of a study open one series at a time", async () => {
  const opened: string[] = [];
  const uids = Array.from({ length: 2_000 }, (_, i) => `2.25.${i + 1}`);
  const record = (seriesInstanceUID: string) => ({ seriesInstanceUID, instanceCount: 1 }) as SeriesRecord;
  const pictures = listPictures(
    {
      series: async () => uids.map(record),
      async manifest(_study, uid) {
        opened.push(uid);
        const instance = { sopInstanceUID: `${uid}.1`, frames: { kind: "native", frameCount: 1 } };
        return { seriesInstanceUID: uid, instances: [instance] } as unknown as SeriesManifest;
      },
    },
    { study: "2.25.9" },
  );
  for (const seen of [1, 2, 3]) {
    const { value } = await pictures.next();
    expect([value?.place, opened.length]).toEqual([`/series/2.25.${seen}/instances/2.25.${seen}.1`, seen]);
  }
  await pictures.return(undefined);
});

test.each([
  ["images of a study", { study: "2.25.9" }],
  ["images of a series", { study: "2.25.9", series: "2.25.1" }],
  ["frames of an instance", { study: "2.25.9", series: "2.25.1", instance: "2.25.1.0" }],
])("more than 2,000 %s are refused before one is drawn", async (_, path) => {
  const all = (count: number) =>
    listPictures(
      {
        series: async () => [{ seriesInstanceUID: "2.25.1", instanceCount: count }] as SeriesRecord[],
        async manifest(_study, seriesInstanceUID) {
          const instances = Array.from({ length: count }, (_, i) => ({
            sopInstanceUID: `2.25.1.${i}`,
            frames: { kind: "native", frameCount: count },
          }));
          return { seriesInstanceUID, instances } as unknown as SeriesManifest;
        },
      },
      path,
    );
  expect((await all(2_000).next()).done).toBe(false);
  expect(all(2_001).next()).rejects.toMatchObject({ kind: { code: "rendered.too_many" } });
});
