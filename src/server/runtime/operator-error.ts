/** An error whose message tells whoever runs the program what to do; it quotes nobody's data. */
export class OperatorError extends Error {
  override name = "OperatorError";
}
