let loaded: ReturnType<typeof load> | undefined;

/** The library, which takes 27 MB and 0.1 s: loaded by the first who wants a passkey. */
export async function loadWebAuthn(): ReturnType<typeof load> {
  loaded ??= load();
  return await loaded;
}

async function load() {
  // Must be there before the library's certificate reader, and a bundler keeps only the order of awaited imports.
  await import("reflect-metadata");
  const [server, helpers] = [
    await import("@simplewebauthn/server"),
    await import("@simplewebauthn/server/helpers"),
  ];
  return { ...server, ...helpers };
}
