/*
 * Which files of an upload are left out for their names. A rule is about the name of the file alone: what lies in a folder
 * called `fotos.jpg_originais` is not left out for that.
 */

/** Left out of a folder before it is packed, in any case: what discs carry beside their images. */
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
/** Left out of a ZIP, as written here: a name in capitals is looked into, since its bytes have arrived anyway. */
const IN_ZIP = [".jpg", ".txt"];

/** Whether a file of a folder is left out for its name. */
export function isSkippedInFolder(path: string): boolean {
  return containsAny(baseName(path).toLowerCase(), IN_FOLDER);
}

/** Whether an entry of a ZIP is left out for its name. */
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
