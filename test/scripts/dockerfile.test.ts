import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Hono } from "hono";
import { healthCommand, parseDockerfile } from "../../scripts/build/dockerfile.ts";

const dockerfile = readFileSync(join(resolve(import.meta.dir, "../.."), "deploy/Dockerfile"), "utf8");

test("a Dockerfile is read stage by stage, without comments and with continued lines joined", () => {
  const text = "# syntax\nFROM a AS build\nRUN one \\\n && two\n\nfrom b\nCOPY --from=build /src/x /y\n";
  expect(parseDockerfile(text)).toEqual([
    [
      { name: "FROM", text: "a AS build" },
      { name: "RUN", text: "one   && two" },
    ],
    [
      { name: "FROM", text: "b" },
      { name: "COPY", text: "--from=build /src/x /y" },
    ],
  ]);
});

test("the image has the executable alone and runs as an ordinary user", () => {
  const stages = parseDockerfile(dockerfile);
  const last = stages.at(-1) ?? [];
  const copied = last.filter(({ name }) => name === "COPY" || name === "ADD").map(({ text }) => text);
  expect(copied).toEqual([
    "--from=build --chmod=0755 /src/dist/exameteca-linux-$TARGETARCH /usr/local/bin/exameteca",
  ]);
  expect(last.filter(({ name }) => name === "USER")).toEqual([{ name: "USER", text: "exameteca" }]);
});

test("the image's health check passes only if the program is healthy", async () => {
  const statuses = [200, 503] as const;
  const app = new Hono().get("/api/health", (context) => context.text("", statuses[asked++]));
  let asked = 0;
  await using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: app.fetch });
  const command = healthCommand(parseDockerfile(dockerfile).at(-1) ?? []);
  const check = () => Bun.spawn(command, { env: { ...process.env, PORT: String(server.port) } }).exited;
  expect(await check()).toBe(0);
  expect(await check()).not.toBe(0);
  expect(asked).toBe(2);
});
