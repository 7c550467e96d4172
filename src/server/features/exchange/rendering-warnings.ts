/** Parameters that no picture follows here (PS3.18 §8.3.5.1.1 and §8.3.5.1.5), and the value of each that asks for nothing. */
const NOT_DRAWN = { annotation: undefined, iccprofile: "no" } as const;
/** Any other value is not named, since headers have no place for it. */
const KEYWORD = /^\w{1,16}$/;
const MAX_NAMED = 8;

/**
 * The values of `Warning` that name what a picture lacks of its request: pictures are not annotated, and their colours are those of
 * the image. Values that the standard does not have are named like those it has, as requests with them were always answered.
 */
export function renderingWarnings(parameters: URLSearchParams): string[] {
  return Object.entries(NOT_DRAWN).flatMap(([name, nothing]) => {
    const values = parameters.getAll(name).flatMap((value) => value.split(","));
    const missing = new Set(values.filter((value) => value !== "" && value !== nothing));
    if (missing.size === 0) return [];
    const named = [...missing].filter((value) => KEYWORD.test(value)).slice(0, MAX_NAMED);
    return `299 dicomweb "The following ${name} values are not supported: ${named.join(", ") || "all"}"`;
  });
}
