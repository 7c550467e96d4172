import * as z from "zod/mini";
import { isoDate, isoTime } from "../dicom/date.ts";

const INVALID = "validation.invalid";
/** Ends the checks of a text that is no date at all, so that it is reported only once. */
const UNREADABLE = { error: INVALID, abort: true };

/** A day of the calendar as `YYYY-MM-DD`. The year 0, which ISO 8601 has and PostgreSQL lacks, is refused. */
export const daySchema = z.iso.date(UNREADABLE).check(z.refine(isDay, INVALID));
/** A day, or empty for none, as a form sends it. */
export const dayOrEmptySchema = z.union([z.literal(""), daySchema], UNREADABLE);

/** A day as {@link daySchema} has it, and after a `T` perhaps a time of day as `HH:MM` or `HH:MM:SS`. */
export const localDateTimeSchema = z.string().check(
  z.regex(/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?)?$/, UNREADABLE),
  z.refine((text) => {
    const [day = "", time] = text.split("T");
    return isDay(day) && (time === undefined || isoTime(time) !== null);
  }, INVALID),
);

/** Writes digits alone, as DICOM has them (`DA`, `DT`), in the form that the schemas above read. */
const separated = z.overwrite<string>((text) =>
  text
    .replace(/^(\d{4})(\d{2})(\d{2})/, "$1-$2-$3")
    .replace(/^(.{10})(\d{2})(\d{2})/, "$1T$2:$3")
    .replace(/^(.{16})(\d{2})$/, "$1:$2"),
);
/** A day as {@link daySchema} has it, or in 8 digits. */
export const writtenDaySchema = z.pipe(
  z.string(INVALID).check(z.regex(/^(\d{4}-\d{2}-\d{2}|\d{8})$/, UNREADABLE), separated),
  daySchema,
);
/** A date as {@link localDateTimeSchema} has it, or in 8, 12 or 14 digits. */
export const writtenDateTimeSchema = z.pipe(
  z
    .string(INVALID)
    .check(
      z.regex(/^(\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?)?|\d{8}(\d{4}(\d{2})?)?)$/, UNREADABLE),
      separated,
    ),
  localDateTimeSchema,
);

/** An instant as ISO 8601 with its offset, in the years 1 to 9999 of UTC. */
export const instantSchema = z.iso.datetime({ ...UNREADABLE, offset: true }).check(
  z.refine((text) => {
    const year = new Date(text).getUTCFullYear();
    return year >= 1 && year <= 9_999;
  }, INVALID),
);

function isDay(text: string): boolean {
  return isoDate(text.replaceAll("-", "")) !== null;
}
