import { basename } from "node:path";
import { findChromium } from "../../test/support/browser/browser.ts";

/** By preference; some releases have only the second. */
const PACKAGES = ["chromium-headless-shell", "chromium"];

/**
 * Installs Debian's Chromium for the browser tests if the account may install it; else says what to do. The headless shell is installed
 * beside a whole Chromium too, since it takes half the time for a page.
 */
function ensureChromium(): void {
  const found = findChromium();
  if (found && (process.env.CHROMIUM_PATH || basename(found) === PACKAGES[0])) return;
  if (process.getuid?.() !== 0 || !Bun.which("apt-get")) {
    if (!found) console.error("The browser tests need Chromium: install it, or name one in CHROMIUM_PATH.");
    return;
  }
  console.error("Installing Chromium…");
  runApt("update", "-qq");
  PACKAGES.some((name) => runApt("install", "-y", "-qq", "--no-install-recommends", name));
}

function runApt(...args: string[]): boolean {
  const { success } = Bun.spawnSync(["apt-get", ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (!success) console.error(`This failed: apt-get ${args.join(" ")}`);
  return success;
}

if (import.meta.main) ensureChromium();
