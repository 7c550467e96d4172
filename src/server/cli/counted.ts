/** `1 object`, `2 objects`; `many` where the plural adds more than an s. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
