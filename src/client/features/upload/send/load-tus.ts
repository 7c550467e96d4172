import { unreachable } from "../../../calls/api.ts";
import { isPageOutdated, PageOutdated } from "../../../runtime/page-outdated.ts";

type Tus = typeof import("tus-js-client");

const importTus = () => import("tus-js-client");

/**
 * The code that sends in chunks.
 * @throws {PageOutdated} if a newer release has replaced it
 * @throws {ApiError} as if the server was not reached, if it could not be loaded for any other reason
 */
export async function loadTus(load: () => Promise<Tus> = importTus): Promise<Tus> {
  try {
    return await load();
  } catch (cause) {
    if (await isPageOutdated()) throw new PageOutdated(cause);
    throw Object.assign(unreachable(), { cause });
  }
}

/** Loads the code once something is chosen, so that it is here when that is sent. Failing, it is loaded then. */
export function loadTusAhead(): void {
  importTus().catch(() => {});
}
