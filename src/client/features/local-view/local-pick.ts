import type { LocalFile } from "../../visor/local/local-source.ts";
import type { Picked } from "../pick/picked-files.ts";

/** A choice that can be opened. */
export type LocalPick = Exclude<Picked, { kind: "refused" }>;

export function localFilesOf(picked: LocalPick): LocalFile[] {
  if (picked.kind === "zip") return [{ path: picked.file.name, blob: picked.file }];
  return picked.files.map(({ path, file }) => ({ path, blob: file }));
}

export function nameOfPick(picked: LocalPick): string {
  return picked.kind === "zip" ? picked.file.name : picked.name;
}
