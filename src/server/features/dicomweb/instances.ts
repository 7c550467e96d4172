import type { ManifestInstance } from "../../archive/manifest.ts";
import { AppError } from "../../http/app-error.ts";
import { notAcceptable } from "../../http/http.errors.ts";
import { archiveHeaders } from "./archive-headers.ts";
import type { DicomwebCatalogue } from "./dicomweb.catalogue.ts";
import { negotiateInstances } from "./media-types.ts";
import { multipartRelated, type Part } from "./multipart-related.ts";

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
 * `application/dicom` body. `allow` is called before the first byte, when it is certain that bytes will be sent.
 * @throws {AppError} 406 if the client accepts neither form, or wants several instances as a bare body
 */
export async function instancesResponse(
  catalogue: Pick<DicomwebCatalogue, "open">,
  groups: InstanceGroups,
  accept: string | undefined,
  allow: () => Promise<void>,
): Promise<Response> {
  const only = onlyInstance(groups);
  const { multipart, type } = negotiateInstances(accept, only?.transferSyntaxUID);
  if (!multipart && !only) throw new AppError(notAcceptable);
  await allow();
  if (multipart || !only) {
    const { contentType, body } = multipartRelated(type, parts(catalogue, groups));
    return new Response(body, { headers: { ...archiveHeaders(contentType), Vary: "Accept" } });
  }
  return new Response((await catalogue.open(only)) as BodyInit, {
    headers: { ...archiveHeaders(type), "Content-Length": String(only.sizeBytes), Vary: "Accept" },
  });
}

function onlyInstance(groups: InstanceGroups): ManifestInstance | undefined {
  if (!Array.isArray(groups) || groups.length !== 1) return undefined;
  const [group] = groups as ManifestInstance[][];
  return group?.length === 1 ? group[0] : undefined;
}

async function* parts(
  catalogue: Pick<DicomwebCatalogue, "open">,
  groups: InstanceGroups,
): AsyncGenerator<Part> {
  for await (const group of groups) {
    for (const instance of group) {
      const contentType = `application/dicom; transfer-syntax=${instance.transferSyntaxUID}`;
      yield { contentType, body: await catalogue.open(instance) };
    }
  }
}
