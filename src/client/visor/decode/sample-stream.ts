/**
 * A lossless HTJ2K stream (RPCL, five decompositions) of 32 × 32 signed samples of 16 bits, as the server makes its copies: the sample
 * at a row and column is `3 * column + row`.
 */
const BASE64 =
  "/0//UQApQAAAAAAgAAAAIAAAAAAAAAAAAAAAIAAAACAAAAAAAAAAAAABjwEB/1AACAACAAAACv9SAAwAAgABAAUEBEAB/1wAEyCIkJCQkJCQkJCQkJCQiIiI/2QAFwABT3BlbkpQSCBWZXIgMC4zMS4wLv9VACgAYAAAAAAAFgAAAAAAHwAAAAAAIAAAAAAAIwAAAAAAKQAAAAAAMf+QAAoAAAAAABYABv+TwAAlyACHdAD/kAAKAAAAAAAfAQb/k8AAEsAAEoDsAId0AOIAB3QA/5AACgAAAAAAIAIG/5PAABNAABKA1v4AAnQAEP4zUwD/kAAKAAAAAAAjAwb/k8AAE8AAE4CqqqCnwnUACODASey1AP+QAAoAAAAAACkEBv+TwAAVcAAFSCRJkufAp6enQngAAv79h+/f7LcA/5AACgAAAAAAMQUG/5PAAC0IAAVgAAAAAPn/Kenp6enp6eJ8AAAA/3hjrrrrrrqaAP/Z";

export function sampleStream(): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(BASE64), (letter) => letter.charCodeAt(0));
}
