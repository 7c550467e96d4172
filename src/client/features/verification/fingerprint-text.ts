/** A root in groups of four digits, as on the paper. */
export function fingerprintText(root: string): string {
  return root.match(/.{1,4}/g)?.join(" ") ?? "";
}
