import { crc32, deflateRawSync } from "node:zlib";

const FULL_16 = 0xffff;
const FULL_32 = 0xffffffff;

/** An entry of a ZIP made for a test; every field of its headers can be made false. */
export interface TestEntry {
  name: string | Uint8Array;
  content: Uint8Array;
  /** Bytes of no entry, in front of its local header. */
  gap?: Uint8Array;
  method?: number;
  /** The bytes in the archive, if they are neither the content nor its deflated form. */
  stored?: Uint8Array;
  flags?: number;
  /** Leaves CRC-32 and sizes out of the local header and puts them behind the data (APPNOTE §4.3.9), signature or not. */
  dataDescriptor?: boolean | "unsigned";
  /** Sizes and offset in ZIP64 extra fields, whether they need it or not. */
  zip64?: boolean;
  /** Further extra fields of both headers. */
  extra?: Uint8Array;
  /** False fields of the central header. */
  central?: {
    crc32?: number;
    sizeBytes?: number;
    storedBytes?: number;
    headerOffset?: number;
    method?: number;
    disk?: number;
    comment?: Uint8Array;
  };
  /** False fields of the local header. */
  local?: { method?: number; flags?: number; extra?: Uint8Array };
}

export interface TestZipOptions {
  prefix?: Uint8Array;
  comment?: Uint8Array;
  /** Numbers of the entries in the order of the directory; without it that of the file. */
  directory?: readonly number[];
  /** Bytes inside the directory, behind its headers. */
  directoryTail?: Uint8Array;
  /** Writes the ZIP64 end records, whether they are needed or not. */
  zip64?: boolean;
  end?: { disk?: number; entryCount?: number; centralBytes?: number; centralOffset?: number };
}

/** Writes a ZIP record by record, independently of the product's own code. */
export function writeTestZip(entries: readonly TestEntry[], options: TestZipOptions = {}): Uint8Array {
  const { prefix, comment, directoryTail = new Uint8Array(0), end = {} } = options;
  const parts: Uint8Array[] = [prefix ?? new Uint8Array(0)];
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
  const headers = order.map((number) => central[number] ?? new Uint8Array(0));
  const directory = Buffer.concat([...headers, directoryTail]);
  const fields = {
    disk: end.disk ?? 0,
    entryCount: end.entryCount ?? entries.length,
    centralBytes: end.centralBytes ?? directory.length,
    centralOffset: end.centralOffset ?? offset,
  };
  const wide = options.zip64 ? encodeZip64End(fields, offset + directory.length) : new Uint8Array(0);
  const record = encodeEnd(options.zip64 ? undefined : fields, comment ?? new Uint8Array(0));
  return Buffer.concat([...parts, directory, wide, record]);
}

type EndFields = Required<NonNullable<TestZipOptions["end"]>>;

function encodeEnd(fields: EndFields | undefined, comment: Uint8Array): Uint8Array {
  const record = Buffer.alloc(22);
  record.writeUInt32LE(0x06054b50, 0);
  record.writeUInt16LE(fields?.disk ?? 0, 4);
  record.writeUInt16LE(fields?.disk ?? 0, 6);
  record.writeUInt16LE(fields?.entryCount ?? FULL_16, 8);
  record.writeUInt16LE(fields?.entryCount ?? FULL_16, 10);
  record.writeUInt32LE(fields?.centralBytes ?? FULL_32, 12);
  record.writeUInt32LE(fields?.centralOffset ?? FULL_32, 16);
  record.writeUInt16LE(comment.length, 20);
  return Buffer.concat([record, comment]);
}

function encodeZip64End(fields: EndFields, offset: number): Uint8Array {
  const records = Buffer.alloc(56 + 20);
  records.writeUInt32LE(0x06064b50, 0);
  records.writeBigUInt64LE(44n, 4);
  records.writeUInt16LE(45, 12);
  records.writeUInt16LE(45, 14);
  records.writeUInt32LE(fields.disk, 16);
  records.writeUInt32LE(fields.disk, 20);
  records.writeBigUInt64LE(BigInt(fields.entryCount), 24);
  records.writeBigUInt64LE(BigInt(fields.entryCount), 32);
  records.writeBigUInt64LE(BigInt(fields.centralBytes), 40);
  records.writeBigUInt64LE(BigInt(fields.centralOffset), 48);
  records.writeUInt32LE(0x07064b50, 56);
  records.writeBigUInt64LE(BigInt(offset), 64);
  records.writeUInt32LE(1, 72);
  return records;
}

/** An extra field (APPNOTE §4.5.1). */
export function extraField(id: number, content: Uint8Array): Uint8Array {
  const header = Buffer.alloc(4);
  header.writeUInt16LE(id, 0);
  header.writeUInt16LE(content.length, 2);
  return Buffer.concat([header, content]);
}

function zip64Field(values: readonly number[]): Uint8Array {
  const content = Buffer.alloc(8 * values.length);
  for (const [i, value] of values.entries()) content.writeBigUInt64LE(BigInt(value), 8 * i);
  return extraField(1, content);
}

function encodeEntry(entry: TestEntry, offset: number): { local: Uint8Array; header: Uint8Array } {
  const { content, method = 0, flags = 0, dataDescriptor = false, zip64 = false } = entry;
  const { central = {}, local = {}, extra = new Uint8Array(0) } = entry;
  const name = typeof entry.name === "string" ? Buffer.from(entry.name) : entry.name;
  const stored = entry.stored ?? (method === 8 ? deflateRawSync(content) : content);
  const checksum = crc32(content);
  const allFlags = flags | (dataDescriptor ? 8 : 0);

  const localSizes = dataDescriptor ? [0, 0] : [content.length, stored.length];
  const localExtra = Buffer.concat([
    zip64 ? zip64Field(localSizes) : new Uint8Array(0),
    extra,
    local.extra ?? new Uint8Array(0),
  ]);
  const localHeader = Buffer.alloc(30);
  localHeader.writeUInt32LE(0x04034b50, 0);
  localHeader.writeUInt16LE(zip64 ? 45 : 20, 4);
  localHeader.writeUInt16LE(local.flags ?? allFlags, 6);
  localHeader.writeUInt16LE(local.method ?? method, 8);
  localHeader.writeUInt32LE(dataDescriptor ? 0 : checksum, 14);
  localHeader.writeUInt32LE(zip64 ? FULL_32 : (localSizes[1] ?? 0), 18);
  localHeader.writeUInt32LE(zip64 ? FULL_32 : (localSizes[0] ?? 0), 22);
  localHeader.writeUInt16LE(name.length, 26);
  localHeader.writeUInt16LE(localExtra.length, 28);

  const said = {
    sizeBytes: central.sizeBytes ?? content.length,
    storedBytes: central.storedBytes ?? stored.length,
    headerOffset: central.headerOffset ?? offset,
  };
  const comment = central.comment ?? new Uint8Array(0);
  const centralExtra = Buffer.concat([zip64 ? zip64Field(Object.values(said)) : new Uint8Array(0), extra]);
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(zip64 ? 45 : 20, 6);
  header.writeUInt16LE(allFlags, 8);
  header.writeUInt16LE(central.method ?? method, 10);
  header.writeUInt32LE(central.crc32 ?? checksum, 16);
  header.writeUInt32LE(zip64 ? FULL_32 : said.storedBytes, 20);
  header.writeUInt32LE(zip64 ? FULL_32 : said.sizeBytes, 24);
  header.writeUInt16LE(name.length, 28);
  header.writeUInt16LE(centralExtra.length, 30);
  header.writeUInt16LE(comment.length, 32);
  header.writeUInt16LE(central.disk ?? 0, 34);
  header.writeUInt32LE(zip64 ? FULL_32 : said.headerOffset, 42);
  const descriptor = dataDescriptor
    ? encodeDescriptor(checksum, [stored.length, content.length], {
        zip64,
        isSigned: dataDescriptor === true,
      })
    : new Uint8Array(0);
  return {
    local: Buffer.concat([localHeader, name, localExtra, stored, descriptor]),
    header: Buffer.concat([header, name, centralExtra, comment]),
  };
}

function encodeDescriptor(
  checksum: number,
  sizes: readonly number[],
  { zip64, isSigned }: { zip64: boolean; isSigned: boolean },
): Uint8Array {
  const descriptor = Buffer.alloc(8 + sizes.length * (zip64 ? 8 : 4));
  descriptor.writeUInt32LE(0x08074b50, 0);
  descriptor.writeUInt32LE(checksum, 4);
  for (const [i, size] of sizes.entries()) {
    if (zip64) descriptor.writeBigUInt64LE(BigInt(size), 8 + 8 * i);
    else descriptor.writeUInt32LE(size, 8 + 4 * i);
  }
  return descriptor.subarray(isSigned ? 0 : 4);
}
