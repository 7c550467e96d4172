import { $ } from "bun";

/**
 * Compiles `locales/{locale}/messages.po` into `messages.ts` beside it.
 * @throws where a message lacks its translation in any locale
 */
export async function buildLocales(): Promise<void> {
  await $`bun --bun lingui compile --typescript --strict`.quiet();
}

if (import.meta.main) {
  try {
    await buildLocales();
  } catch (error) {
    console.error(error instanceof $.ShellError ? `${error.stdout}${error.stderr}` : error);
    process.exit(1);
  }
}
