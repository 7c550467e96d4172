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
