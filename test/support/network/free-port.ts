/** A port of loopback that nobody has at this moment. */
export async function freePort(): Promise<number> {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port = 0 } = server;
  await server.stop(true);
  return port;
}
