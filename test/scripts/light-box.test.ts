import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeLightBox } from "../../scripts/demo/light-box.ts";

const LIMIT_BYTES = 120_000;
const PHONE_LIMIT_BYTES = 40_000;
const TIMEOUT_MS = 120_000;

test(
  "the generator redraws the entry page's films, which stay small",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "light-box-"));
    try {
      await writeLightBox(folder);
      const film = await Bun.file(join(folder, "film.webp")).bytes();
      const chest = await Bun.file(join(folder, "chest.webp")).bytes();
      const band = await Bun.file(join(folder, "film-band.webp")).bytes();
      expect(film.length + chest.length).toBeLessThan(LIMIT_BYTES);
      expect(band.length + chest.length).toBeLessThan(PHONE_LIMIT_BYTES);
      expect(await new Bun.Image(film).metadata()).toMatchObject({
        width: 1120,
        height: 1440,
        format: "webp",
      });
      expect(await new Bun.Image(band).metadata()).toMatchObject({
        width: 672,
        height: 432,
        format: "webp",
      });
      expect(await new Bun.Image(chest).metadata()).toMatchObject({
        width: 760,
        height: 760,
        format: "webp",
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  },
  TIMEOUT_MS,
);
