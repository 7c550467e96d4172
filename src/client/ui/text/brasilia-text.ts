import { calendarText } from "./moment-text.ts";

/** A moment as the clocks of Brasília show it, by which receipts say when: its ISO 8601 day, and its time with seconds. */
export function inBrasilia(moment: string): { day: string; time: string } {
  // Swedish writes days and times as ISO 8601 does.
  const [day = "", time = ""] = new Date(moment)
    .toLocaleString("sv-SE", { timeZone: "America/Sao_Paulo" })
    .split(" ");
  return { day, time };
}

/** {@link inBrasilia} as `14-11-2026, 09:05:10`, or `14-Nov-2026, 09:05:10` in English. */
export function brasiliaText(moment: string): string {
  const { day, time } = inBrasilia(moment);
  return `${calendarText(day)}, ${time}`;
}
