import { closeSync, ftruncateSync, openSync } from "node:fs";
import { FULL_32, LOCAL_HEADER_BYTES, LOCAL_SIGNATURE, viewOf } from "../../../../shared/zip/zip-format.ts";
import { readFully, writeFully } from "../../../archive/file-window.ts";
import { encodeCentralHeader, encodeEndRecords } from "../../../archive/zip-encode.ts";
import { BytesLost } from "./arriving-bytes.ts";

/**
 * Appends a directory to the first `sizeBytes` of a file: whole stored entries, as an upload that grows has them. Cuts off what follows
 * them, such as a directory of an earlier run. Returns the size of the ZIP.
 * @throws {BytesLost} if the entries do not end at `sizeBytes`
 */
export function endWithDirectory(path: string, sizeBytes: number): number {
  const fd = openSync(path, "r+");
  try {
    const central: Uint8Array[] = [];
    for (let at = 0; at < sizeBytes; ) {
      const { entry, length } = entryAt(fd, at);
      central.push(encodeCentralHeader(entry, at));
      at += length;
      if (at > sizeBytes) throw new BytesLost("an entry ends early");
    }
    const centralBytes = central.reduce((sum, { length }) => sum + length, 0);
    const end = encodeEndRecords({ entryCount: central.length, centralBytes, centralOffset: sizeBytes });
    const directory = Buffer.concat([...central, end]);
    ftruncateSync(fd, sizeBytes);
    writeFully(fd, directory, sizeBytes);
    return sizeBytes + directory.length;
  } finally {
    closeSync(fd);
  }
}

function entryAt(fd: number, at: number) {
  const header = new Uint8Array(LOCAL_HEADER_BYTES);
  const isRead = readFully(fd, header, at, LOCAL_HEADER_BYTES) === LOCAL_HEADER_BYTES;
  const view = viewOf(header);
  if (!isRead || view.getUint32(0, true) !== LOCAL_SIGNATURE) throw new BytesLost("an entry is missing");
  const nameBytes = view.getUint16(26, true);
  const extraBytes = view.getUint16(28, true);
  const rest = new Uint8Array(nameBytes + extraBytes);
  if (readFully(fd, rest, at + LOCAL_HEADER_BYTES, rest.length) !== rest.length)
    throw new BytesLost("a header is truncated");
  // Sizes that need ZIP64 are in the extra field's first value (APPNOTE §4.5.3).
  const size = view.getUint32(22, true);
  const sizeBytes = size === FULL_32 ? Number(viewOf(rest).getBigUint64(nameBytes + 4, true)) : size;
  const name = Buffer.from(rest.subarray(0, nameBytes)).toString("latin1");
  const entry = {
    name,
    method: 0,
    crc32: view.getUint32(14, true),
    storedBytes: sizeBytes,
    sizeBytes,
  } as const;
  return { entry, length: LOCAL_HEADER_BYTES + rest.length + sizeBytes };
}
