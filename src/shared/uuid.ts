const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** When a UUIDv7 was made. */
export function timeOfUuid(uuid: string): Date {
  return new Date(Number.parseInt(uuid.replaceAll("-", "").slice(0, 12), 16));
}

/** The UUIDv7 of what was made at `at` and is counted: its random bits are the count, which is unique (RFC 9562 §6.2). */
export function uuidOf(at: Date, count: number): string {
  const time = at.getTime().toString(16).padStart(12, "0");
  const random = count.toString(16).padStart(15, "0");
  return [time.slice(0, 8), time.slice(8), "7000", `8${random.slice(0, 3)}`, random.slice(3)].join("-");
}
