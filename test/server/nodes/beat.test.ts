import { expect, test } from "bun:test";
import { beat } from "../../../src/server/nodes/beat.ts";
import { createTestApp } from "../../support/test-app.ts";

test("a serving node records its beat in the database, by the database's clock, and stays steady while it does", async () => {
  await using t = await createTestApp();
  t.advance(7 * 24 * 3600_000);
  const read = async () => {
    const [row] =
      await t.sql`select *, last_beat_at > now() - interval '1 minute' and last_beat_at <= now() as "isFresh",
      steady_since = started_at as "isSteady" from nodes`;
    return row;
  };
  expect(await read()).toMatchObject({
    id: t.deps.node.id,
    boot_id: t.deps.node.bootId,
    swept_at: null,
    isFresh: true,
    isSteady: true,
  });
  expect(await beat(t.deps)).toBe(true);
  expect(await read()).toMatchObject({ isFresh: true, isSteady: true });

  await t.sql`update nodes set last_beat_at = now() - interval '11 minutes', swept_at = now()`;
  expect(await beat(t.deps)).toBe(false);
  expect(await read()).toMatchObject({ swept_at: null, isFresh: true, isSteady: false });
  expect(await beat(t.deps)).toBe(true);
});
