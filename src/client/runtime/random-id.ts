/** An identifier that nobody guesses; `crypto.randomUUID` exists only where the page came by TLS. */
export function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("-");
}
