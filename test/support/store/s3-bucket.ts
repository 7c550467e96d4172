import { createHash, randomUUID } from "node:crypto";

interface BucketRequest {
  method: string;
  key: string;
  query: URLSearchParams;
  headers: Record<string, string | string[] | undefined>;
}

interface BucketAnswer {
  status: number;
  headers?: Record<string, string | number>;
  body: Uint8Array;
}

interface Version {
  versionId: string;
  /** None: a delete marker. */
  bytes?: Uint8Array;
}

interface Upload {
  key: string;
  begunAt: Date;
  parts: Map<number, Uint8Array>;
}

/** A versioned S3 bucket in memory: as much of the interface as the product speaks. */
export function createBucket() {
  /** Newest version first. */
  const objects = new Map<string, Version[]>();
  const uploads = new Map<string, Upload>();

  const latest = (key: string) => objects.get(key)?.[0]?.bytes;
  const store = (key: string, version: Omit<Version, "versionId">) =>
    objects.set(key, [{ versionId: randomUUID(), ...version }, ...(objects.get(key) ?? [])]);
  const matching = (keys: Iterable<string>, prefix: string) =>
    [...keys].filter((key) => key.startsWith(prefix)).sort();

  function readObject({ method, key, headers }: BucketRequest): BucketAnswer {
    const bytes = latest(key);
    if (!bytes) return failure(404, method === "HEAD" ? "" : "NoSuchKey");
    const etag = etagOf(bytes);
    const range = /^bytes=(\d+)-(\d+)$/.exec(String(headers.range ?? ""));
    if (!range) return { status: 200, headers: { etag }, body: bytes };
    const first = Number(range[1]);
    const last = Math.min(Number(range[2]), bytes.length - 1);
    if (first > last) return failure(416, "InvalidRange");
    const contentRange = `bytes ${first}-${last}/${bytes.length}`;
    return {
      status: 206,
      headers: { etag, "content-range": contentRange },
      body: bytes.subarray(first, last + 1),
    };
  }

  function put({ key, query }: BucketRequest, body: Uint8Array): BucketAnswer {
    const uploadId = query.get("uploadId");
    if (uploadId === null) store(key, { bytes: body });
    else {
      const upload = uploads.get(uploadId);
      if (!upload) return failure(404, "NoSuchUpload");
      upload.parts.set(Number(query.get("partNumber")), body);
    }
    return { status: 200, headers: { etag: etagOf(body) }, body: new Uint8Array() };
  }

  function post({ key, query }: BucketRequest, body: Uint8Array): BucketAnswer {
    if (query.has("uploads")) {
      const uploadId = randomUUID();
      uploads.set(uploadId, { key, begunAt: new Date(), parts: new Map() });
      return xml(
        `<InitiateMultipartUploadResult><UploadId>${uploadId}</UploadId></InitiateMultipartUploadResult>`,
      );
    }
    const upload = uploads.get(query.get("uploadId") ?? "");
    if (!upload) return failure(404, "NoSuchUpload");
    const named = [
      ...new TextDecoder().decode(body).matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>(.*?)</g),
    ];
    const parts = named.map(([, number]) => upload.parts.get(Number(number)) ?? new Uint8Array());
    if (named.some(([, , etag], index) => etag !== etagOf(parts[index] ?? new Uint8Array()))) {
      return failure(400, "InvalidPart");
    }
    if (parts.slice(0, -1).some((part) => part.length < 5 << 20)) return failure(400, "EntityTooSmall");
    uploads.delete(query.get("uploadId") ?? "");
    store(key, { bytes: Buffer.concat(parts) });
    return xml("<CompleteMultipartUploadResult/>");
  }

  function remove({ key, query }: BucketRequest): BucketAnswer {
    const versionId = query.get("versionId");
    const uploadId = query.get("uploadId");
    if (uploadId !== null) uploads.delete(uploadId);
    else if (versionId === null) store(key, {});
    else {
      const rest = (objects.get(key) ?? []).filter((version) => version.versionId !== versionId);
      if (rest.length > 0) objects.set(key, rest);
      else objects.delete(key);
    }
    return { status: 204, body: new Uint8Array() };
  }

  function list({ query }: BucketRequest): BucketAnswer {
    if (query.has("uploads")) return listUploads(query);
    const prefix = query.get("prefix") ?? "";
    const max = Number(query.get("max-keys") ?? 1000);
    if (query.has("versions")) {
      const all = matching(objects.keys(), prefix).flatMap((key) =>
        (objects.get(key) ?? []).map(({ versionId, bytes }) => {
          const kind = bytes ? "Version" : "DeleteMarker";
          return `<${kind}><Key>${key}</Key><VersionId>${versionId}</VersionId></${kind}>`;
        }),
      );
      return xml(`<ListVersionsResult>${all.slice(0, max).join("")}</ListVersionsResult>`);
    }
    const after = query.get("continuation-token") ?? "";
    const keys = matching(objects.keys(), prefix).filter((key) => latest(key) && key > after);
    const page = keys.slice(0, max);
    const more = keys.length > max ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : "";
    const contents = page.map(
      (key) => `<Contents><Key>${key}</Key><Size>${latest(key)?.length}</Size></Contents>`,
    );
    return xml(
      `<ListBucketResult><IsTruncated>${more !== ""}</IsTruncated>${more}${contents.join("")}</ListBucketResult>`,
    );
  }

  function listUploads(query: URLSearchParams): BucketAnswer {
    const marker = `${query.get("key-marker") ?? ""} ${query.get("upload-id-marker") ?? ""}`;
    const all = [...uploads]
      .map(([uploadId, { key, begunAt }]) => ({ uploadId, key, begunAt }))
      .filter(({ key }) => key.startsWith(query.get("prefix") ?? ""));
    const rest = all
      .filter(({ key, uploadId }) => `${key} ${uploadId}` > marker)
      .sort((a, b) => (`${a.key} ${a.uploadId}` < `${b.key} ${b.uploadId}` ? -1 : 1));
    const page = rest.slice(0, Number(query.get("max-uploads") ?? 1000));
    const last = page.at(-1);
    const elements = page.map(
      ({ key, uploadId, begunAt }) =>
        `<Upload><Key>${key}</Key><UploadId>${uploadId}</UploadId><Initiated>${begunAt.toISOString()}</Initiated></Upload>`,
    );
    const isTruncated = rest.length > page.length;
    const next = `<NextKeyMarker>${last?.key}</NextKeyMarker><NextUploadIdMarker>${last?.uploadId}</NextUploadIdMarker>`;
    return xml(
      `<ListMultipartUploadsResult><IsTruncated>${isTruncated}</IsTruncated>${isTruncated ? next : ""}${elements.join("")}</ListMultipartUploadsResult>`,
    );
  }

  return {
    objects,
    uploads,
    handle(request: BucketRequest, body: Uint8Array): BucketAnswer {
      if (
        Object.keys(request.headers).some(
          (name) => name.startsWith("x-amz-checksum") || name.startsWith("x-amz-sdk"),
        )
      ) {
        return failure(400, "InvalidArgument");
      }
      if (request.method === "HEAD" && request.key === "") return { status: 200, body: new Uint8Array() };
      if (request.method === "PUT") return put(request, body);
      if (request.method === "POST") return post(request, body);
      if (request.method === "DELETE") return remove(request);
      return request.key ? readObject(request) : list(request);
    },
  };
}

function etagOf(bytes: Uint8Array): string {
  return `"${createHash("md5").update(bytes).digest("hex")}"`;
}

function xml(body: string, status = 200): BucketAnswer {
  return { status, body: new TextEncoder().encode(`<?xml version="1.0" encoding="UTF-8"?>\n${body}`) };
}

function failure(status: number, code: string): BucketAnswer {
  return code ? xml(`<Error><Code>${code}</Code></Error>`, status) : { status, body: new Uint8Array() };
}
