import type { S3Client } from "./s3-client.ts";
import { S3Failure, S3Nonsense } from "./s3-failure.ts";
import { childText, requiredText, type XmlElement } from "./xml.ts";

const MAX_PAGES = 100_000;

/** The elements named `name` of every page of a listing of the bucket, a page in memory at a time. */
async function* listElements(
  client: S3Client,
  query: Record<string, string>,
  root: string,
  name: string,
  markersOf: (page: XmlElement) => Record<string, string>,
): AsyncGenerator<XmlElement> {
  let markers: Record<string, string> = {};
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await fetchListing(client, { ...query, ...markers }, root);
    yield* page.children.filter((child) => child.name === name);
    if (childText(page, "IsTruncated") !== "true") return;
    markers = markersOf(page);
  }
  throw new S3Nonsense("S3 lists pages without end");
}

async function fetchListing(
  client: S3Client,
  query: Record<string, string>,
  root: string,
): Promise<XmlElement> {
  const { xml } = await client.send({ method: "GET", query });
  if (xml?.name !== root) throw new S3Nonsense(`S3 answered without ${root}`);
  return xml;
}

/** Every object whose key starts with `prefix`, in key order (ListObjectsV2). */
export async function* listObjects(
  client: S3Client,
  prefix: string,
  pageSize: number,
): AsyncGenerator<{ key: string; sizeBytes: number }> {
  const query = { "list-type": "2", prefix, "max-keys": String(pageSize) };
  const objects = listElements(client, query, "ListBucketResult", "Contents", (page) => ({
    "continuation-token": requiredText(page, "NextContinuationToken"),
  }));
  let lastKey = "";
  for await (const object of objects) {
    const key = requiredText(object, "Key");
    const sizeBytes = Number(requiredText(object, "Size"));
    if (!Number.isSafeInteger(sizeBytes)) throw new S3Nonsense("S3 lists an object without a size");
    // Whoever asked may delete what is named.
    if (!key.startsWith(prefix)) throw new S3Nonsense("S3 lists objects that were not asked for");
    if (key <= lastKey) throw new S3Nonsense("S3 lists objects out of order");
    lastKey = key;
    yield { key, sizeBytes };
  }
}

export interface UnfinishedUpload {
  key: string;
  uploadId: string;
  begunAt: Date;
}

/** Every multipart upload under `prefix` that was begun and neither completed nor aborted (ListMultipartUploads). */
export async function* listUploads(
  client: S3Client,
  prefix: string,
  pageSize: number,
): AsyncGenerator<UnfinishedUpload> {
  const query = { uploads: "", "max-uploads": String(pageSize), ...(prefix && { prefix }) };
  const uploads = listElements(client, query, "ListMultipartUploadsResult", "Upload", (page) => ({
    "key-marker": requiredText(page, "NextKeyMarker"),
    "upload-id-marker": requiredText(page, "NextUploadIdMarker"),
  }));
  for await (const upload of uploads) {
    const begunAt = new Date(requiredText(upload, "Initiated"));
    const key = requiredText(upload, "Key");
    // Not every store minds the prefix.
    if (key.startsWith(prefix)) yield { key, uploadId: requiredText(upload, "UploadId"), begunAt };
  }
}

/**
 * Up to `pageSize` versions and delete markers of exactly that key (ListObjectVersions); `undefined` if the store does
 * not support versions.
 */
export async function listVersions(
  client: S3Client,
  key: string,
  pageSize: number,
): Promise<string[] | undefined> {
  const query = { versions: "", prefix: key, "max-keys": String(pageSize) };
  try {
    const page = await fetchListing(client, query, "ListVersionsResult");
    // Other keys that begin alike come after this one.
    return page.children
      .filter((child) => ["Version", "DeleteMarker"].includes(child.name) && childText(child, "Key") === key)
      .map((version) => requiredText(version, "VersionId"));
  } catch (error) {
    if (error instanceof S3Failure && error.isUnsupported) return undefined;
    throw error;
  }
}
