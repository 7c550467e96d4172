/*
 * Which files of an upload are skipped because of their names. A rule applies to the name of the file alone: the files
 * of a folder called `fotos.jpg_originais` are not skipped.
 */

/** Skipped in a folder before it is packed, in any case: what discs contain beside their images. */
const IN_FOLDER = [
  ".jpg",
  ".zip",
  ".dll",
  ".ini",
  ".ssm",
  ".inf",
  ".rtf",
  ".txt",
  ".res",
  ".exe",
  ".pdf",
  ".js",
];
/** Skipped in a ZIP, in this case only: an entry with a name in capitals is read, because its bytes have arrived anyway. */
const IN_ZIP = [".jpg", ".txt"];

/** Whether a file of a folder is skipped because of its name. */
export function isSkippedInFolder(path: string): boolean {
  return containsAny(baseName(path).toLowerCase(), IN_FOLDER);
}

/** Whether an entry of a ZIP is skipped because of its name. */
export function isSkippedInZip(path: string): boolean {
  return containsAny(baseName(path), IN_ZIP);
}

/** The name of a file without its folders. Some programs on Windows write backslashes into a ZIP. */
export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

function containsAny(name: string, parts: readonly string[]): boolean {
  return parts.some((part) => name.includes(part));
}
