/** What is accepted as a UID: 1 to 64 digits and dots. Real archives do not keep the stricter rules. */
export const UID = /^[0-9.]{1,64}$/;

export function isUid(text: string): boolean {
  return UID.test(text);
}
