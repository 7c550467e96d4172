/** The id of an object's upload, with which its key begins. */
export function uploadOfKey(key: string): string {
  return key.split("/", 1)[0] ?? "";
}
