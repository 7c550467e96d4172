import { findChromium } from "../../test/support/browser.ts";

/** Installs Debian's Chromium for the browser tests if it is missing and the account may install it; else says what to do. */
export function ensureChromium(): void {
  if (findChromium()) return;
  if (process.getuid?.() !== 0 || !Bun.which("apt-get")) {
    console.error("The browser tests need Chromium: install it, or name one in CHROMIUM_PATH.");
    return;
  }
  console.error("Installing Chromium…");
  for (const args of [
    ["update", "-qq"],
    ["install", "-y", "-qq", "--no-install-recommends", "chromium"],
  ]) {
    const { exitCode } = Bun.spawnSync(["apt-get", ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
      stdio: ["ignore", "ignore", "inherit"],
    });
    if (exitCode !== 0) console.error(`This failed: apt-get ${args.join(" ")}`);
  }
}

if (import.meta.main) ensureChromium();
