import { locateInBlob } from "../../../../shared/zip/open-zip-blob.ts";
import type { ZipEntry } from "../../../../shared/zip/zip-entry.ts";
import { METHOD_STORED } from "../../../../shared/zip/zip-format.ts";
import type { FilmFile } from "../contact-sheet/film-files.ts";
import { inflateHead } from "./inflate-head.ts";

/** The first bytes of an entry's content, at most `maxBytes`; undefined if the browser can't read the entry. */
export async function readEntryHead(
  file: Blob,
  entry: ZipEntry,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const located = await locateInBlob(file, entry);
  if (!located.ok) return undefined;
  const { offset, length, method } = located.data;
  const end = offset + Math.min(length, maxBytes);
  const bytes = new Uint8Array(await file.slice(offset, end).arrayBuffer());
  return method === METHOD_STORED ? bytes : inflateHead(bytes, maxBytes);
}

/** The same of a picked file, in a ZIP or not. */
export async function readFileHead(
  { file, entry }: FilmFile,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  if (entry) return readEntryHead(file, entry, maxBytes);
  return new Uint8Array(await file.slice(0, maxBytes).arrayBuffer());
}
