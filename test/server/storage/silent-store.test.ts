import { expect, test } from "bun:test";
import { createS3Client } from "../../../src/server/storage/s3/s3-client.ts";

test("a store that takes connections and stays silent is asked twice, so that readers are told in time", async () => {
  let asked = 0;
  await using server = Bun.serve({
    port: 0,
    fetch: () => {
      asked++;
      return new Promise<Response>(() => {});
    },
  });
  const client = createS3Client({
    endpoint: `http://127.0.0.1:${server.port}`,
    region: "us-east-1",
    bucket: "bucket",
    accessKeyId: "key",
    secretAccessKey: "secret",
    timeoutMs: 30,
    retryDelayMs: 1,
  });
  await expect(client.openStream({ method: "GET", key: "a" })).rejects.toThrow("S3 connection lost");
  expect(asked).toBe(2);
});
