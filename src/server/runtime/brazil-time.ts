import { DAY_MS } from "../../shared/units.ts";

/** Brazil's offset from UTC, all year since 2019. */
export const BRAZIL_OFFSET_MS = -3 * 3600_000;

/** The last midnight in Brazil. */
export function startOfDayInBrazil(now: Date): Date {
  const sinceMidnight = (now.getTime() + BRAZIL_OFFSET_MS) % DAY_MS;
  return new Date(now.getTime() - sinceMidnight);
}

/** The day that it is in Brazil, `YYYY-MM-DD`. */
export function dayInBrazil(now: Date): string {
  return new Date(now.getTime() + BRAZIL_OFFSET_MS).toISOString().slice(0, 10);
}
