/** Bounds a chain that leads back to itself. */
const MAX_CAUSES = 5;

/** An error and what caused it, outermost first. */
export function* causesOf(error: unknown): Generator<Error> {
  for (
    let inner = error, depth = 0;
    inner instanceof Error && depth < MAX_CAUSES;
    inner = inner.cause, depth++
  )
    yield inner;
}
