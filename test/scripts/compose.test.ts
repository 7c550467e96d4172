import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readConfig } from "../../src/server/config.ts";
import { readComposeFile } from "../support/compose-file.ts";

const deploy = join(resolve(import.meta.dir, "../.."), "deploy");
const settings = {
  ...{ DOMAIN: "exames.example.com", VIEWER_DOMAIN: "visor.example.com", ADMIN_EMAIL: "admin@example.com" },
  ...{ POSTGRES_PASSWORD: "segredo", AUTH_SECRET: "z".repeat(40) },
  ...{ S3_ACCESS_KEY_ID: "id", S3_SECRET_ACCESS_KEY: "key" },
  ...{ SMTP_URL: "smtps://user:password@smtp.example.com", MAIL_FROM: "Exames <exames@example.com>" },
};

test("mails of both compose files come from the sender that the operator names", () => {
  for (const [file, service] of [
    ["compose.yaml", "app"],
    ["compose.nodes.yaml", "node1"],
  ] as const) {
    const { environment } = readComposeFile(join(deploy, file), settings)[service] ?? {};
    expect([file, readConfig(environment ?? {}).mailFrom]).toEqual([file, settings.MAIL_FROM]);
  }
});

test("the example of two nodes names a command for each secret, whose output fits where it goes", () => {
  const example = readFileSync(join(deploy, "nodes.env.example"), "utf8");
  expect(example).toMatch(/openssl rand -hex \d+\nPOSTGRES_PASSWORD=\n/);
  expect(example).toMatch(/openssl rand -base64 48\nAUTH_SECRET=\n/);
});
