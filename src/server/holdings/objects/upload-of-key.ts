/** The upload that an object came with: keys begin with its id. */
export function uploadOfKey(key: string): string {
  return key.split("/", 1)[0] ?? "";
}
