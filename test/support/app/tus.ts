import type { ResumableUploadState } from "../../../src/shared/api/resumable.ts";
import type { Person, TestApp } from "./test-app.ts";

export const tusHeaders = { "tus-resumable": "1.0.0" };

/** `Upload-Metadata` as tus writes it. */
export function tusMetadata(values: Record<string, string>): string {
  return Object.entries(values)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString("base64")}`)
    .join(",");
}

export function tusChecksum(bytes: Uint8Array): string {
  return `sha256 ${new Bun.CryptoHasher("sha256").update(bytes).digest("base64")}`;
}

/** Speaks tus to an app without a socket. */
export function tusOf(t: Pick<TestApp, "call">, who: Person) {
  const create = (sizeBytes: number, headers: Record<string, string> = {}, body?: Uint8Array) =>
    t.call("POST", "/api/uploads", {
      as: who,
      ...(body && { body: Uint8Array.from(body) }),
      headers: {
        ...tusHeaders,
        "upload-length": String(sizeBytes),
        "upload-metadata": tusMetadata({ filename: "exame.zip" }),
        ...(body && { "content-type": "application/offset+octet-stream" }),
        ...headers,
      },
    });
  const patch = (url: string, offset: number, bytes: Uint8Array, headers: Record<string, string> = {}) =>
    t.call("PATCH", url, {
      as: who,
      body: Uint8Array.from(bytes),
      headers: {
        ...tusHeaders,
        "content-type": "application/offset+octet-stream",
        "upload-offset": String(offset),
        "content-length": String(bytes.length),
        ...headers,
      },
    });
  const read = async (url: string, headers: Record<string, string> = {}) =>
    (await (await t.call("GET", url, { as: who, headers })).json()) as ResumableUploadState;
  return {
    create,
    patch,
    read,
    async begin(sizeBytes: number, headers?: Record<string, string>): Promise<string> {
      const created = await create(sizeBytes, headers);
      if (created.status !== 201) throw new Error(`create: ${created.status} ${await created.text()}`);
      return created.headers.get("location") ?? "";
    },
    head: (url: string) => t.call("HEAD", url, { as: who, headers: tusHeaders }),
    end: (url: string) => t.call("DELETE", url, { as: who, headers: tusHeaders }),
    /** Waits until an upload was taken in or refused. */
    async outcome(url: string): Promise<ResumableUploadState> {
      for (let tries = 0; tries < 600; tries++) {
        const upload = await read(url);
        if (upload.state === "done" || upload.state === "failed") return upload;
        await Bun.sleep(20);
      }
      throw new Error("the upload was not taken in");
    },
  };
}
