import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { S3ClientOptions } from "../../../src/server/storage/s3/s3-client.ts";

const SERVER = `
  const S3rver = require("s3rver");
  const [directory, name] = process.argv.slice(1);
  const options = { port: 0, address: "127.0.0.1", silent: true, directory };
  new S3rver({ ...options, configureBuckets: [{ name }] }).run().then((address) => console.log(address.port));
`;

/**
 * An S3 store that somebody else wrote (s3rver), in a process of its own. It has no versions, checks no
 * signatures, lists in no order and one page only, and completes uploads bit by bit.
 */
export async function startS3Server(
  bucket = "bucket",
): Promise<AsyncDisposable & { options: S3ClientOptions }> {
  const directory = await mkdtemp(join(tmpdir(), "s3-server-"));
  const server = Bun.spawn([process.execPath, "-e", SERVER, directory, bucket], {
    cwd: import.meta.dir,
    stdout: "pipe",
    stderr: "inherit",
  });
  const { value } = await server.stdout.getReader().read();
  const port = Number(new TextDecoder().decode(value));
  if (!port) throw new Error("s3rver did not start");
  return {
    options: {
      endpoint: `http://127.0.0.1:${port}`,
      region: "us-east-1",
      bucket,
      accessKeyId: "S3RVER",
      secretAccessKey: "S3RVER",
    },
    async [Symbol.asyncDispose]() {
      server.kill();
      await server.exited;
      await rm(directory, { recursive: true, force: true });
    },
  };
}
