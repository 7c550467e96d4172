import { TransferSyntax } from "../../../../shared/dicom/transfer-syntax.ts";
import type { ManifestInstance } from "../../../archive/manifest.ts";
import { giveUp, piecesOf } from "../../../archive/pieces.ts";
import { AppError } from "../../../http/app-error.ts";
import { notAcceptable } from "../../../http/http.errors.ts";
import { holding, streamOf } from "../../../http/stream-of.ts";
import { continueFrom } from "../../../runtime/continue-from.ts";
import { readAhead, SMALL_AHEAD } from "../../../runtime/read-ahead.ts";
import { archiveHeaders } from "../answers/archive-headers.ts";
import {
  namedInstances,
  negotiateInstances,
  type Representation,
  takesInstanceIn,
} from "../answers/media-types.ts";
import { multipartRelated, type Part } from "../answers/multipart-related.ts";
import type { InstancesOfSeries } from "../catalogue/catalogue-paths.ts";
import type { AskedDecoding, PlaceForLater } from "../decoded/decoding.ts";
import type { Bytes, InstanceBytes } from "../dicomweb.catalogue.ts";
import { explicitFile, isLongDataSet, type WrittenFile } from "./explicit-file.ts";
import { EXPLICIT_TYPE, explicitInstanceResponse } from "./explicit-instance.ts";
import { fileType, fileVersion } from "./file-answer.ts";

type Instances = Pick<InstanceBytes, "open" | "read">;
type InstanceGroups = Iterable<InstancesOfSeries> | AsyncIterable<InstancesOfSeries>;

/** The value of `ETag` for one instance in the form that the client takes. @throws {AppError} 406 */
export function instanceVersion(instance: ManifestInstance, accept: string | undefined): string {
  const { volumeId, dataOffset, transferSyntaxUID } = instance;
  return fileVersion(`${volumeId}.${dataOffset}`, negotiateInstances(accept, transferSyntaxUID));
}

interface InstancesRequest {
  accept: string | undefined;
  /** Called before the first byte, when it is certain that bytes will be sent. */
  allow: () => Promise<void>;
  /** Writes instances as Explicit VR Little Endian for a client that names it, where they can be so written. */
  written?: AskedDecoding | undefined;
}

/**
 * Streams instances bit for bit as they were sent (PS3.18 §10.4.1.1.1–3), unless they are to be written anew. A single instance may also be
 * requested as a bare `application/dicom` body; unless it is very large it is checked before the first byte.
 * @throws {AppError} 406 if the client accepts neither form, or wants several instances as a bare body
 * @throws {InstanceDamaged}
 */
export async function instancesResponse(
  catalogue: InstanceBytes,
  groups: InstanceGroups,
  { accept, allow, written }: InstancesRequest,
): Promise<Response> {
  const only = onlyInstance(groups);
  const named = written && namedExplicit(accept, only?.transferSyntaxUID ?? "");
  if (only && written && named?.multipart === false) {
    const response = await explicitInstanceResponse(catalogue, only, named, written, allow);
    if (response) return response;
  }
  const isInParts = named && (named.multipart || !only);
  const explicit = isInParts && written ? writingExplicit(catalogue, accept, written) : undefined;
  const { multipart, type } =
    explicit && only && named ? named : negotiateInstances(accept, only?.transferSyntaxUID);
  if (!multipart && !only) throw new AppError(notAcceptable);
  const checked = explicit ? undefined : only && (await readChecked(catalogue, only));
  if (multipart || !only) {
    const all = parts(catalogue, groups, { checked, explicit });
    const { contentType, body } = multipartRelated(type, await allowed(all, allow, explicit !== undefined));
    const sent = explicit ? holding(explicit.place, body) : body;
    return new Response(sent, { headers: { ...archiveHeaders(contentType), Vary: "Accept" } });
  }
  await allow();
  return new Response((checked ?? (await catalogue.open(only))) as BodyInit, {
    headers: {
      ...archiveHeaders(fileType(type, only.transferSyntaxUID)),
      "Content-Length": String(only.sizeBytes),
      Vary: "Accept",
    },
  });
}

/**
 * Refuses to send instances of which the client takes none as it is stored or can be written (PS3.18 table 10.4.3-1). Reads the groups
 * only for a client that takes nothing but syntaxes that it names.
 * @throws {AppError} 406
 */
export async function assertTakesSome(
  accept: string | undefined,
  groups: InstanceGroups,
  written: AskedDecoding | undefined,
): Promise<void> {
  negotiateInstances(accept);
  if (takesInstanceIn(accept, written ? [TransferSyntax.explicitLittleEndian] : [])) return;
  for await (const { instances } of groups)
    if (instances.some(({ transferSyntaxUID }) => takesInstanceIn(accept, [transferSyntaxUID]))) return;
  throw new AppError(notAcceptable);
}

/** The parts, once they are allowed. What can't be read at all fails before; what is decoded first is not begun for nothing. */
async function allowed(
  all: AsyncGenerator<Part, void>,
  allow: () => Promise<void>,
  isDecoded: boolean,
): Promise<AsyncGenerator<Part, void>> {
  const first = isDecoded ? undefined : await all.next();
  try {
    await allow();
  } catch (error) {
    await all.return(undefined);
    throw error;
  }
  return first ? continueFrom(first, all) : all;
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
  const [group] = groups as InstancesOfSeries[];
  return group?.instances.length === 1 ? group.instances[0] : undefined;
}

interface Written {
  /** The bytes of the only instance, if they were read already. */
  checked: Uint8Array | undefined;
  explicit: WritingExplicit | undefined;
}

async function* parts(
  catalogue: Instances,
  groups: InstanceGroups,
  { checked, explicit }: Written,
): AsyncGenerator<Part, void> {
  if (!explicit) return yield* storedParts(catalogue, groups, checked);
  for await (const listed of listedIn(groups)) {
    await using file = await explicit.write(listed.instance);
    if (file) yield { contentType: EXPLICIT_TYPE, location: listed.location, body: streamOf(file.pieces) };
    else yield* storedPart(listed, await catalogue.open(listed.instance));
  }
}

/** Parts as instances are stored. The next small ones are read meanwhile: each waits for the store. */
async function* storedParts(
  catalogue: Instances,
  groups: InstanceGroups,
  checked: Uint8Array | undefined,
): AsyncGenerator<Part, void> {
  const open = async ({ instance }: ListedInstance): Promise<Bytes> =>
    checked ?? (await catalogue.open(instance));
  const bytesOf = ({ instance }: ListedInstance) => Math.max(instance.sizeBytes, instance.storedBytes);
  const opened = readAhead(listedIn(groups), open, { ...SMALL_AHEAD, bytesOf, discard: giveUp });
  for await (const { item, result } of opened) yield* storedPart(item, await result);
}

async function* storedPart({ instance, location }: ListedInstance, body: Bytes): AsyncGenerator<Part, void> {
  try {
    yield {
      contentType: `application/dicom; transfer-syntax=${instance.transferSyntaxUID}`,
      location,
      body,
    };
  } finally {
    // Not allowed, or its reader left before it.
    await giveUp(body);
  }
}

interface ListedInstance {
  instance: ManifestInstance;
  location: string | undefined;
}

async function* listedIn(groups: InstanceGroups): AsyncGenerator<ListedInstance> {
  for await (const { instances, url } of groups)
    for (const instance of instances)
      yield { instance, location: url && `${url}/instances/${instance.sopInstanceUID}` };
}

/** How an answer writes instances as Explicit VR Little Endian. */
interface WritingExplicit {
  /** Returns undefined if the client takes an instance as it is stored, or if it can't be so written. */
  write(instance: ManifestInstance): Promise<WrittenFile | undefined>;
  /** Which it takes before it decodes, or writes a long data set. */
  place: PlaceForLater;
}

/** How the client takes an instance as Explicit VR Little Endian; undefined if it does not name that syntax, or likes the stored one. */
function namedExplicit(accept: string | undefined, stored: string): Representation | undefined {
  return namedInstances(accept, stored, [TransferSyntax.explicitLittleEndian])[0];
}

function writingExplicit(
  reader: InstanceBytes,
  accept: string | undefined,
  { decoding, asker }: AskedDecoding,
): WritingExplicit {
  const place = decoding.placeForLater(asker);
  return {
    place,
    async write(instance) {
      if (!namedExplicit(accept, instance.transferSyntaxUID)) return undefined;
      if (isLongDataSet(instance)) await place.taken();
      return await explicitFile(reader, instance, async (frameIndex) => {
        await place.taken();
        return await decoding.next({ instance, frameIndex, asDescribed: false }, asker);
      });
    },
  };
}
