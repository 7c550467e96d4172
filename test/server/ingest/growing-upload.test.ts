import { afterAll, beforeAll, expect, test } from "bun:test";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { eq } from "drizzle-orm";
import {
  closeAbandoned,
  GrowingUpload,
} from "../../../src/server/features/ingest/resumable/growing-upload.ts";
import { resumableUploads } from "../../../src/server/features/ingest/resumable/resumable-uploads.table.ts";
import type { Receiver } from "../../../src/shared/api/receivers.ts";
import { sampleInstance } from "../../support/sample-zip.ts";
import { createTempFolder } from "../../support/temp-folder.ts";
import { createTestApp, type TestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

let app: TestApp;

beforeAll(async () => {
  app = await createTestApp({ jobs: false });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
});

test("an upload stays open for a file that takes longer to keep than a lost node is waited for", async () => {
  const { db } = app.deps;
  const person = await app.addPerson("Estação Lenta", { plan: "clinica" });
  const made = await app.call("POST", "/api/receivers", {
    as: person,
    json: { name: "Ultrassom", aeTitle: "LENTO" },
  });
  const { id: receiverId } = (await made.json()) as Receiver;
  const sender = { accountId: person.id, receiverId, callingAETitle: "US1", address: "127.0.0.1" };
  await using upload = await GrowingUpload.open(app.deps, sender);
  await using folder = createTempFolder();
  // Its bytes come when the test writes them.
  const path = join(folder.path, "instance.dcm");
  expect(Bun.spawnSync(["mkfifo", path]).success).toBe(true);
  const bytes = sampleInstance({});
  const adding = upload.add({ path, sizeBytes: bytes.length, crc32: crc32(bytes) });

  const longAgo = new Date(Date.now() - 600_000);
  const [row] = await db
    .update(resumableUploads)
    .set({ heldUntil: longAgo })
    .where(eq(resumableUploads.accountId, person.id))
    .returning();
  await until(async () => {
    const [seen] = await db
      .select()
      .from(resumableUploads)
      .where(eq(resumableUploads.id, row?.id ?? ""));
    return (seen?.heldUntil ?? longAgo) > longAgo;
  }, 20_000);
  await closeAbandoned(app.deps);
  createWriteStream(path).end(bytes);
  await adding;
  expect(upload.files).toBe(1);
});
