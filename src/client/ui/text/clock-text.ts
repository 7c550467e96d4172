/** A span of time, rounded up to seconds: `125_000` is `2:05`, or `02:05` with two digits for the minutes. */
export function clockText(milliseconds: number, { minuteDigits = 1 } = {}): string {
  const seconds = Math.ceil(milliseconds / 1000);
  const minutes = String(Math.floor(seconds / 60)).padStart(minuteDigits, "0");
  return `${minutes}:${String(seconds % 60).padStart(2, "0")}`;
}
