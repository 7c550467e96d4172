/** A moment where the reader is, as `14-11-2026 09:05`. */
export function momentText(moment: string): string {
  const date = new Date(moment);
  const two = (number: number) => String(number).padStart(2, "0");
  const day = `${two(date.getDate())}-${two(date.getMonth() + 1)}-${date.getFullYear()}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/**
 * A moment in full: `14 de novembro de 2026 às 09:05`, or `November 14, 2026 at 09:05 AM`. Empty for what is none:
 * nothing, the word "null", a date that can't be read.
 */
export function longMomentText(moment: string | null | undefined, locale: string): string {
  if (!moment || moment === "null" || Number.isNaN(Date.parse(moment))) return "";
  return new Intl.DateTimeFormat(locale, {
    ...{ year: "numeric", month: "long", day: "numeric" },
    ...{ hour: "2-digit", minute: "2-digit" },
  }).format(new Date(moment));
}
