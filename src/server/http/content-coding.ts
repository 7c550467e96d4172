/** Content codings we can produce, as RFC 9110 §8.4.1 and RFC 8878 name them. */
export type ContentCoding = "br" | "gzip" | "zstd" | "identity";

const MAX_HEADER_LENGTH = 1_000;

/**
 * Picks the coding with the client's highest weight, and among equals the first of `offered`. A coding that the client
 * does not name is not used; `*` stands for gzip alone, since programs that write it can't undo every coding. `identity` remains if
 * nothing else fits: like most servers we send it even to a client that forbids it, instead of a 406 (RFC 9110 §12.5.3).
 */
export function negotiateCoding<Offered extends ContentCoding>(
  acceptEncoding: string | null | undefined,
  offered: readonly Offered[],
): Offered | "identity" {
  if (!acceptEncoding || acceptEncoding.length > MAX_HEADER_LENGTH) return "identity";
  const weights = parseWeights(acceptEncoding);
  let best: Offered | "identity" = "identity";
  let bestWeight = 0;
  for (const coding of offered) {
    const weight = weights.get(coding) ?? (coding === "gzip" ? weights.get("*") : undefined) ?? 0;
    if (weight > bestWeight) {
      best = coding;
      bestWeight = weight;
    }
  }
  return best;
}

function parseWeights(acceptEncoding: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.split(",")) {
    const [coding = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    const weight = quality ? Number.parseFloat(quality.slice(2)) : 1;
    if (coding) weights.set(coding === "x-gzip" ? "gzip" : coding, Number.isNaN(weight) ? 0 : weight);
  }
  return weights;
}
