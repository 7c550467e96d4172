import { loadOnce } from "../../../runtime/load-once.ts";

/** Loads the library at the first use of a passkey: it takes 27 MB and 0.1 s. */
export const loadWebAuthn = loadOnce(async () => {
  // Must load before the library's certificate reader, and a bundler preserves only the order of awaited imports.
  await import("reflect-metadata");
  const [server, helpers] = [
    await import("@simplewebauthn/server"),
    await import("@simplewebauthn/server/helpers"),
  ];
  return { ...server, ...helpers };
});
