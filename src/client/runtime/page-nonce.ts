/** The nonce of the page's content security policy, for styles inserted at run time. */
export function pageNonce(): string | undefined {
  return document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce || undefined;
}
