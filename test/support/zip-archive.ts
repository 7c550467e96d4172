import { crc32, deflateRawSync } from "node:zlib";

/** An entry of a ZIP made for a test; every field of its headers can be made to lie. */
export interface TestEntry {
  name: string | Uint8Array;
  content: Uint8Array;
  /** Bytes of no entry, in front of its local header. */
  gap?: Uint8Array;
  method?: number;
  flags?: number;
  /** Leaves CRC-32 and sizes out of the local header and puts them behind the data (APPNOTE §4.3.9). */
  dataDescriptor?: boolean;
  /** What the central header says instead. */
  central?: {
    crc32?: number;
    sizeBytes?: number;
    storedBytes?: number;
    headerOffset?: number;
    method?: number;
  };
  /** What the local header says instead. */
  local?: { method?: number; flags?: number; extra?: Uint8Array };
}

export interface TestZipOptions {
  prefix?: Uint8Array;
  comment?: Uint8Array;
  /** Numbers of the entries in the order of the directory; without it that of the file. */
  directory?: readonly number[];
  end?: { disk?: number; entryCount?: number; centralBytes?: number; centralOffset?: number };
}

/** Writes a ZIP record by record, independently of the server's own code. */
export function writeTestZip(entries: readonly TestEntry[], options: TestZipOptions = {}): Uint8Array {
  const { prefix = new Uint8Array(0), comment = new Uint8Array(0), end = {} } = options;
  const parts: Uint8Array[] = [];
  const central: Uint8Array[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { gap = new Uint8Array(0) } = entry;
    const { local, header } = encodeEntry(entry, offset + gap.length);
    parts.push(gap, local);
    central.push(header);
    offset += gap.length + local.length;
  }
  const order = options.directory ?? central.keys().toArray();
  const directory = Buffer.concat(order.map((number) => central[number] ?? new Uint8Array(0)));
  const record = Buffer.alloc(22);
  record.writeUInt32LE(0x06054b50, 0);
  record.writeUInt16LE(end.disk ?? 0, 4);
  record.writeUInt16LE(end.disk ?? 0, 6);
  record.writeUInt16LE(end.entryCount ?? entries.length, 8);
  record.writeUInt16LE(end.entryCount ?? entries.length, 10);
  record.writeUInt32LE(end.centralBytes ?? directory.length, 12);
  record.writeUInt32LE(end.centralOffset ?? offset, 16);
  record.writeUInt16LE(comment.length, 20);
  return Buffer.concat([prefix, ...parts, directory, record, comment]);
}

function encodeEntry(entry: TestEntry, offset: number): { local: Uint8Array; header: Uint8Array } {
  const { content, method = 0, flags = 0, dataDescriptor = false, central = {}, local = {} } = entry;
  const name = typeof entry.name === "string" ? Buffer.from(entry.name) : entry.name;
  const stored = method === 8 ? deflateRawSync(content) : content;
  const checksum = crc32(content);
  const allFlags = flags | (dataDescriptor ? 8 : 0);

  const localHeader = Buffer.alloc(30);
  localHeader.writeUInt32LE(0x04034b50, 0);
  localHeader.writeUInt16LE(20, 4);
  localHeader.writeUInt16LE(local.flags ?? allFlags, 6);
  localHeader.writeUInt16LE(local.method ?? method, 8);
  if (!dataDescriptor) {
    localHeader.writeUInt32LE(checksum, 14);
    localHeader.writeUInt32LE(stored.length, 18);
    localHeader.writeUInt32LE(content.length, 22);
  }
  localHeader.writeUInt16LE(name.length, 26);
  localHeader.writeUInt16LE(local.extra?.length ?? 0, 28);
  const descriptor = Buffer.alloc(dataDescriptor ? 16 : 0);
  if (dataDescriptor) {
    descriptor.writeUInt32LE(0x08074b50, 0);
    descriptor.writeUInt32LE(checksum, 4);
    descriptor.writeUInt32LE(stored.length, 8);
    descriptor.writeUInt32LE(content.length, 12);
  }

  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(20, 6);
  header.writeUInt16LE(allFlags, 8);
  header.writeUInt16LE(central.method ?? method, 10);
  header.writeUInt32LE(central.crc32 ?? checksum, 16);
  header.writeUInt32LE(central.storedBytes ?? stored.length, 20);
  header.writeUInt32LE(central.sizeBytes ?? content.length, 24);
  header.writeUInt16LE(name.length, 28);
  header.writeUInt32LE(central.headerOffset ?? offset, 42);
  return {
    local: Buffer.concat([localHeader, name, local.extra ?? new Uint8Array(0), stored, descriptor]),
    header: Buffer.concat([header, name]),
  };
}
