const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** When a UUIDv7 was made. */
export function timeOfUuid(uuid: string): Date {
  return new Date(Number.parseInt(uuid.replaceAll("-", "").slice(0, 12), 16));
}
