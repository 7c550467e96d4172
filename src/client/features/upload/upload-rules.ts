const SKIPPED_IN_FOLDER = [
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
const SKIPPED_IN_ZIP = [".jpg", ".txt"];

/** The name under which a packed folder is sent. */
export const PACKED_FOLDER_NAME = "dicom_files.zip";

/** The format's limit without ZIP64, which the packer does not write. */
export const MAX_FOLDER_FILES = 65_535;

export function isZipName(name: string): boolean {
  return name.toLowerCase().endsWith(".zip");
}

/** Whether a file of a folder is left out for its name; the folders above it don't count. */
export function isSkippedInFolder(path: string): boolean {
  return containsAny(baseName(path), SKIPPED_IN_FOLDER);
}

/** Whether an entry of a ZIP is a directory or left out for its name. */
export function isSkippedInZip(path: string): boolean {
  return path.endsWith("/") || containsAny(baseName(path), SKIPPED_IN_ZIP);
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).toLowerCase();
}

function containsAny(name: string, parts: readonly string[]): boolean {
  return parts.some((part) => name.includes(part));
}
