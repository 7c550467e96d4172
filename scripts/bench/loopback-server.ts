/** The best that loopback HTTP can do here: `loopback-server.ts FILE` answers `/file` with that file and `/frame` with 512 KiB. */
const file = process.argv[2] ?? "";
const frame = new Uint8Array(512 * 1024);

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(request) {
    return new URL(request.url).pathname === "/file" ? new Response(Bun.file(file)) : new Response(frame);
  },
});
console.log(server.url.origin);
