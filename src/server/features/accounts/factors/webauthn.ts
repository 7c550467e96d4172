let loaded: ReturnType<typeof load> | undefined;

/** Loads the library at the first use of a passkey: it takes 27 MB and 0.1 s. */
export async function loadWebAuthn(): ReturnType<typeof load> {
  loaded ??= load();
  return await loaded;
}

async function load() {
  // Must load before the library's certificate reader, and a bundler preserves only the order of awaited imports.
  await import("reflect-metadata");
  const [server, helpers] = [
    await import("@simplewebauthn/server"),
    await import("@simplewebauthn/server/helpers"),
  ];
  return { ...server, ...helpers };
}
