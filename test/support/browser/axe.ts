import { readFileSync } from "node:fs";
import type { AxeResults, RunOnly, RunOptions } from "axe-core";
import type { Page } from "playwright-core";

const AXE = readFileSync(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");
const STANDARD = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** Those of them that a theme can break. */
const ON_COLOURS = ["color-contrast", "link-in-text-block"];

/** WCAG 2.2 A and AA, as axe-core checks them: `rule: element` of each violation. */
export const violationsOn = (page: Page) => check(page, { type: "tag", values: STANDARD });

/** Only the rules on colours. The page was checked by all rules in its other theme. */
export const colourViolationsOn = (page: Page) => check(page, { type: "rule", values: ON_COLOURS });

async function check(page: Page, runOnly: RunOnly): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
  const found = await page.evaluate(
    (rules) =>
      (globalThis as unknown as { axe: { run(options: RunOptions): Promise<AxeResults> } }).axe.run({
        runOnly: rules,
        // The others are neither looked at nor cheap to describe.
        resultTypes: ["violations"],
        ...(rules.type === "tag" && {
          rules: {
            // Experimental: it takes a date in a name that ends with it for a mismatch.
            "label-content-name-mismatch": { enabled: false },
            // Not of the standard: people jump from landmark to landmark, by their names.
            "landmark-unique": { enabled: true },
          },
        }),
      }),
    runOnly,
  );
  return found.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")}`));
}
