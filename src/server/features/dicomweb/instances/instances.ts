import type { ManifestInstance } from "../../../archive/manifest.ts";
import { piecesOf } from "../../../archive/pieces.ts";
import { AppError } from "../../../http/app-error.ts";
import { notAcceptable } from "../../../http/http.errors.ts";
import { archiveHeaders } from "../answers/archive-headers.ts";
import { negotiateInstances } from "../answers/media-types.ts";
import { multipartRelated, type Part } from "../answers/multipart-related.ts";
import type { DicomwebCatalogue } from "../dicomweb.catalogue.ts";

type Instances = Pick<DicomwebCatalogue, "open" | "read">;
type InstanceGroups = Iterable<ManifestInstance[]> | AsyncIterable<ManifestInstance[]>;

/**
 * The version of one instance in the form that the client takes. Two answers with parts differ in their boundaries, so that one is weak.
 * @throws {AppError} 406
 */
export function instanceVersion(instance: ManifestInstance, accept: string | undefined): string {
  const { volumeId, dataOffset, transferSyntaxUID } = instance;
  const { multipart } = negotiateInstances(accept, transferSyntaxUID);
  return multipart ? `W/"${volumeId}.${dataOffset}.parts"` : `"${volumeId}.${dataOffset}"`;
}

/**
 * Streams instances bit for bit as they were sent (PS3.18 §10.4.1.1.1–3). A single instance may also be requested as a bare
 * `application/dicom` body; unless it is very large it is checked before the first byte. `allow` is called before that one, when it is
 * certain that bytes will be sent.
 * @throws {AppError} 406 if the client accepts neither form, or wants several instances as a bare body
 * @throws {InstanceDamaged}
 */
export async function instancesResponse(
  catalogue: Instances,
  groups: InstanceGroups,
  accept: string | undefined,
  allow: () => Promise<void>,
): Promise<Response> {
  const only = onlyInstance(groups);
  const { multipart, type } = negotiateInstances(accept, only?.transferSyntaxUID);
  if (!multipart && !only) throw new AppError(notAcceptable);
  const checked = only && (await readChecked(catalogue, only));
  await allow();
  if (multipart || !only) {
    const { contentType, body } = multipartRelated(type, parts(catalogue, groups, checked));
    return new Response(body, { headers: { ...archiveHeaders(contentType), Vary: "Accept" } });
  }
  return new Response((checked ?? (await catalogue.open(only))) as BodyInit, {
    headers: { ...archiveHeaders(type), "Content-Length": String(only.sizeBytes), Vary: "Accept" },
  });
}

/** Larger ones are read twice instead of being held. */
const MAX_HELD_BYTES = 4 * 1024 * 1024;
/** Still larger ones are checked only while they are sent, and cut if they are damaged. */
const MAX_READ_TWICE_BYTES = 256 * 1024 * 1024;

/** Checks an instance before its first byte is sent. Returns its bytes if they are few. @throws {InstanceDamaged} */
async function readChecked(catalogue: Instances, only: ManifestInstance): Promise<Uint8Array | undefined> {
  const { sizeBytes } = only;
  if (sizeBytes <= MAX_HELD_BYTES) return await catalogue.read(only, { offset: 0, length: sizeBytes });
  if (sizeBytes > MAX_READ_TWICE_BYTES) return undefined;
  for await (const _ of piecesOf(await catalogue.open(only)));
  return undefined;
}

function onlyInstance(groups: InstanceGroups): ManifestInstance | undefined {
  if (!Array.isArray(groups) || groups.length !== 1) return undefined;
  const [group] = groups as ManifestInstance[][];
  return group?.length === 1 ? group[0] : undefined;
}

/** @param only the bytes of the only instance, if they were read already */
async function* parts(
  catalogue: Instances,
  groups: InstanceGroups,
  only: Uint8Array | undefined,
): AsyncGenerator<Part> {
  for await (const group of groups) {
    for (const instance of group) {
      const contentType = `application/dicom; transfer-syntax=${instance.transferSyntaxUID}`;
      yield { contentType, body: only ?? (await catalogue.open(instance)) };
    }
  }
}
