import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { BlockList } from "node:net";
import { join, resolve } from "node:path";
import { readConfig } from "../../src/server/config.ts";
import { readComposeFile } from "../support/network/compose-file.ts";

interface NodesFile {
  services: Record<string, { environment?: Record<string, string>; networks?: unknown }>;
  networks: { inside: { ipam: { config: { subnet: string; ip_range: string }[] } } };
}

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

test("no other container can get the address that the nodes trust", () => {
  const { services, networks } = Bun.YAML.parse(
    readFileSync(join(deploy, "compose.nodes.yaml"), "utf8"),
  ) as NodesFile;
  const trusted = services.node1?.environment?.TRUST_PROXY;
  const [pool] = networks.inside.ipam.config;
  expect(services.caddy?.networks).toEqual({ inside: { ipv4_address: trusted } });
  expect([isWithin(pool?.subnet, trusted), isWithin(pool?.ip_range, trusted)]).toEqual([true, false]);
});

test("the example of two nodes names a command for each secret, whose output fits where it goes", () => {
  const example = readFileSync(join(deploy, "nodes.env.example"), "utf8");
  expect(example).toMatch(/openssl rand -hex \d+\nPOSTGRES_PASSWORD=\n/);
  expect(example).toMatch(/openssl rand -base64 48\nAUTH_SECRET=\n/);
});

function isWithin(range = "", address = ""): boolean {
  const [network = "", bits] = range.split("/");
  const list = new BlockList();
  list.addSubnet(network, Number(bits));
  return list.check(address);
}
